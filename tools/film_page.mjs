// film_page.mjs MODULES CHROMIUM PAGE.html OUT.webp [FRAMES SECONDS]: a page of `zwang view` as a
// moving picture, for the manual. MODULES is build/web/node_modules. docs/hoop.webp was made by
//
//     build/zwang view models/hoop.zw --out hoop.html
//     node tools/film_page.mjs build/web/node_modules /usr/bin/chromium hoop.html docs/hoop.webp
//
// and docs/pendulum.webp from the pendulum of docs/tutorial.md with 10 frames and 2.1 seconds.
//
// The page is shown FRAMES times, over the first SECONDS of its run, at three quarters of its size.
// The pictures become one animated WebP file: RIFF chunks VP8X, ANIM, and an ANMF for each frame.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [modules, executablePath, file, out, frames = 18, seconds = 4] = process.argv.slice(2);
const page = { width: 900, height: 470 };
const scale = 0.75;
const [width, height] = [page.width * scale, page.height * scale];
const { chromium } = createRequire(resolve(modules, "x.js"))("playwright-core");

// Shows the page at FRAMES times, as PNG.
async function take(browser) {
  const shown = await browser.newPage({ viewport: page, deviceScaleFactor: scale });
  await shown.goto(`file://${resolve(file)}`);
  const isDrawn = () => window.zwang && performance.getEntriesByName("drawn").length;
  while (!(await shown.evaluate(isDrawn))) await shown.waitForTimeout(100);
  const pictures = [];
  for (let i = 0; i < frames; i++) {
    await shown.evaluate((t) => window.zwang.seek(t), (seconds * i) / frames);
    await shown.waitForTimeout(150);
    pictures.push((await shown.screenshot()).toString("base64"));
  }
  return pictures;
}

// A page of its own, since that of zwang view lets nothing else run.
async function compress(browser, pictures) {
  const blank = await browser.newPage();
  return blank.evaluate(async (pictures) => {
    const compressed = [];
    for (const png of pictures) {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d").drawImage(image, 0, 0);
      compressed.push(canvas.toDataURL("image/webp", 0.5).split(",")[1]);
    }
    return compressed;
  }, pictures);
}

const number = (value, bytes) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};
const chunk = (name, content) => {
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([Buffer.from(name), number(content.length, 4), content, padding]);
};

// The picture's own chunk (VP8 or VP8L) of a WebP file of one frame.
function bitstream(webp) {
  for (let at = 12; at < webp.length; ) {
    const name = webp.toString("latin1", at, at + 4);
    const end = at + 8 + webp.readUInt32LE(at + 4);
    if (name.startsWith("VP8 ") || name === "VP8L") return webp.subarray(at, end + (end % 2));
    at = end + (end % 2);
  }
  throw new Error("no picture in a frame");
}

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const compressed = await compress(browser, await take(browser));
await browser.close();

const pace = Math.round((1000 * seconds) / frames);
const size = Buffer.concat([number(width - 1, 3), number(height - 1, 3)]);
const animation = compressed.map((text) =>
  chunk("ANMF", Buffer.concat([number(0, 3), number(0, 3), size, number(pace, 3), number(0, 1),
    bitstream(Buffer.from(text, "base64"))])));
const body = Buffer.concat([
  Buffer.from("WEBP"),
  chunk("VP8X", Buffer.concat([number(2, 1), number(0, 3), size])), // 2: it is animated
  chunk("ANIM", Buffer.concat([number(0xffffffff, 4), number(0, 2)])), // white behind it, for ever
  ...animation,
]);
writeFileSync(out, Buffer.concat([Buffer.from("RIFF"), number(body.length, 4), body]));
console.log(`${out}: ${frames} frames, ${Math.round(body.length / 1024)} KiB`);
