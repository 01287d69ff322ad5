// Columns against time, in one chart for each size of number, or against another column.
import { Chart, rangeOf, style } from "./chart";
import { frameAt, shownName, shownNumber, valueAt, type Data } from "./data";
import { SvgPen } from "./pens";

const most = 8; // curves at a time

export class Plots {
  chosen: number[];
  across = 0; // the column of the horizontal axis; 0: the time
  private charts: Chart[] = [];
  private cells: Text[] = [];
  private t = 0;
  private readonly boxes = new Map<number, HTMLInputElement>();
  private readonly tip: HTMLElement;

  constructor(
    private readonly data: Data,
    private readonly place: HTMLElement,
    chooser: HTMLElement,
    private readonly select: HTMLSelectElement,
    private readonly table: HTMLTableElement,
    private readonly seek: (t: number) => void,
    private readonly changed: () => void,
  ) {
    this.chosen = this.first();
    this.tip = document.getElementById("tip")!;
    data.columns.forEach((name, i) => {
      select.append(new Option(shownName(name), String(i)));
      if (i > 0) chooser.append(this.choice(name, i));
    });
    select.addEventListener("change", () => this.choose(this.chosen, Number(select.value)));
    let width = 0;
    new ResizeObserver(() => {
      if (Math.abs(place.clientWidth - width) > 1) this.draw();
      width = place.clientWidth;
    }).observe(place);
    this.build();
  }

  // The first coordinates that change at all.
  private first(): number[] {
    const moving = this.data.columns.map((_, i) => i).slice(1, 9).filter((i) => {
      const [low, high] = rangeOf([this.data.values[i]!]);
      return this.data.values[i]!.some((value) => value !== this.data.values[i]![0]) && high > low;
    });
    return (moving.length ? moving : [1]).filter((i) => i < this.data.columns.length).slice(0, 3);
  }

  private choice(name: string, column: number): HTMLElement {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = this.chosen.includes(column);
    box.addEventListener("change", () => {
      const others = this.chosen.filter((other) => other !== column);
      this.choose(box.checked && others.length < most ? [...others, column] : others, this.across);
    });
    this.boxes.set(column, box);
    label.append(box, " ", shownName(name));
    return label;
  }

  choose(columns: number[], across: number): void {
    this.chosen = columns.filter((i) => i > 0 && i < this.data.columns.length).slice(0, most).sort((a, b) => a - b);
    this.across = across >= 0 && across < this.data.columns.length ? across : 0;
    this.select.value = String(this.across);
    for (const [column, box] of this.boxes) box.checked = this.chosen.includes(column);
    this.build();
    this.changed();
  }

  // Columns of like sizes and one unit share an axis.
  private groups(): number[][] {
    if (this.across > 0) return this.chosen.length ? [this.chosen] : [];
    const groups: { size: number; unit: string | undefined; columns: number[] }[] = [];
    for (const column of this.chosen) {
      const [low, high] = rangeOf([this.data.shown[column]!]);
      const size = Math.max(high - low, 1e-300);
      const unit = this.data.units?.[column];
      const fits = groups.find((group) => Math.abs(Math.log10(size / group.size)) < 1.1 && group.unit === unit);
      if (fits) fits.columns.push(column);
      else groups.push({ size, unit, columns: [column] });
    }
    return groups.slice(0, 4).map(({ columns }) => columns);
  }

  private build(): void {
    const { data, across } = this;
    const groups = this.groups();
    const height = across > 0 || groups.length < 2 ? 300 : groups.length === 2 ? 190 : 150;
    const events = [...new Set(data.events.map(({ t }) => t))].slice(0, 500);
    this.charts = groups.map(
      (columns) =>
        new Chart(
          columns.map((column) => ({
            name: data.shownNames[column]!,
            x: data.shown[across]!,
            y: data.shown[column]!,
            colour: this.colour(column),
          })),
          {
            height, xName: data.shownNames[across]!, times: data.values[0]!, overTime: across === 0, events,
            seek: this.seek,
            hover: (index, x, y) => this.hover(index, x, y),
            zoomed: (range) => this.magnify(range),
          },
        ),
    );
    this.place.replaceChildren(...this.charts.map((chart) => chart.element));
    this.list();
    this.draw();
  }

  private colour(column: number): string {
    return `--curve-${(this.chosen.indexOf(column) % most) + 1}`;
  }

  // One row a chosen column; only its number changes. It is the legend, too.
  private list(): void {
    this.cells = [];
    const rows = this.chosen.map((column) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      const cell = document.createElement("td");
      const swatch = document.createElement("span");
      const number = document.createTextNode("");
      swatch.className = "swatch";
      swatch.style.background = `var(${this.colour(column)})`;
      head.scope = "row";
      head.append(swatch, this.data.shownNames[column]!);
      cell.append(number);
      row.append(head, cell);
      this.cells.push(number);
      return row;
    });
    this.table.tBodies[0]!.replaceChildren(...rows);
  }

  private hover(index: number | undefined, x: number, y: number): void {
    this.tip.hidden = index === undefined;
    if (index === undefined) return;
    const { data } = this;
    const columns = [...new Set([0, this.across, ...this.chosen])];
    this.tip.textContent = columns
      .map((column) => `${data.shownNames[column]!} = ${shownNumber(data.shown[column]![index]!, 7)}`)
      .join("\n");
    this.tip.style.left = `${Math.min(x + 14, window.innerWidth - 180)}px`;
    this.tip.style.top = `${y + 14}px`;
  }

  private magnify(range: [number, number] | undefined): void {
    for (const chart of this.charts) chart.magnify(range);
  }

  zoom(factor: number): void {
    if (factor === 0) return this.magnify(undefined);
    const ranges = this.charts.map((chart) => chart.zoom(factor));
    if (this.across === 0 && ranges[0]) this.magnify(ranges[0]);
  }

  draw(): void {
    for (const chart of this.charts) chart.draw();
    this.show(this.t);
  }

  show(t: number): void {
    this.t = t;
    const { frame, part } = frameAt(this.data.values[0]!, t);
    const index = Math.min(part > 0.5 ? frame + 1 : frame, this.data.rows - 1);
    for (const chart of this.charts) chart.show(t, index);
    this.cells.forEach((cell, i) => {
      cell.data = shownNumber(valueAt(this.data, this.chosen[i]!, t), 8);
    });
  }

  get time(): number {
    return this.t;
  }

  // All charts below each other.
  svg(): string {
    const pen = new SvgPen();
    const width = Math.max(this.place.clientWidth, 120);
    const heights = this.charts.map((chart) => chart.element.clientHeight);
    const total = heights.reduce((sum, height) => sum + height, 24);
    pen.rect(0, 0, width, total, style("--panel"));
    let x = 10;
    for (const column of this.chosen) {
      const name = this.data.shownNames[column]!;
      pen.path([x, 12, x + 14, 12], style(this.colour(column)), 3);
      pen.text(x + 18, 12, name, "left", style("--text"));
      x += 34 + 8 * name.length;
    }
    this.charts.reduce((y, chart, i) => {
      pen.group(y, () => chart.paint(pen));
      return y + heights[i]!;
    }, 24);
    return pen.whole(width, total);
  }
}
