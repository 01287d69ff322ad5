// Curves in one pair of axes: against time, or one column against another. Dragging magnifies,
// a double click shows all, a click goes to that time; what is near the pointer is written out.
import { shownNumber } from "./data";
import { CanvasPen, type Pen } from "./pens";

export interface Curve {
  name: string;
  x: Float64Array;
  y: Float64Array;
  colour: string; // a property of the style sheet
}

export interface ChartOptions {
  height: number;
  xName: string;
  times: Float64Array;
  overTime: boolean;
  events: number[];
  seek: (t: number) => void;
  hover: (index: number | undefined, x: number, y: number) => void;
  zoomed: (range: [number, number] | undefined) => void; // along the time
}

type Range = [number, number];
const inside = { left: 62, right: 12, top: 10, bottom: 34 };

// A colour of the style sheet as it is now, light or dark.
const probe = document.createElement("span");
probe.hidden = true;
export function style(name: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

export function rangeOf(lists: Float64Array[]): Range {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list)
      if (Number.isFinite(value)) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
  if (!(low <= high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  // What is constant but for roundings is drawn as a straight line.
  if (high - low <= 1e-12 * size || high === low) {
    const room = size > 0 ? 0.1 * size : 1;
    return [low - room, high + room];
  }
  return [low, high];
}

const widened = ([low, high]: Range, part: number): Range => [low - part * (high - low), high + part * (high - low)];

function ticks([low, high]: Range, most: number): number[] {
  const rough = (high - low) / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((length) => length >= rough) ?? 10 * power;
  const list: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high && list.length < 50; i++) list.push(i * step);
  return list;
}

// As few digits as tell the ticks apart.
function tickTexts(list: number[]): string[] {
  if (list.length < 2) return list.map((value) => shownNumber(value));
  const step = Math.abs(list[1]! - list[0]!);
  const size = Math.max(...list.map(Math.abs));
  if (size >= 1e5 || size < 1e-3)
    return list.map((value) => (Math.abs(value) < 1e-9 * step ? "0" : shownNumber(value, 6).length <= 8 ? shownNumber(value, 6) : value.toExponential(2)));
  const digits = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 8);
  return list.map((value) => (Math.abs(value) < 1e-9 * step ? 0 : value).toFixed(digits).replace("-", "−"));
}

export class Chart {
  readonly element = document.createElement("div");
  private readonly canvas = document.createElement("canvas");
  private readonly cursor = document.createElement("div");
  private readonly rubber = document.createElement("div");
  private xRange: Range = [0, 1];
  private yRange: Range = [0, 1];
  private zoomX?: Range;
  private zoomY?: Range;
  private from?: { x: number; y: number };
  private t = 0;
  private index = 0;

  constructor(private readonly curves: Curve[], private readonly options: ChartOptions) {
    this.element.className = "chart";
    this.cursor.className = options.overTime ? "moment" : "moment dot";
    this.rubber.className = "rubber";
    this.rubber.hidden = true;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${curves.map(({ name }) => name).join(", ")} against ${options.xName}`);
    this.element.append(this.canvas, this.cursor, this.rubber);
    this.element.style.height = `${options.height}px`;
    this.xRange = options.overTime ? rangeOf([options.times]) : widened(rangeOf(curves.map(({ x }) => x)), 0.04);
    this.yRange = widened(rangeOf(curves.map(({ y }) => y)), 0.06);
    this.listen();
  }

  private get size(): { width: number; height: number } {
    return { width: Math.max(this.element.clientWidth, 120), height: this.options.height };
  }

  private get x(): Range {
    return this.zoomX ?? this.xRange;
  }

  private get y(): Range {
    return this.zoomY ?? this.yRange;
  }

  private toX(value: number, width: number): number {
    return inside.left + ((value - this.x[0]) / (this.x[1] - this.x[0])) * (width - inside.left - inside.right);
  }

  private toY(value: number, height: number): number {
    return height - inside.bottom - ((value - this.y[0]) / (this.y[1] - this.y[0])) * (height - inside.top - inside.bottom);
  }

  private valueX(pixel: number): number {
    const { width } = this.size;
    return this.x[0] + ((pixel - inside.left) / (width - inside.left - inside.right)) * (this.x[1] - this.x[0]);
  }

  private valueY(pixel: number): number {
    const { height } = this.size;
    return this.y[0] + ((height - inside.bottom - pixel) / (height - inside.top - inside.bottom)) * (this.y[1] - this.y[0]);
  }

  // ---- The pointer.

  // The row nearest to a place of the chart.
  private nearest(x: number, y: number): number | undefined {
    const { times, overTime } = this.options;
    const { width, height } = this.size;
    if (times.length === 0) return undefined;
    if (overTime) {
      const t = this.valueX(x);
      let [low, high] = [0, times.length - 1];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle]! <= t) low = middle;
        else high = middle;
      }
      return t - times[low]! < times[high]! - t ? low : high;
    }
    let [best, found] = [Infinity, -1];
    for (const curve of this.curves)
      for (let i = 0; i < curve.x.length; i++) {
        const far = Math.hypot(this.toX(curve.x[i]!, width) - x, this.toY(curve.y[i]!, height) - y);
        if (far < best) [best, found] = [far, i];
      }
    return best < 40 ? found : undefined;
  }

  private listen(): void {
    const { element, options } = this;
    const at = (event: PointerEvent | WheelEvent) => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.from = at(event);
    });
    element.addEventListener("pointermove", (event) => {
      const { x, y } = at(event);
      const dragged = this.from && event.buttons & 1 && Math.hypot(x - this.from.x, y - this.from.y) > 8;
      this.rubber.hidden = !dragged;
      if (dragged) {
        const tall = options.overTime ? options.height - inside.top - inside.bottom : Math.abs(y - this.from!.y);
        this.rubber.style.left = `${Math.min(x, this.from!.x)}px`;
        this.rubber.style.width = `${Math.abs(x - this.from!.x)}px`;
        this.rubber.style.top = `${options.overTime ? inside.top : Math.min(y, this.from!.y)}px`;
        this.rubber.style.height = `${tall}px`;
      }
      options.hover(this.nearest(x, y), event.clientX, event.clientY);
    });
    element.addEventListener("pointerleave", () => options.hover(undefined, 0, 0));
    element.addEventListener("pointerup", (event) => {
      const { x, y } = at(event);
      const { from } = this;
      this.from = undefined;
      this.rubber.hidden = true;
      if (!from) return;
      if (Math.hypot(x - from.x, y - from.y) <= 8) {
        const index = this.nearest(x, y);
        if (index !== undefined) options.seek(options.overTime ? this.valueX(x) : options.times[index]!);
      } else if (options.overTime) options.zoomed(ordered(this.valueX(from.x), this.valueX(x)));
      else {
        this.zoomX = ordered(this.valueX(from.x), this.valueX(x));
        this.zoomY = ordered(this.valueY(from.y), this.valueY(y));
        this.draw();
      }
    });
    element.addEventListener("dblclick", () => (options.overTime ? options.zoomed(undefined) : this.magnify(undefined)));
  }

  // A part of the horizontal axis; the vertical one fits what is seen of the curves.
  magnify(range: Range | undefined): void {
    if (range && !(range[1] - range[0] > 1e-9 * (this.xRange[1] - this.xRange[0]))) return;
    this.zoomX = range;
    this.zoomY = undefined;
    if (range && this.options.overTime) {
      const parts = this.curves.map(({ x, y }) => y.filter((_, i) => x[i]! >= range[0] && x[i]! <= range[1]));
      this.zoomY = parts.some((part) => part.length > 1) ? widened(rangeOf(parts), 0.06) : undefined;
    }
    this.draw();
  }

  // Closer by a factor, about the middle.
  zoom(factor: number): Range {
    const middle = (this.x[0] + this.x[1]) / 2;
    const half = ((this.x[1] - this.x[0]) / 2) * factor;
    const range: Range = [Math.max(middle - half, this.xRange[0]), Math.min(middle + half, this.xRange[1])];
    if (!this.options.overTime) {
      const tall = ((this.y[1] - this.y[0]) / 2) * factor;
      const centre = (this.y[0] + this.y[1]) / 2;
      this.zoomY = [centre - tall, centre + tall];
      this.zoomX = range;
      this.draw();
    }
    return range;
  }

  // ---- Drawing.

  paint(pen: Pen): void {
    const { width, height } = this.size;
    const { curves, options } = this;
    const [text, line, event] = [style("--text"), style("--line"), style("--event")];
    const [right, bottom] = [width - inside.right, height - inside.bottom];
    const [xs, ys] = [ticks(this.x, width / 90), ticks(this.y, height / 45)];
    const [xTexts, yTexts] = [tickTexts(xs), tickTexts(ys)];
    xs.forEach((value, i) => {
      const x = this.toX(value, width);
      pen.path([x, inside.top, x, bottom], line, 1);
      pen.text(x, bottom + 11, xTexts[i]!, "center", text);
    });
    ys.forEach((value, i) => {
      const y = this.toY(value, height);
      pen.path([inside.left, y, right, y], line, 1);
      pen.text(inside.left - 6, y, yTexts[i]!, "right", text);
    });
    pen.text(right, bottom + 25, options.xName, "right", text);
    pen.clip(inside.left, inside.top, right - inside.left, bottom - inside.top, () => {
      if (options.overTime)
        for (const t of options.events) {
          const x = this.toX(t, width);
          pen.path([x, inside.top, x, bottom], event, 1, [3, 4]);
        }
      for (const curve of curves) {
        const points: number[] = new Array<number>(2 * curve.x.length);
        for (let i = 0; i < curve.x.length; i++) {
          points[2 * i] = this.toX(curve.x[i]!, width);
          points[2 * i + 1] = this.toY(curve.y[i]!, height);
        }
        pen.path(points, style(curve.colour), 1.8);
      }
    });
  }

  draw(): void {
    const { width, height } = this.size;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    this.paint(new CanvasPen(context));
    this.show(this.t, this.index);
  }

  show(t: number, index: number): void {
    this.t = t;
    this.index = index;
    const { width, height } = this.size;
    const curve = this.curves[0];
    const x = this.options.overTime ? this.toX(t, width) : this.toX(curve?.x[index] ?? NaN, width);
    const y = this.options.overTime ? inside.top : this.toY(curve?.y[index] ?? NaN, height);
    this.cursor.hidden = !(x >= inside.left - 1 && x <= width - inside.right + 1) || !Number.isFinite(y);
    this.cursor.style.transform = `translate(${x}px, ${y}px)`;
    if (this.options.overTime) this.cursor.style.height = `${height - inside.top - inside.bottom}px`;
  }
}

function ordered(a: number, b: number): Range {
  return a < b ? [a, b] : [b, a];
}
