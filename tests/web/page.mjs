// page.mjs MODULES CHROMIUM WHAT PAGE…: pages of `zwang view` in a real browser, from disk.
//
// WHAT is `brief`: each loads without a message of the console or a request, and something of it is
// drawn; or `whole`: it also moves when it plays, shows scene and plot at the same time, agrees with
// the run's rows (PAGE with .csv in the place of .html), obeys the keyboard, can be saved, comes
// back to a bookmark, fits a phone, and can be read in the light and in the dark.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, resolve } from "node:path";

const [modules, executablePath, what, ...pages] = process.argv.slice(2);
const { chromium } = createRequire(resolve(modules, "x.js"))("playwright-core");
const quiet = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];
// What a driver says of pictures that tests read back is no message of the page.
const ofDriver = /GPU stall due to ReadPixels|GL Driver Message/;

const browser = await chromium.launch({ executablePath, args: quiet });
let failed = 0;

// Asks until it is so. The page forbids what the browser's driver would do it with.
async function until(page, isSo) {
  for (let turn = 0; turn < 600; turn++) {
    if (await page.evaluate(isSo)) return;
    await page.waitForTimeout(100);
  }
  throw new Error(`it never came that ${isSo}`);
}

async function open(path, colorScheme, viewport = { width: 820, height: 500 }, hash = "") {
  const page = await browser.newPage({ colorScheme, viewport });
  const wrong = [];
  page.setDefaultTimeout(90000);
  page.on("console", (message) => ofDriver.test(message.text()) || wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) wrong.push(`a request to ${request.url()}`);
  });
  await page.goto(`file://${resolve(path)}${hash}`);
  await until(page, () => window.zwang && performance.getEntriesByName("drawn").length);
  return { page, wrong };
}

const drawnOn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function seek(page, part) {
  await page.evaluate((part) => window.zwang.seek(part * window.zwang.times.at(-1)), part);
  await drawnOn(page);
}

// Nothing can run in the page but its own script, and nothing is loaded.
async function isClosed({ page }, shared) {
  const policy = await page.evaluate(() => document.querySelector("meta[http-equiv]").content);
  // Pages of the gallery's site share files beside them.
  const [script, style] = shared ? ["'self' file:", "'self' file:"] : ["'sha256-[^']*'", "'sha256-[^']*'"];
  assert.match(policy, new RegExp(`^default-src 'none'; script-src ${script}; style-src ${style}; font-src data:;`));
  assert.doesNotMatch(policy, /unsafe|\*/);
}

// Something of the system itself is painted at three instants, and at least as many things as the
// scene has bodies.
async function isPainted({ page }, least) {
  if (!(await page.evaluate(() => window.zwang.drawn))) return false;
  for (const part of [0, 0.4, 0.8]) {
    await seek(page, part);
    const { painted, parts, bodies } = await page.evaluate(() => ({
      painted: window.zwang.painted,
      parts: window.zwang.parts,
      bodies: window.zwang.data.shapes.filter(({ kind, while: shown }) =>
        shown === undefined && /^(mass|disc|ring|wheel|cylinder|cone|sphere|box|ellipsoid)$/.test(kind)).length,
    }));
    assert.ok(painted >= least, `only ${(100 * painted).toFixed(2)} % is painted at ${part} of the run`);
    assert.ok(painted < 0.98, "the system hides everything");
    assert.ok(parts >= bodies, `${parts} things for ${bodies} bodies`);
  }
  return true;
}

async function moves({ page }) {
  await page.evaluate(() => window.zwang.seek(0));
  await drawnOn(page);
  const before = await page.locator("#canvas").screenshot();
  await page.click("#play");
  await until(page, () => window.zwang.t > 0.02 * window.zwang.times.at(-1));
  await page.click("#play");
  assert.equal(await page.evaluate(() => window.zwang.playing), false);
  const after = await page.locator("#canvas").screenshot();
  assert.notDeepEqual(before, after, "nothing moves");
}

// The columns are the run's rows, all digits of them.
async function hasRows({ page }, csv) {
  const lines = readFileSync(csv, "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map((cell) => Number(cell) + 0));
  const values = await page.evaluate(() => window.zwang.data.values.map((column) => [...column].map((value) => value + 0)));
  assert.deepEqual(lines[0].map((_, i) => lines.map((line) => line[i])), values, "the columns are not the run's");
}

// Scrubbing moves scene and plot together, and a place in the scene is that of the run's row.
async function agrees({ page }) {
  const found = await page.evaluate(async () => {
    const { zwang } = window;
    const { data } = zwang;
    const row = Math.floor(data.rows / 3);
    const scrub = document.getElementById("scrub");
    scrub.value = String(data.values[0][row]);
    scrub.dispatchEvent(new Event("input"));
    // The control rounds what it is given: the row itself is asked for.
    const near = Math.abs(zwang.t - data.values[0][row]);
    zwang.seek(data.values[0][row]);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return { near, t: zwang.t, plotted: zwang.plotted, row: Object.fromEntries(data.columns.map((name, i) => [name, data.values[i][row]])),
             shapes: data.shapes, numbers: data.shapes.map((_, i) => zwang.numbersOf(i, 3)) };
  });
  assert.ok(found.near < 1e-6 * (1 + Math.abs(found.row.t)));
  assert.equal(found.t, found.row.t);
  assert.equal(found.plotted, found.t, "the plot stands at another time");
  const trace = found.shapes.findIndex((shape) => shape.kind === "trace" || shape.kind === "mass");
  if (trace >= 0 && "x" in found.row) {
    const miss = Math.abs(found.numbers[trace][0] - found.row.x);
    assert.ok(miss < 1e-4 * (1 + Math.abs(found.row.x)), `the scene is ${miss} beside the row`);
  }
}

// The next picture comes when the browser draws again.
async function changes(page, before, why) {
  for (let turn = 0; turn < 50; turn++) {
    if (!before.equals(await page.locator("#canvas").screenshot())) return;
    await page.waitForTimeout(100);
  }
  assert.fail(why);
}

async function obeysKeys({ page }) {
  await page.evaluate(() => { document.activeElement.blur(); window.zwang.seek(0); });
  await page.keyboard.press("ArrowRight");
  const [t, second] = await page.evaluate(() => [window.zwang.t, window.zwang.times[1]]);
  assert.equal(t, second);
  await page.keyboard.press("End");
  assert.ok(await page.evaluate(() => window.zwang.t === window.zwang.times.at(-1)));
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.zwang.playing), true);
  await page.keyboard.press("Space");
  const events = await page.evaluate(() => window.zwang.data.events.map(({ t }) => t).filter((t) => t > 0));
  if (events.length) {
    await page.keyboard.press("Home");
    await page.keyboard.press("]");
    assert.equal(await page.evaluate(() => window.zwang.t), events[0]);
  }
  const views = [];
  for (const key of ["t", "s", "f", "h"]) {
    await page.keyboard.press(key);
    views.push(JSON.stringify(await page.evaluate(() => window.zwang.place.slice(0, 3).map((x) => x.toFixed(3)))));
  }
  assert.ok(new Set(views).size >= 3, "the views are alike");
  await page.focus("#canvas");
  const before = await page.locator("#canvas").screenshot();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await changes(page, before, "keys do not turn it");
  await page.keyboard.press("h");
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").isVisible(), "the keys are not listed");
  await page.keyboard.press("Escape");
}

// Each thing that can be saved is a file of its kind.
async function saves({ page }) {
  const kinds = {
    png: (bytes) => bytes.subarray(1, 4).toString() === "PNG",
    svg: (bytes) => /^<svg[^>]*>/.test(bytes.toString()) && (bytes.toString().match(/<polygon/g) ?? []).length > 10,
    glb: (bytes) => bytes.subarray(0, 4).toString() === "glTF" && bytes.readUInt32LE(8) === bytes.length,
    plots: (bytes) => (bytes.toString().match(/<path/g) ?? []).length > 3,
    csv: (bytes) => bytes.toString().startsWith("t,"),
    webm: (bytes) => bytes.readUInt32BE(0) === 0x1a45dfa3 && bytes.length > 1000,
  };
  // A film takes as long as it plays: fast, here.
  await page.evaluate(() => {
    const speed = document.getElementById("speed");
    speed.append(new Option("fast", String(window.zwang.times.at(-1))));
    speed.value = String(window.zwang.times.at(-1));
  });
  for (const [kind, isGood] of Object.entries(kinds)) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.selectOption("#save", kind)]);
    const bytes = readFileSync(await download.path());
    assert.ok(isGood(bytes), `${kind}: ${bytes.length} bytes that are none`);
  }
}

// Time, camera and curves are in the address, and the page opens there again.
async function remembers({ page }, path) {
  await seek(page, 0.37);
  await page.focus("#canvas");
  await page.keyboard.press("ArrowLeft");
  await page.locator("#columns summary").click();
  await page.locator("#choose input:checked").first().uncheck();
  const across = await page.evaluate(() => window.zwang.data.columns.length > 2);
  if (across) await page.selectOption("#across", "1");
  await until(page, () => /camera=/.test(location.hash) && /curves=/.test(location.hash));
  await page.waitForTimeout(400);
  const state = () => page.evaluate(() => [window.zwang.t, ...window.zwang.place]);
  const [hash, was] = [await page.evaluate(() => location.hash), await state()];
  const again = await open(path, "light", undefined, hash);
  const is = await again.page.evaluate(() => [window.zwang.t, ...window.zwang.place]);
  const size = Math.max(...was.map(Math.abs));
  was.forEach((value, i) => assert.ok(Math.abs(value - is[i]) < 1e-4 * size, `the bookmark opens elsewhere: ${was} and ${is}`));
  if (across) assert.equal(await again.page.inputValue("#across"), "1");
  assert.deepEqual(again.wrong, []);
  await again.page.close();
}

async function fitsPhone(path) {
  const { page, wrong } = await open(path, "light", { width: 360, height: 640 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} pixels wide on a phone`);
  for (const id of ["play", "scrub", "canvas"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 360, `${id} is cut off on a phone`);
  }
  assert.deepEqual(wrong, []);
  await page.close();
}

// Equations are set where they are seen, and all of them where the page is printed.
async function setsEquations({ page }, all) {
  await page.waitForSelector("#equations .formula", { state: "attached" });
  await page.evaluate(() => document.getElementById("equations").scrollIntoView());
  await until(page, () => {
    const seen = [...document.querySelectorAll("#equations .formula")].filter((formula) => formula.checkVisibility());
    return seen.filter((formula) => formula.querySelector(".katex")).length >= Math.min(3, seen.length);
  });
  if (all)
    await page.evaluate(async () => {
      for (const details of document.querySelectorAll("details")) details.open = true;
      await new Promise((done) => setTimeout(done, 200));
      window.dispatchEvent(new Event("beforeprint"));
      for (const formula of document.querySelectorAll(".formula"))
        if (!formula.querySelector(".katex")) throw new Error("an equation is not set for printing");
    });
  assert.equal(await page.locator(".katex-error").count(), 0, "an equation is not understood");
}

// Contrast of words on what is behind them, as WCAG 2 counts it: 4.5 for text, and 3 for trails.
async function isReadable({ page }, scheme) {
  const worst = await page.evaluate(() => {
    const channels = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map((c) => c / 255);
    const light = (colour) =>
      channels(colour)
        .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (/^rgb\(/.test(colour)) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    let worst = 100;
    for (const element of document.querySelectorAll("h1, h2, h3, p, pre, label, button, td, th, li, summary")) {
      if (!element.checkVisibility() || !/^rgb\(/.test(getComputedStyle(element).color)) continue;
      const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
      worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    return worst;
  });
  assert.ok(worst >= 4.5, `the ${scheme} page is too faint: ${worst}`);
  for (const contrast of await page.evaluate(() => window.zwang.trails))
    assert.ok(contrast >= 3, `a trail has a contrast of ${contrast} on the ${scheme} page`);
}

// What the floor does to a thing that rests on it points upwards on the picture.
async function pushesUp({ page }) {
  await page.evaluate(() => document.getElementById("forces").checked || document.getElementById("forces").click());
  await seek(page, 0);
  const arrows = await page.evaluate(() => window.zwang.arrows);
  const acting = arrows.filter(({ shown, value }) => shown && value > 0);
  const of = (name) => acting.filter((arrow) => arrow.name === name);
  assert.ok(of("floor").length > 0, "the floor does not act");
  for (const { dy } of of("floor")) assert.ok(dy < -5, "the floor does not push upwards");
  assert.ok(of("between").some(({ dy }) => dy < -5), "the upper ball is not held");
}

// What turns fast is followed: at most a sixth of a turn, or a little more, from a frame to the next,
// and from a picture to the next of sixty a second.
async function followsTurns({ page }) {
  const { spin, step, rate } = await page.evaluate(() => ({
    spin: window.zwang.data.view.spin,
    step: window.zwang.times[1] - window.zwang.times[0],
    rate: Number(document.getElementById("speed").value),
  }));
  assert.ok(Math.abs(spin - 400) < 1e-3, `it turns by ${spin}`);
  assert.ok(spin * step < 1.2 && (spin * rate) / 60 < 1.2, "turns are too fast to be seen");
}

async function look(path) {
  const opened = await open(path, "light");
  await isClosed(opened, /site/.test(path));
  const drawn = await isPainted(opened, 0.002);
  assert.ok(drawn, "nothing is drawn");
  if (basename(path) === "spin.html") await followsTurns(opened);
  if (what === "whole") {
    if (!/rest/.test(basename(path))) await moves(opened);
    const csv = path.replace(/html$/, "csv");
    if (existsSync(csv)) await hasRows(opened, csv);
    await agrees(opened);
    await obeysKeys(opened);
    if (/rest/.test(basename(path))) await pushesUp(opened);
    // Films take their time: of two pages.
    if (/string|hostile/.test(basename(path))) await saves(opened);
    await remembers(opened, path);
    await setsEquations(opened, !/bicycle/.test(path));
    await isReadable(opened, "light");
    const dark = await open(path, "dark");
    await isReadable(dark, "dark");
    assert.deepEqual(dark.wrong, []);
    await dark.page.close();
    await fitsPhone(path);
  }
  assert.deepEqual(opened.wrong, []);
  await opened.page.close();
}

for (const path of pages)
  try {
    await look(path);
    console.log(`${basename(path)}: well`);
  } catch (error) {
    failed++;
    console.log(`${basename(path)}: ${error.message}`);
  }
await browser.close();
process.exit(failed ? 1 : 0);
