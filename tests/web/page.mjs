// page.mjs MODULES CHROMIUM PAGE…: pages of `zwang view` in a real browser, from disk.
//
// Each loads without an error or a request, moves when it plays, shows scene and plot at the same
// time, agrees with the run's rows, obeys the keyboard, and can be read in the dark.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, executablePath, ...pages] = process.argv.slice(2);
const { chromium } = createRequire(resolve(modules, "x.js"))("playwright-core");
const quiet = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];

const browser = await chromium.launch({ executablePath, args: quiet });
let failed = 0;

async function open(path, colorScheme) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 820, height: 500 } });
  const wrong = [];
  page.setDefaultTimeout(90000);
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) wrong.push(`a request to ${request.url()}`);
  });
  await page.goto(`file://${resolve(path)}`);
  await page.waitForFunction(() => window.zwang);
  return { page, wrong };
}

// Whether the picture has more than one colour.
async function isBlank(page) {
  const picture = await page.locator("#canvas").screenshot();
  return new Set(picture).size < 20;
}

async function moves({ page }) {
  await page.evaluate(() => window.zwang.seek(0));
  const before = await page.locator("#canvas").screenshot();
  assert.equal(await isBlank(page), false, "the picture is blank");
  await page.click("#play");
  await page.waitForFunction(() => window.zwang.t > 0.05);
  await page.click("#play");
  assert.equal(await page.evaluate(() => window.zwang.playing), false);
  const after = await page.locator("#canvas").screenshot();
  assert.notDeepEqual(before, after, "nothing moves");
}

// Scrubbing moves scene and plot together, and a place in the scene is that of the run's row.
async function agrees({ page }) {
  const found = await page.evaluate(async () => {
    const { zwang } = window;
    const { data } = zwang;
    const frame = Math.floor(data.frames / 3);
    const scrub = document.getElementById("scrub");
    scrub.value = String(data.values[0][frame]);
    scrub.dispatchEvent(new Event("input"));
    // The control rounds what it is given: the row itself is asked for.
    const near = Math.abs(zwang.t - data.values[0][frame]);
    zwang.seek(data.values[0][frame]);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const row = Object.fromEntries(data.columns.map((name, i) => [name, data.values[i][frame]]));
    return { near, t: zwang.t, plotted: zwang.plotted, row, shapes: data.shapes,
             numbers: data.shapes.map((_, i) => zwang.numbersOf(i, 3)) };
  });
  assert.ok(found.near < 1e-6 * (1 + Math.abs(found.row.t)));
  assert.equal(found.t, found.row.t);
  assert.equal(found.plotted, found.t, "the plot stands at another time");
  const trace = found.shapes.findIndex((shape) => shape.kind === "trace" || shape.kind === "mass");
  if (trace >= 0 && "x" in found.row) {
    const miss = Math.abs(found.numbers[trace][0] - found.row.x);
    assert.ok(miss < 1e-5 * (1 + Math.abs(found.row.x)), `the scene is ${miss} beside the row`);
  }
}

async function obeysKeys({ page }) {
  await page.evaluate(() => { document.activeElement.blur(); window.zwang.seek(0); });
  await page.keyboard.press("ArrowRight");
  const [t, second] = await page.evaluate(() => [window.zwang.t, window.zwang.data.values[0][1]]);
  assert.equal(t, second);
  await page.keyboard.press("End");
  assert.ok(await page.evaluate(() => window.zwang.t === Math.max(...window.zwang.data.values[0])));
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.zwang.playing), true);
  await page.keyboard.press("Space");
  await page.focus("#canvas");
  const before = await page.locator("#canvas").screenshot();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  // The next picture comes when the browser draws again.
  for (let turn = 0; turn < 50; turn++) {
    if (!before.equals(await page.locator("#canvas").screenshot())) return;
    await page.waitForTimeout(100);
  }
  assert.fail("keys do not turn it");
}

// The camera comes near, and stays with what moves.
async function follows({ page }) {
  await page.evaluate(() => window.zwang.seek(0));
  const far = await page.locator("#canvas").screenshot();
  await page.click("#follow");
  const near = await page.locator("#canvas").screenshot();
  assert.notDeepEqual(far, near, "it does not come near");
  await page.evaluate(() => window.zwang.seek(1));
  assert.equal(await isBlank(page), false, "it does not stay with it");
  await page.click("#follow");
}

// Equations are set where they are seen, and all of them where the page is printed.
async function setsEquations({ page }, all) {
  await page.waitForSelector("#equations .formula", { state: "attached" });
  await page.evaluate(() => document.getElementById("equations").scrollIntoView());
  await page.waitForFunction(() => {
    const formulas = document.querySelectorAll("#equations .formula").length;
    return document.querySelectorAll(".formula .katex").length >= Math.min(3, formulas);
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

// Contrast of words on what is behind them, as WCAG 2 counts it: 4.5 for text.
async function contrast({ page }) {
  return page.evaluate(() => {
    const channels = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map((c) => c / 255);
    const light = (colour) =>
      channels(colour)
        .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (!/, 0\)$|transparent/.test(colour)) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    let worst = 100;
    for (const element of document.querySelectorAll("h1, h2, p, pre, label, button, td, th, summary")) {
      const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
      worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    return worst;
  });
}

for (const path of pages)
  try {
    const opened = await open(path, "light");
    await moves(opened);
    await agrees(opened);
    await obeysKeys(opened);
    if (/bicycle/.test(path)) await follows(opened);
    await setsEquations(opened, !/bicycle/.test(path));
    assert.ok((await contrast(opened)) >= 4.5, "the light page is too faint");
    const dark = await open(path, "dark");
    assert.ok((await contrast(dark)) >= 4.5, "the dark page is too faint");
    assert.deepEqual([...opened.wrong, ...dark.wrong], []);
    await opened.page.close();
    await dark.page.close();
    console.log(`${path}: well`);
  } catch (error) {
    failed++;
    console.log(`${path}: ${error.message}`);
  }
await browser.close();
process.exit(failed ? 1 : 0);
