// From where the system is seen, so that it fills the picture.
import * as three from "three";
import type { Data, Numbers, Shape } from "./data";
import { extentOf, read } from "./shapes";

export interface Frame {
  // Places that must be seen, and how far things reach around them, turned as they are shown. Where
  // the camera follows, relative to the middle of their instant.
  places: { at: three.Vector3; radius: number }[];
  middle: three.Vector3;
}

const place = new three.Vector3();
const isDrawn = (shape: Shape) => !["force", "gravity", "plane", "ground", "wall", "surface"].includes(shape.kind);

// The middle of what moves, as the model counts; of all where nothing does.
export function middleOf(data: Data, now: Numbers, into: three.Vector3): three.Vector3 {
  const box = new three.Box3();
  for (const moving of [true, false]) {
    for (const shape of data.shapes) {
      if (!isDrawn(shape) || (moving && (shape.from >= data.width || shape.kind === "trace"))) continue;
      if (shape.while !== undefined && !(now[shape.while]! > 0)) continue;
      const { places } = extentOf(shape, now);
      for (const at of places)
        if (Number.isFinite(now[at]! + now[at + 1]! + now[at + 2]!)) box.expandByPoint(read(place, now, at));
    }
    if (!box.isEmpty()) break;
  }
  return box.isEmpty() ? into.set(0, 0, 0) : box.getCenter(into);
}

// The numbers of a frame, with those behind it that do not change.
export function numbersAt(data: Data, frame: number, part: number, now: Numbers): void {
  const { width, scene } = data;
  const next = Math.min(frame + 1, data.frames - 1);
  for (let i = 0; i < width; i++) {
    const a = scene[frame * width + i]!;
    const b = scene[next * width + i]!;
    now[i] = part > 0 ? a + part * (b - a) : a;
  }
}

export function makeFrame(data: Data, turned: three.Quaternion, following: boolean): Frame {
  const now = new Float32Array(data.width + data.still.length);
  now.set(data.still, data.width);
  const frame: Frame = { places: [], middle: new three.Vector3() };
  const middle = new three.Vector3();
  const box = new three.Box3();
  const step = Math.max(1, Math.floor(data.frames / 120));
  const surfaces = data.shapes.filter((shape) => shape.kind === "surface" && shape.mesh !== undefined);
  for (let i = 0; i < data.frames; i += step) {
    numbersAt(data, i, 0, now);
    middleOf(data, now, middle);
    for (const shape of data.shapes) {
      if (!isDrawn(shape) || (following && (shape.kind === "trace" || shape.from >= data.width))) continue;
      const { places, radius } = extentOf(shape, now);
      for (const from of places) {
        const at = read(new three.Vector3(), now, from);
        if (!Number.isFinite(at.x + at.y + at.z)) continue;
        if (following) at.sub(middle);
        at.applyQuaternion(turned);
        const reach = Number.isFinite(radius) ? Math.abs(radius) : 0;
        frame.places.push({ at, radius: reach });
        box.expandByPoint(place.copy(at).addScalar(reach)).expandByPoint(place.copy(at).addScalar(-reach));
      }
    }
  }
  // A surface alone is something to look at, too.
  if (!following)
    for (const shape of surfaces) {
      const { vertices } = data.meshes[shape.mesh!] ?? { vertices: new Float32Array() };
      const skip = 3 * Math.max(1, Math.floor(vertices.length / 900));
      for (let i = 0; i + 2 < vertices.length; i += skip) {
        const at = new three.Vector3().fromArray(vertices, i).applyQuaternion(turned);
        frame.places.push({ at, radius: 0 });
        box.expandByPoint(at);
      }
    }
  if (!box.isEmpty()) box.getCenter(frame.middle);
  return frame;
}

// The system's extent at one instant: the median over the run.
export function sizeOf(data: Data): number {
  const now = new Float32Array(data.width + data.still.length);
  now.set(data.still, data.width);
  const sizes: number[] = [];
  const step = Math.max(1, Math.floor(data.frames / 60));
  for (let i = 0; i < data.frames; i += step) {
    numbersAt(data, i, 0, now);
    const box = new three.Box3();
    for (const shape of data.shapes) {
      if (!isDrawn(shape)) continue;
      const { places, radius } = extentOf(shape, now);
      for (const from of places) {
        read(place, now, from);
        if (!Number.isFinite(place.x + place.y + place.z + radius)) continue;
        box.expandByPoint(place.clone().addScalar(radius)).expandByPoint(place.clone().addScalar(-radius));
      }
    }
    if (!box.isEmpty()) sizes.push(box.getSize(place).length());
  }
  sizes.sort((a, b) => a - b);
  return sizes[sizes.length >> 1] ?? 0;
}
