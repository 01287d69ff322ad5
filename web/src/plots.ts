// Columns against time, with the present moment and the events marked.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { frameAt, shownName, type Data } from "./data";

const most = 8; // curves in one picture

function style(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Plots {
  private chart?: uPlot;
  private chosen: number[];
  private t = 0;

  constructor(
    private readonly data: Data,
    private readonly place: HTMLElement,
    chooser: HTMLElement,
    private readonly table: HTMLTableElement,
    private readonly seek: (t: number) => void,
  ) {
    this.chosen = data.columns.map((_, i) => i).slice(1, 4);
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

  private mark(chart: uPlot, t: number, colour: string, dash: number[]): void {
    const x = chart.valToPos(t, "x", true);
    const { top, height, left, width } = chart.bbox;
    if (x < left || x > left + width) return;
    chart.ctx.save();
    chart.ctx.strokeStyle = colour;
    chart.ctx.setLineDash(dash);
    chart.ctx.lineWidth = 1.5;
    chart.ctx.beginPath();
    chart.ctx.moveTo(x, top);
    chart.ctx.lineTo(x, top + height);
    chart.ctx.stroke();
    chart.ctx.restore();
  }

  draw(): void {
    this.chart?.destroy();
    const text = style("--text");
    const axis = { stroke: text, grid: { stroke: style("--line") }, ticks: { stroke: style("--line") } };
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
        axes: [{ ...axis, label: "t" }, axis],
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
          draw: [
            (chart) => {
              for (const event of this.data.events.slice(0, 500))
                this.mark(chart, event.t, style("--event"), [4, 4]);
              this.mark(chart, this.t, style("--accent"), []);
            },
          ],
        },
      },
      [this.data.values[0]!, ...this.chosen.map((column) => this.data.values[column]!)] as uPlot.AlignedData,
      this.place,
    );
    this.show(this.t);
  }

  private fit(): void {
    const width = this.place.clientWidth;
    if (this.chart && width > 0 && Math.abs(width - this.chart.width) > 1)
      this.chart.setSize({ width, height: 300 });
  }

  show(t: number): void {
    this.t = t;
    this.chart?.redraw(false, false);
    const { frame, part } = frameAt(this.data.values[0]!, t);
    const rows = this.chosen.map((column) => {
      const values = this.data.values[column]!;
      const next = Math.min(frame + 1, values.length - 1);
      const value = values[frame]! + part * (values[next]! - values[frame]!);
      const row = document.createElement("tr");
      const head = document.createElement("th");
      const cell = document.createElement("td");
      head.scope = "row";
      head.textContent = shownName(this.data.columns[column]!);
      cell.textContent = value.toPrecision(8);
      row.append(head, cell);
      return row;
    });
    this.table.tBodies[0]!.replaceChildren(...rows);
  }

  get time(): number {
    return this.t;
  }
}
