// page.mjs MODULES CHROMIUM REPEATS PAGE…: how long a page of `zwang view` takes to open, and to
// draw a frame while it plays, in a browser without a display. A line for each page: its name, its
// MiB, its frames, the median ms from going there until the system is drawn, the median ms that
// the script and the whole main thread take for a frame, and how many frames a second were drawn.
import { createRequire } from "node:module";
import { statSync } from "node:fs";
import { basename, resolve } from "node:path";

const [modules, executablePath, repeats, ...pages] = process.argv.slice(2);
const { chromium } = createRequire(resolve(modules, "x.js"))("playwright-core");
const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
  ],
});

const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

async function open(path) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`file://${resolve(path)}`);
  // The page allows no evaluation of texts, by which the driver would wait.
  for (;;) {
    const opened = await page.evaluate(() => performance.getEntriesByName("drawn")[0]?.startTime);
    if (opened !== undefined) return { page, opened };
    await page.waitForTimeout(20);
  }
}

// Plays for so many frames: what the main thread did meanwhile, by the browser's own counters.
async function play(page, frames) {
  const client = await page.context().newCDPSession(page);
  const counters = async () =>
    Object.fromEntries((await client.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
  await client.send("Performance.enable");
  await page.click("#play");
  const before = await counters();
  const seconds = await page.evaluate(
    (count) =>
      new Promise((done) => {
        const began = performance.now();
        const tick = () => (count-- > 0 ? requestAnimationFrame(tick) : done((performance.now() - began) / 1000));
        requestAnimationFrame(tick);
      }),
    frames,
  );
  const after = await counters();
  await page.click("#play");
  const each = (name) => (1000 * (after[name] - before[name])) / frames;
  return { script: each("ScriptDuration"), task: each("TaskDuration"), rate: frames / seconds };
}

for (const path of pages) {
  const opened = [], script = [], task = [], rate = [];
  let frames = 0;
  for (let i = 0; i < Number(repeats); i++) {
    const { page, opened: took } = await open(path);
    opened.push(took);
    frames = await page.evaluate(() => window.zwang.data.frames);
    const playing = await play(page, 60);
    script.push(playing.script);
    task.push(playing.task);
    rate.push(playing.rate);
    await page.close();
  }
  const size = (statSync(path).size / 2 ** 20).toFixed(1);
  console.log(
    [basename(path, ".html"), size, frames, median(opened).toFixed(0), median(script).toFixed(2),
      median(task).toFixed(2), median(rate).toFixed(0)].join(" "),
  );
}
await browser.close();
