// Dry friction: the cone that a reaction may not leave, and whether it sticks or slips.
import * as three from "three";
import { standingOut } from "./colours";
import type { Data, Numbers, Shape } from "./data";
import { pointAlong, read } from "./shapes";

export type Mode = "open" | "sticks" | "slips";
export const modeTints = { open: "", sticks: "#1a8a3c", slips: "#e07000" };

// Between two frames a mode is a mean of both.
export function modeOf(value: number | undefined): Mode {
  return value === undefined || !(value > 0.5) ? "open" : value > 1.5 ? "slips" : "sticks";
}

interface Cone {
  shape: Shape;
  object: three.Mesh;
  ink: three.MeshBasicMaterial;
  mode: Mode;
}

const normal = new three.Vector3();

export class Frictions {
  readonly object = new three.Group();
  readonly cones: Cone[];

  constructor(data: Data) {
    this.cones = data.shapes.filter(({ kind }) => kind === "friction").map((shape) => this.make(shape));
  }

  private make(shape: Shape): Cone {
    const ink = new three.MeshBasicMaterial({ transparent: true, opacity: 0.22, side: three.DoubleSide, depthWrite: false, toneMapped: false });
    // Its tip is where the particles meet.
    const object = new three.Mesh(new three.ConeGeometry(1, 1, 40, 1, true).rotateX(Math.PI).translate(0, 0.5, 0), ink);
    this.object.add(object);
    return { shape, object, ink, mode: "open" };
  }

  of(name: string): Cone | undefined {
    return this.cones.find(({ shape }) => shape.name === name);
  }

  // Laws against a velocity, which have no place.
  get laws(): Cone[] {
    return this.cones.filter(({ shape }) => !shape.side);
  }

  // The force of a law.
  forceOf(cone: Cone, now: Numbers): number {
    return Math.abs(now[cone.shape.from + 8] ?? 0);
  }

  // As long along the normal as the arrow of the normal force: `pixels` of a force.
  update(now: Numbers, pixel: (place: three.Vector3) => number, pixels: (force: number) => number, least: number): void {
    for (const cone of this.cones) {
      const { object, shape, ink } = cone;
      cone.mode = modeOf(now[shape.from + 7]);
      read(object.position, now, shape.from);
      read(normal, now, shape.from + 3);
      const size = normal.length(), coefficient = now[shape.from + 6]!;
      const shown = cone.mode !== "open" && size > least && coefficient > 0 && Number.isFinite(size + coefficient + object.position.length());
      object.visible = shown;
      if (!shown) continue;
      const length = pixels(size) * pixel(object.position);
      pointAlong(object, normal, () => object.scale.set(coefficient * length, length, coefficient * length));
      ink.color.set(standingOut(modeTints[cone.mode]));
    }
  }
}
