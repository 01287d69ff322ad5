// Words over the picture: labels, names of points, forces with their legend, the scale.
import * as three from "three";
import type { Data } from "./data";
import { shownName, shownNumber } from "./data";
import type { Frictions } from "./friction";
import { read } from "./shapes";
import type { Stage } from "./stage";

interface Label {
  element: HTMLElement;
  place: () => three.Vector3 | undefined;
}

const place = new three.Vector3();

export class Labels {
  names: boolean;
  forces = false;
  private readonly labels: Label[] = [];
  private readonly points: Label[] = [];
  private readonly tips: Label[] = [];
  private readonly taken: { x: number; y: number; wide: number }[] = [];
  private readonly values: { element: HTMLElement; name: string }[] = [];
  private readonly laws: { element: HTMLElement; law: Frictions["laws"][number] }[] = [];

  constructor(private readonly data: Data, private readonly stage: Stage, private readonly over: HTMLElement, private readonly legend: HTMLElement, private readonly scale: HTMLElement) {
    const { shapes } = data;
    for (const shape of shapes) {
      const at = () => (this.isThere(shape.while) ? read(place, stage.now, shape.from) : undefined);
      if (shape.kind === "label") this.labels.push(this.make(shape.text ?? shape.name, "label", at));
      if (shape.kind === "point" && shape.name) this.points.push(this.make(shownName(shape.name), "label name", at));
    }
    this.names = this.points.length <= 4;
    // One label for a condition, at the first of its arrows; the legend has its value.
    const told = new Set<string>();
    for (const arrow of stage.forces.arrows) {
      const { name } = arrow.shape;
      const made = this.make(shownName(name), "label force", () => (this.forces && arrow.object.visible ? arrow.tip : undefined));
      this.tips.push(made);
      if (!told.has(name)) this.values.push(this.entry(name, () => arrow.colour));
      told.add(name);
    }
    for (const law of stage.forces.frictions.laws)
      this.laws.push({ ...this.entry(law.shape.name, () => "transparent"), law });
    this.recolour();
  }

  private isThere(index: number | undefined): boolean {
    return index === undefined || this.stage.now[index]! > 0;
  }

  private make(text: string, kind: string, where: () => three.Vector3 | undefined): Label {
    const element = document.createElement("span");
    element.className = kind;
    element.textContent = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    element.hidden = true;
    this.over.append(element);
    return { element, place: where };
  }

  private readonly swatches: { element: HTMLElement; colour: () => string }[] = [];

  private entry(name: string, colour: () => string): { element: HTMLElement; name: string } {
    const row = document.createElement("li");
    const swatch = document.createElement("span");
    const value = document.createElement("span");
    swatch.className = "swatch";
    value.className = "value";
    row.append(swatch, shownName(name), " ", value);
    this.legend.append(row);
    this.swatches.push({ element: swatch, colour });
    return { element: value, name };
  }

  recolour(): void {
    for (const { element, colour } of this.swatches) element.style.background = colour();
    this.stage.forces.arrows.forEach((arrow, i) => (this.tips[i]!.element.style.color = arrow.colour));
  }

  // Where it does not lie over another one.
  private put(label: Label, shown: boolean): void {
    const at = shown ? label.place() : undefined;
    let spot = at && Number.isFinite(at.x + at.y + at.z) ? this.stage.project(at) : undefined;
    const wide = 8 * (label.element.textContent?.length ?? 0);
    if (spot && this.taken.some(({ x, y, wide: other }) => Math.abs(y - spot!.y) < 15 && spot!.x < x + other && x < spot!.x + wide)) spot = undefined;
    if (spot) this.taken.push({ ...spot, wide });
    label.element.hidden = !spot;
    if (spot) label.element.style.transform = `translate(${(spot.x + 6).toFixed(1)}px, ${(spot.y - 20).toFixed(1)}px)`;
  }

  update(): void {
    const { stage } = this;
    this.taken.length = 0;
    for (const label of this.labels) this.put(label, true);
    for (const label of this.tips) this.put(label, this.forces && this.tips.length <= 12);
    for (const label of this.points) this.put(label, this.names);
    const { frictions } = stage.forces;
    this.legend.hidden = !this.forces || this.values.length + this.laws.length === 0;
    for (const { element, name } of this.values) {
      const acting = stage.forces.arrows.filter((arrow) => arrow.shape.name === name && arrow.object.visible);
      const largest = Math.max(0, ...acting.map((arrow) => arrow.value));
      const mode = frictions.of(name)?.mode ?? "open";
      element.textContent = (largest > 0 ? shownNumber(largest, 4) : "0") + (mode === "open" ? "" : ` ${mode}`);
    }
    for (const { element, law } of this.laws)
      element.textContent = `${shownNumber(frictions.forceOf(law, stage.now), 4)} ${law.mode}`;
    const { length, pixels } = stage.scale;
    const shown = pixels > 8 && pixels < 2000;
    this.scale.hidden = !shown;
    if (!shown) return;
    const bar = this.scale.firstElementChild as HTMLElement;
    bar.style.width = `${pixels.toFixed(1)}px`;
    this.scale.lastElementChild!.textContent = shownNumber(length, 3);
  }

  // What is written over the picture now, for exports.
  get written(): { text: string; x: number; y: number; colour: string }[] {
    const box = this.over.getBoundingClientRect();
    return [...this.over.children]
      .filter((element) => !(element as HTMLElement).hidden)
      .map((element) => {
        const own = element.getBoundingClientRect();
        return { text: element.textContent ?? "", x: own.left - box.left, y: own.top - box.top + own.height / 2, colour: getComputedStyle(element).color };
      });
  }

  get hasNames(): boolean {
    return this.points.length > 0;
  }

  // Whether the page shows forces before it is asked: where they are few.
  get isFew(): boolean {
    return this.values.length + this.laws.length > 0 && this.tips.length <= 6;
  }

  get count(): number {
    return this.data.shapes.length;
  }
}
