// The page: what moves, what is plotted, what is said, all at one time t.
import "./style.css";
import { frameAt, readData, shownName } from "./data";
import { showEquations } from "./equations";
import { Plots } from "./plots";
import { Scene } from "./scene";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const data = readData();
const times = data.values[0]!;
const end = times.length > 0 ? times[times.length - 1]! : 0;
const canvas = byId<HTMLCanvasElement>("canvas");
const play = byId<HTMLButtonElement>("play");
const scrub = byId<HTMLInputElement>("scrub");
const speed = byId<HTMLSelectElement>("speed");

byId("title").textContent = data.title || data.name;
byId("model").textContent = data.model;
byId("check").textContent = data.check;
byId("report").textContent = data.report;
byId("made").textContent = `Made by zwang ${data.version}.`;
byId("note").textContent = data.note;
byId("note").hidden = !data.note;

// ---- Events.

if (data.events.length > 0) {
  const list = byId("events").querySelector("ol")!;
  byId("events").hidden = false;
  for (const event of data.events.slice(0, 500)) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `t = ${event.t.toPrecision(8)}: ${event.kind} ${event.constraint ?? ""}`;
    button.addEventListener("click", () => seek(event.t));
    item.append(button);
    list.append(item);
  }
}

// ---- Time. A frame is drawn where something has changed, and at no other time.

const clock = byId("time");
let t = times[0] ?? 0;
let playing = false;
let last = 0; // when the frame before was drawn, while it plays
let shown = NaN;
let awaited = false;
let drawn = false;
scrub.max = String(end);

function wake(): void {
  if (awaited) return;
  awaited = true;
  requestAnimationFrame(tick);
}

// ---- The moving picture.

const scene = new Scene(data, canvas, wake);
if (!scene.isDrawn) {
  canvas.hidden = true;
  byId("empty").hidden = false;
  byId("empty").textContent = scene.isUnable
    ? "This browser cannot draw in three dimensions (WebGL is missing). Plots and numbers are below."
    : "There is nothing to draw: the model has no points, masses or bodies, and no 'draw' lines.";
}
byId<HTMLInputElement>("forces").disabled = !scene.hasForces;
byId("forces").addEventListener("change", (event) =>
  scene.showForces((event.target as HTMLInputElement).checked),
);
byId<HTMLInputElement>("follow").disabled = !scene.isDrawn;
byId("follow").addEventListener("change", (event) =>
  scene.follow((event.target as HTMLInputElement).checked),
);
byId("home").addEventListener("click", () => scene.reset());

const plots = new Plots(data, byId("chart"), byId("choose"), byId<HTMLTableElement>("now"), (t) => seek(t));

// ---- Going through time.

function seek(to: number): void {
  t = Math.min(Math.max(to, times[0] ?? 0), end);
  wake();
}

// Programs that read the page aloud are not told of every frame.
function say(): void {
  scrub.setAttribute("aria-valuetext", `t = ${t.toFixed(2)} of ${end}`);
}

function setPlaying(on: boolean): void {
  playing = on;
  last = 0;
  if (on && t >= end) seek(times[0] ?? 0);
  play.textContent = on ? "Pause" : "Play";
  if (!on) say();
  wake();
}

function show(): void {
  const { frame, part } = frameAt(times, t);
  shown = t;
  scene.show(frame, part);
  plots.show(t);
  scrub.value = String(t);
  clock.textContent = `t = ${t.toFixed(3)}`;
  if (!playing) say();
}

function tick(now: number): void {
  awaited = false;
  if (playing) {
    const elapsed = last ? Math.min(now - last, 100) : 0;
    last = now;
    scene.keepPace(elapsed);
    seek(t + (elapsed / 1000) * Number(speed.value));
    if (t >= end) setPlaying(false);
  }
  if (shown !== t) show();
  scene.render();
  if (drawn) return;
  drawn = true;
  performance.mark("drawn");
  // The equations wait until the picture stands.
  setTimeout(() => showEquations(byId("equations").querySelector("div")!, data.equations));
}

play.addEventListener("click", () => setPlaying(!playing));
scrub.addEventListener("input", () => seek(Number(scrub.value)));

// ---- Keys: space plays, arrows step; on the picture they turn it.

function stepFrames(count: number): void {
  const { frame } = frameAt(times, t);
  seek(times[Math.min(Math.max(frame + count, 0), times.length - 1)] ?? 0);
}

const onPicture: Record<string, () => void> = {
  ArrowLeft: () => scene.turn(-0.1, 0),
  ArrowRight: () => scene.turn(0.1, 0),
  ArrowUp: () => scene.turn(0, 0.1),
  ArrowDown: () => scene.turn(0, -0.1),
  "+": () => scene.zoom(0.9),
  "-": () => scene.zoom(1 / 0.9),
};
const onPage: Record<string, () => void> = {
  " ": () => setPlaying(!playing),
  ArrowLeft: () => stepFrames(-1),
  ArrowRight: () => stepFrames(1),
  Home: () => seek(times[0] ?? 0),
  End: () => seek(end),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (target !== canvas && target.closest("input, select, button, summary, pre, .formula")) return;
  const action = (target === canvas && onPicture[event.key]) || onPage[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

// ---- Light and dark.

byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset["theme"]
    ? root.dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = dark ? "light" : "dark";
  plots.draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.draw());

// ---- The numbers.

byId("download").addEventListener("click", () => {
  const quoted = (name: string) => (name.includes(",") ? `"${name}"` : name);
  const lines = [data.columns.map(quoted).join(",")];
  for (let i = 0; i < data.frames; i++) lines.push(data.values.map((column) => column[i]).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
  link.download = `${data.name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
});

// For tests: what is shown now.
Object.assign(window, {
  zwang: {
    seek,
    get t() { return t; },
    get plotted() { return plots.time; },
    get playing() { return playing; },
    data,
    shownName,
    numbersOf: (shape: number, count: number) => scene.numbersOf(shape, count),
  },
});

say();
wake();
