// Columns against time, with the present moment and the events marked.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { frameAt, shownName, type Data } from "./data";

const most = 8; // curves in one picture

// A colour of the style sheet as it is now, light or dark.
const probe = document.createElement("span");
probe.hidden = true;

function style(name: string): string {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

export class Plots {
  private chart?: uPlot;
  private chosen: number[];
  private t = 0;
  // The present moment: a line over the chart, which moves without drawing the curves again.
  private readonly cursor = document.createElement("div");
  private cells: Text[] = [];

  constructor(
    private readonly data: Data,
    private readonly place: HTMLElement,
    chooser: HTMLElement,
    private readonly table: HTMLTableElement,
    private readonly seek: (t: number) => void,
  ) {
    this.chosen = data.columns.map((_, i) => i).slice(1, 4);
    this.cursor.className = "moment";
    data.columns.forEach((name, i) => {
      if (i > 0) chooser.append(this.choice(name, i));
    });
    new ResizeObserver(() => this.fit()).observe(place);
    this.draw();
  }

  private choice(name: string, column: number): HTMLElement {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = this.chosen.includes(column);
    box.addEventListener("change", () => {
      this.chosen = this.chosen.filter((other) => other !== column);
      if (box.checked && this.chosen.length < most) this.chosen.push(column);
      box.checked = this.chosen.includes(column);
      this.chosen.sort((a, b) => a - b);
      this.draw();
    });
    label.append(box, " ", shownName(name));
    return label;
  }

  private markEvents(chart: uPlot): void {
    const { top, height } = chart.bbox;
    const { ctx } = chart;
    ctx.save();
    ctx.strokeStyle = style("--event");
    ctx.setLineDash([4, 4]);
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    for (const event of this.data.events.slice(0, 500)) {
      const x = chart.valToPos(event.t, "x", true);
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
    }
    ctx.stroke();
    ctx.restore();
  }

  // One row a chosen column; only its number changes.
  private list(): void {
    this.cells = [];
    const rows = this.chosen.map((column) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      const cell = document.createElement("td");
      const number = document.createTextNode("");
      head.scope = "row";
      head.textContent = shownName(this.data.columns[column]!);
      cell.append(number);
      row.append(head, cell);
      this.cells.push(number);
      return row;
    });
    this.table.tBodies[0]!.replaceChildren(...rows);
  }

  draw(): void {
    this.chart?.destroy();
    const text = style("--text");
    const line = { stroke: style("--line"), width: 1 };
    const axis = { stroke: text, grid: line, ticks: line };
    const drag = (chart: uPlot) => {
      const go = (event: PointerEvent) => {
        if (event.buttons & 1) this.seek(chart.posToVal(event.offsetX, "x"));
      };
      chart.over.addEventListener("pointerdown", go);
      chart.over.addEventListener("pointermove", go);
    };
    this.chart = new uPlot(
      {
        width: Math.max(this.place.clientWidth, 100),
        height: 300,
        cursor: { drag: { x: false, y: false } },
        scales: { x: { time: false } },
        axes: [{ ...axis, label: "t", labelSize: 18, size: 34 }, axis],
        legend: { live: false },
        pxAlign: 0,
        series: [
          { label: "t" },
          ...this.chosen.map((column, i) => ({
            label: shownName(this.data.columns[column]!),
            stroke: style(`--curve-${(i % most) + 1}`),
            width: 1.5,
          })),
        ],
        hooks: {
          ready: [drag],
          draw: [(chart) => this.markEvents(chart)],
        },
      },
      [this.data.values[0]!, ...this.chosen.map((column) => this.data.values[column]!)] as uPlot.AlignedData,
      this.place,
    );
    this.chart.over.append(this.cursor);
    this.list();
    this.show(this.t);
  }

  private fit(): void {
    const width = this.place.clientWidth;
    if (!this.chart || width === 0 || Math.abs(width - this.chart.width) <= 1) return;
    this.chart.setSize({ width, height: 300 });
    this.show(this.t);
  }

  show(t: number): void {
    this.t = t;
    if (this.chart) this.cursor.style.transform = `translateX(${this.chart.valToPos(t, "x")}px)`;
    const { frame, part } = frameAt(this.data.values[0]!, t);
    this.cells.forEach((cell, i) => {
      const values = this.data.values[this.chosen[i]!]!;
      const next = Math.min(frame + 1, values.length - 1);
      cell.data = (values[frame]! + part * (values[next]! - values[frame]!)).toPrecision(8);
    });
  }

  get time(): number {
    return this.t;
  }
}
