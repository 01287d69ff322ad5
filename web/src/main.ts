// The page: what moves, what is plotted, what is said, all at one time t.
import "./style.css";
import { readAddress, writeAddress } from "./address";
import { background, contrast } from "./colours";
import { frameAt, readData, shownName, shownNumber } from "./data";
import { showEquations } from "./equations";
import { Film, gltf, picture, save, table, vectorPicture } from "./exports";
import { Labels } from "./labels";
import { Plots } from "./plots";
import { Stage } from "./stage";
import { showVerdicts } from "./verdicts";

const byId = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const data = readData();
const times = data.times.length > 0 ? data.times : new Float64Array([0]);
const start = times[0]!;
const end = times[times.length - 1]!;
const canvas = byId<HTMLCanvasElement>("canvas");
const play = byId<HTMLButtonElement>("play");
const scrub = byId<HTMLInputElement>("scrub");
const speed = byId<HTMLSelectElement>("speed");
const forces = byId<HTMLInputElement>("forces");
const follow = byId<HTMLInputElement>("follow");
const names = byId<HTMLInputElement>("names");
const loop = byId<HTMLInputElement>("loop");

byId("title").textContent = data.title || data.name;
byId("model").textContent = data.model;
byId("report").textContent = data.report;
byId("made").textContent = `Made by zwang ${data.version}.`;
byId("note").textContent = data.note;
byId("note").hidden = !data.note;

// ---- Time. A frame is drawn where something has changed, and at no other time.

const clock = byId("time");
let t = start;
let playing = false;
let last = 0; // when the frame before was drawn, while it plays
let shown = NaN;
let awaited = false;
let drawn = false;
let film: Film | undefined;
scrub.min = String(start);
scrub.max = String(end);

function wake(): void {
  if (awaited) return;
  awaited = true;
  requestAnimationFrame(tick);
}

// The whole in about ten seconds, or up to a minute where something turns by more than a sixth of a
// turn from one picture to the next; real time where that is nearly the same.
const whole = Math.max(end - start, 1e-300);
const followed = (60 * Math.PI) / 3 / Math.max(data.view.spin ?? 0, 1e-300);
const usual = Math.min(whole / 10, Math.max(followed, whole / 60));
const natural = usual > 0.5 && usual < 2 ? 1 : usual;
for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) {
  const rate = factor * natural;
  speed.append(new Option(`${shownNumber(rate, 2)}×`, String(rate), factor === 1, factor === 1));
}
if (natural !== 1) speed.append(new Option("real time", "1"));

// ---- The moving picture.

const stage = new Stage(data, canvas, wake, () => remember());
const labels = new Labels(data, stage, byId("labels"), byId("legend"), byId("scale"));
if (!stage.isDrawn) {
  byId("picture").hidden = true;
  byId("empty").hidden = false;
  byId("empty").textContent = stage.isUnable
    ? "This browser cannot draw in three dimensions (WebGL is missing). Plots and numbers are below."
    : "There is nothing to draw: the model has no points, masses or bodies, and no 'draw' lines.";
}

function showForces(on: boolean): void {
  forces.checked = on;
  labels.forces = on;
  stage.showForces(on);
}

function setFollow(on: boolean): void {
  follow.checked = on;
  stage.follow(on);
}

function showNames(on: boolean): void {
  names.checked = on;
  labels.names = on;
  stage.want();
}

forces.disabled = !stage.isDrawn || !stage.forces.any;
follow.disabled = !stage.isDrawn;
follow.checked = stage.following;
names.disabled = !stage.isDrawn || !labels.hasNames;
names.checked = labels.hasNames && labels.names;
forces.addEventListener("change", () => { showForces(forces.checked); remember(); });
follow.addEventListener("change", () => { setFollow(follow.checked); remember(); });
names.addEventListener("change", () => showNames(names.checked));

function look(view: string): void {
  if (view === "home") stage.home();
  else stage.from(view);
  remember();
}

function fullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else byId("stage").requestFullscreen().catch(() => say("This browser does not give the full screen."));
}

for (const button of document.querySelectorAll<HTMLButtonElement>("[data-view]"))
  button.addEventListener("click", () => look(button.dataset["view"]!));
byId("full").addEventListener("click", fullScreen);

// What is under the pointer.
const tip = byId("tip");
canvas.addEventListener("pointermove", (event) => {
  const part = event.buttons ? undefined : stage.pick(event.offsetX, event.offsetY);
  tip.hidden = !part;
  if (!part) return;
  const at = part.shape.kind === "surface" ? [] : Array.from(stage.now.subarray(part.shape.from, part.shape.from + 3));
  tip.textContent = `${shownName(part.shape.name)} (${part.shape.kind})` + (at.length ? `\nx = ${at.map((x) => shownNumber(x, 4)).join(", ")}` : "");
  tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 180)}px`;
  tip.style.top = `${event.clientY + 14}px`;
});
canvas.addEventListener("pointerleave", () => (tip.hidden = true));

const plots = new Plots(
  data, byId("chart"), byId("choose"), byId<HTMLSelectElement>("across"), byId<HTMLTableElement>("now"),
  (to) => { seek(to); remember(); }, () => remember(),
);
byId("closer").addEventListener("click", () => plots.zoom(0.5));
byId("wider").addEventListener("click", () => plots.zoom(2));
byId("all").addEventListener("click", () => plots.zoom(0));

// ---- Events: a list, and marks on the time line.

const eventWords = (event: (typeof data.events)[number]) =>
  [event.kind, event.constraint ?? event.what ?? ""].filter(Boolean).join(" ");

if (data.events.length > 0) {
  const list = byId("events").querySelector("ol")!;
  byId("events").hidden = false;
  for (const event of data.events.slice(0, 500)) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `t = ${shownNumber(event.t, 8)}: ${eventWords(event)}`;
    button.addEventListener("click", () => { seek(event.t); remember(); });
    item.append(button);
    list.append(item);
  }
  const told = new Map<number, string[]>();
  for (const event of data.events.slice(0, 300)) told.set(event.t, [...(told.get(event.t) ?? []), eventWords(event)]);
  for (const [at, words] of told) {
    const mark = document.createElement("button");
    mark.type = "button";
    mark.tabIndex = -1; // the list has them for keys
    mark.title = `t = ${shownNumber(at, 6)}: ${words.slice(0, 6).join(", ")}`;
    mark.setAttribute("aria-label", mark.title);
    mark.style.left = `${(100 * (at - start)) / Math.max(end - start, 1e-300)}%`;
    mark.addEventListener("click", () => { seek(at); remember(); });
    byId("marks").append(mark);
  }
}

// To the event before or after the present moment.
function jump(forwards: boolean): void {
  const list = [...new Set(data.events.map((event) => event.t))].sort((a, b) => a - b);
  const slack = 1e-9 * (end - start);
  const found = forwards ? list.find((at) => at > t + slack) : list.reverse().find((at) => at < t - slack);
  if (found !== undefined) seek(found);
}

// ---- Going through time.

function seek(to: number): void {
  t = Math.min(Math.max(to, start), end);
  wake();
}

// Programs that read the page aloud are not told of every frame.
function tell(): void {
  scrub.setAttribute("aria-valuetext", `t = ${shownNumber(t)} of ${shownNumber(end)}`);
}

function setPlaying(on: boolean): void {
  playing = on;
  last = 0;
  if (on && t >= end) seek(start);
  play.textContent = on ? "Pause" : "Play";
  if (!on) {
    tell();
    remember();
  }
  wake();
}

function show(): void {
  const { frame, part } = frameAt(times, t);
  shown = t;
  stage.show(frame, part);
  plots.show(t);
  scrub.value = String(t);
  clock.textContent = `t = ${digits(t)}`;
  if (!playing) tell();
}

// As many as a thousandth of the run has.
const places = Math.min(Math.max(0, 3 - Math.floor(Math.log10(Math.max(end - start, 1e-12)))), 12);
const digits = (value: number) => (Math.abs(value) < 1e7 ? value.toFixed(places) : value.toExponential(4));

function tick(now: number): void {
  awaited = false;
  if (playing) {
    const elapsed = last ? Math.min(now - last, 100) : 0;
    last = now;
    if (!film) stage.keepPace(elapsed);
    seek(t + (elapsed / 1000) * Number(speed.value));
    if (t >= end) {
      if (film) endFilm();
      else if (loop.checked && end > start) seek(start);
      else setPlaying(false);
    }
  }
  if (shown !== t) show();
  if (stage.render()) {
    labels.update();
    film?.take();
  }
  if (drawn) return;
  drawn = true;
  performance.mark("drawn");
  // Equations and proofs wait until the picture stands.
  setTimeout(() => {
    showEquations(byId("equations").querySelector("div")!, data.equations);
    byId("proofs").hidden = !data.check;
    showVerdicts(byId("check"), data.check);
  });
}

play.addEventListener("click", () => setPlaying(!playing));
scrub.addEventListener("input", () => seek(Number(scrub.value)));
scrub.addEventListener("change", () => remember());
byId("back").addEventListener("click", () => stepFrames(-1));
byId("step").addEventListener("click", () => stepFrames(1));

// ---- Keys: on the picture arrows turn it.

function stepFrames(count: number): void {
  const { frame } = frameAt(times, t);
  seek(times[Math.min(Math.max(frame + count, 0), times.length - 1)]!);
}

function switchTheme(): void {
  const root = document.documentElement;
  const dark = root.dataset["theme"]
    ? root.dataset["theme"] === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset["theme"] = dark ? "light" : "dark";
  recolour();
}

function recolour(): void {
  plots.draw();
  if (stage.isDrawn) stage.recolour();
  labels.recolour();
}

const keys = byId<HTMLDialogElement>("keys");
const onPicture: Record<string, () => void> = {
  ArrowLeft: () => stage.turn(-0.1, 0),
  ArrowRight: () => stage.turn(0.1, 0),
  ArrowUp: () => stage.turn(0, 0.1),
  ArrowDown: () => stage.turn(0, -0.1),
};
const onPage: [string, string, () => void][] = [
  [" ", "play, hold", () => setPlaying(!playing)],
  ["ArrowLeft", "one frame back", () => stepFrames(-1)],
  ["ArrowRight", "one frame on", () => stepFrames(1)],
  ["Home", "the start", () => seek(start)],
  ["End", "the end", () => seek(end)],
  ["[", "the event before", () => jump(false)],
  ["]", "the next event", () => jump(true)],
  ["h", "home: the whole system", () => look("home")],
  ["f", "from the front", () => look("front")],
  ["s", "from the side", () => look("side")],
  ["t", "from above", () => look("top")],
  ["p", "perspective or parallel", () => { stage.switchProjection(); remember(); }],
  ["+", "closer", () => stage.zoom(0.9)],
  ["-", "farther", () => stage.zoom(1 / 0.9)],
  ["r", "reactions", () => { if (!forces.disabled) showForces(!forces.checked); remember(); }],
  ["c", "follow with the camera", () => { if (!follow.disabled) setFollow(!follow.checked); remember(); }],
  ["n", "names of points", () => { if (!names.disabled) showNames(!names.checked); }],
  ["l", "loop", () => (loop.checked = !loop.checked)],
  ["d", "light or dark", switchTheme],
  ["x", "full screen", fullScreen],
  ["?", "these keys", () => keys.showModal()],
];
for (const [key, does] of [...onPage, ["arrows on the picture", "turn it"] as const]) {
  const term = document.createElement("dt");
  term.textContent = key === " " ? "space" : key.replace("ArrowLeft", "←").replace("ArrowRight", "→");
  const meaning = document.createElement("dd");
  meaning.textContent = does;
  keys.querySelector("dl")!.append(term, meaning);
}
byId("help").addEventListener("click", () => keys.showModal());

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  const target = event.target as HTMLElement;
  const typed = event.key.length === 1 && event.key !== " ";
  // A button takes the space; a list takes letters.
  if (target !== canvas && target.closest(typed ? "select, textarea, input[type=text]" : "input, select, button, summary, pre, .formula")) return;
  const action = (target === canvas && onPicture[event.key]) || onPage.find(([key]) => key === event.key)?.[2];
  if (!action) return;
  event.preventDefault();
  action();
});

byId("theme").addEventListener("click", switchTheme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);

// ---- Taking away.

function say(words: string): void {
  byId("said").textContent = words;
}

function endFilm(): void {
  film?.end();
  film = undefined;
  setPlaying(false);
}

function startFilm(): void {
  if (!Film.isPossible || !stage.isDrawn) return say("This browser cannot record a film.");
  seek(start);
  show();
  stage.render();
  film = new Film(stage, labels, (made) => {
    save(`${data.name}.webm`, made, "video/webm");
    say("The film is saved.");
  });
  say("The film is being recorded while it plays once.");
  setPlaying(true);
}

const savers: Record<string, () => void | Promise<void>> = {
  png: async () => {
    const made = await picture(stage, labels);
    if (made) save(`${data.name}.png`, made, "image/png");
  },
  svg: () => save(`${data.name}.svg`, vectorPicture(stage, labels), "image/svg+xml"),
  webm: startFilm,
  glb: async () => save(`${data.name}.glb`, await gltf(stage, data), "model/gltf-binary"),
  plots: () => save(`${data.name}-plots.svg`, plots.svg(), "image/svg+xml"),
  csv: () => save(`${data.name}.csv`, table(data), "text/csv"),
};
const saver = byId<HTMLSelectElement>("save");
saver.addEventListener("change", () => {
  const chosen = saver.value;
  saver.value = "";
  if (!stage.isDrawn && ["png", "svg", "webm", "glb"].includes(chosen)) return say("There is no picture to save.");
  Promise.resolve(savers[chosen]?.()).catch((error: unknown) => say(`That failed: ${String(error)}`));
});

// ---- The address.

let pending = 0;
function remember(): void {
  clearTimeout(pending);
  pending = window.setTimeout(() => {
    if (playing) return;
    writeAddress({
      t, camera: stage.place, curves: plots.chosen.map((i) => data.columns[i]!), across: data.columns[plots.across],
      forces: forces.checked, follow: follow.checked,
    });
  }, 250);
}

function recall(): void {
  const mark = readAddress();
  const column = (name: string) => data.columns.indexOf(name);
  if (mark.curves || mark.across) plots.choose(mark.curves?.map(column) ?? plots.chosen, mark.across ? column(mark.across) : 0);
  showForces(stage.isDrawn && stage.forces.any && (mark.forces ?? labels.isFew));
  if (mark.follow !== undefined && mark.follow !== follow.checked && stage.isDrawn) setFollow(mark.follow);
  if (mark.t !== undefined) seek(mark.t);
  show();
  if (mark.camera) stage.place = mark.camera;
  clearTimeout(pending);
}
window.addEventListener("hashchange", recall);

// For tests: what is shown now.
Object.assign(window, {
  zwang: {
    seek,
    get t() { return t; },
    get plotted() { return plots.time; },
    get playing() { return playing; },
    get place() { return stage.place; },
    get parts() { return stage.parts.filter((part) => part.object.visible).length; },
    get trails() {
      return stage.trails.map(({ colour }) => Math.min(...background().map((end) => contrast(colour, end))));
    },
    get arrows() {
      return stage.forces.arrows.map(({ shape, object, value, tip: to }) => {
        const [from, at] = [stage.project(object.position), stage.project(to)];
        return { name: shape.name, shown: object.visible && forces.checked, value, dx: (at?.x ?? 0) - (from?.x ?? 0), dy: (at?.y ?? 0) - (from?.y ?? 0) };
      });
    },
    get drawn() { return stage.isDrawn; },
    get painted() { return stage.painted; },
    times,
    data,
    shownName,
    numbersOf: (shape: number, count: number) => stage.numbersOf(shape, count),
  },
});

recall();
tell();
wake();
