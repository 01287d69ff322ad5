// Reactions as arrows over everything else, in sizes of the screen, and contacts that act.
import * as three from "three";
import { standingOut } from "./colours";
import type { Data, Numbers, Shape } from "./data";
import { Frictions, modeTints } from "./friction";
import { makeArrow, pointAlong, read } from "./shapes";

const tints = ["#d7263d", "#a11fb0", "#0b6e4f", "#b85c00", "#2d5bd1", "#7a4a21"];
const longest = 110; // pixels
const force = new three.Vector3();

interface Arrow {
  shape: Shape;
  object: three.Group;
  set: (length: number) => void;
  mark: three.Mesh<three.BufferGeometry, three.MeshBasicMaterial>; // of a contact that acts
  ink: three.MeshBasicMaterial;
  value: number;
  tip: three.Vector3;
  colour: string;
}

export class Forces {
  readonly object = new three.Group();
  readonly arrows: Arrow[];
  readonly frictions: Frictions;
  readonly scale: number; // the force that is drawn at full length
  private readonly least: number; // what is less is rounding
  private readonly names: string[];

  constructor(data: Data) {
    this.least = 1e-6 * (data.view.force ?? 0);
    const acting = data.shapes.filter((shape) => shape.kind === "force" && this.acts(data, shape));
    this.names = [...new Set(acting.map((shape) => shape.name))];
    this.arrows = acting.map((shape) => this.make(shape));
    this.scale = data.view.usual ?? 1;
    this.frictions = new Frictions(data);
    this.object.add(this.frictions.object);
    this.recolour();
  }

  // At some time of the run: what never does has no line in the legend.
  private acts({ frames, width, scene, still }: Data, { from }: Shape): boolean {
    const size = (at: Numbers, i: number) => Math.hypot(at[i + 3]!, at[i + 4]!, at[i + 5]!);
    if (from >= width) return size(still, from - width) > this.least;
    for (let i = 0; i < frames; i++) if (size(scene, i * width + from) > this.least) return true;
    return false;
  }

  private make(shape: Shape): Arrow {
    const ink = new three.MeshBasicMaterial({ toneMapped: false });
    const { object, set } = makeArrow(2.4, ink);
    const mark = new three.Mesh(new three.TorusGeometry(6, 1.8, 10, 32), new three.MeshBasicMaterial({ toneMapped: false }));
    this.object.add(object, mark);
    return { shape, object, set, mark, ink, value: 0, tip: new three.Vector3(), colour: "" };
  }

  get any(): boolean {
    return this.arrows.length + this.frictions.cones.length > 0;
  }

  // Where each kind of force has one colour.
  recolour(): void {
    for (const arrow of this.arrows) {
      arrow.colour = standingOut(tints[this.names.indexOf(arrow.shape.name) % tints.length]!, 4);
      arrow.ink.color.set(arrow.colour);
    }
  }

  // How large a pixel is at a place, and how the camera is turned, as the model counts.
  update(now: Numbers, pixel: (place: three.Vector3) => number, facing: three.Quaternion): void {
    const pixels = (size: number) => Math.min(size / this.scale, 1.5) * longest;
    this.frictions.update(now, pixel, pixels, this.least);
    for (const arrow of this.arrows) {
      const { object, mark, shape } = arrow;
      const rubs = this.frictions.of(shape.name);
      read(object.position, now, shape.from);
      read(force, now, shape.from + 3);
      arrow.value = force.length();
      const shown = Number.isFinite(arrow.value + object.position.x + object.position.y + object.position.z) && arrow.value > this.least;
      object.visible = shown;
      mark.visible = shown && (shape.side === true || rubs !== undefined);
      if (!shown) continue;
      const unit = pixel(object.position);
      mark.material.color.set(rubs && rubs.mode !== "open" ? standingOut(modeTints[rubs.mode]) : arrow.colour);
      const drawn = Math.max(pixels(arrow.value), 10);
      pointAlong(object, force.normalize(), () => arrow.set(drawn));
      object.scale.setScalar(unit);
      mark.position.copy(object.position);
      mark.quaternion.copy(facing);
      mark.scale.setScalar(unit);
      arrow.tip.copy(object.position).addScaledVector(force, drawn * unit);
    }
  }
}
