// What is drawn of a shape, by its kind, and how it moves with the numbers of a frame.
import * as three from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { colourOf } from "./colours";
import type { Data, Numbers, Shape } from "./data";
import { Tube } from "./tube";

export interface Part {
  shape: Shape;
  object: three.Object3D;
  update: (now: Numbers) => void;
  // So that it is seen from afar: the length of a pixel at a place is given.
  fit?: (pixelAt: (place: three.Vector3) => number) => void;
}

// What all shapes share.
export interface Surroundings {
  size: number; // of the system at one instant
  up: three.Vector3; // as the model counts
  normal: three.Vector3; // towards the viewer
  falls: boolean; // there is gravity
}

// Every frame writes into these, so that playing leaves nothing behind to be cleared away.
const [first, second, third, fourth] = Array.from({ length: 4 }, () => new three.Vector3()) as [
  three.Vector3, three.Vector3, three.Vector3, three.Vector3,
];
const basis = new three.Matrix4();
const yAxis = new three.Vector3(0, 1, 0);
const massRadius = 0.03; // of the largest mass, as a part of the system
const least = 1e-12; // of a scale: a matrix must have an inverse

export const read = (place: three.Vector3, numbers: Numbers, at: number) =>
  place.set(numbers[at]!, numbers[at + 1]!, numbers[at + 2]!);

const isFinite3 = (v: three.Vector3) => Number.isFinite(v.x + v.y + v.z);

// Turns something whose x and y axes are these.
function turn(what: three.Object3D, numbers: Numbers, at: number): void {
  read(first, numbers, at).normalize();
  read(second, numbers, at + 3);
  second.addScaledVector(first, -second.dot(first)).normalize();
  basis.makeBasis(first, second, third.crossVectors(first, second));
  what.quaternion.setFromRotationMatrix(basis);
}

// Turns something whose z axis is the one at `axis`, and whose x axis keeps to one of two that
// turn with the body: the one nearer to its plane.
function turnAbout(what: three.Object3D, numbers: Numbers, axis: number, axes: number): void {
  const z = read(third, numbers, axis).normalize();
  const x = read(first, numbers, axes);
  const y = read(second, numbers, axes + 3);
  const nearer = Math.abs(x.dot(z)) <= Math.abs(y.dot(z)) ? x : y;
  nearer.addScaledVector(z, -nearer.dot(z));
  if (!(nearer.lengthSq() > 1e-8)) nearer.set(z.y, z.z, z.x).addScaledVector(z, -(z.x * z.y + z.y * z.z + z.z * z.x));
  nearer.normalize();
  basis.makeBasis(nearer, fourth.crossVectors(z, nearer), z);
  what.quaternion.setFromRotationMatrix(basis);
}

// ---- Materials and geometries.

function material(shape: Shape, index: number, factor = 1): three.MeshStandardMaterial {
  const opacity = Math.min(Math.max(shape.opacity ?? 1, 0), 1);
  const color = new three.Color(colourOf(shape, index));
  if (factor !== 1) color.multiplyScalar(factor);
  return new three.MeshStandardMaterial({
    color, roughness: 0.55, metalness: 0.05, transparent: opacity < 1, opacity, depthWrite: opacity >= 1,
  });
}

function mesh(geometry: three.BufferGeometry, of: three.Material): three.Mesh {
  const made = new three.Mesh(geometry, of);
  made.castShadow = true;
  made.receiveShadow = true;
  return made;
}

// Stripes from pole to pole, so that turning is seen; the pole is z.
function striped(geometry: three.BufferGeometry, shape: Shape, index: number): three.Mesh {
  const apart = geometry.index ? geometry.toNonIndexed() : geometry;
  const places = apart.attributes["position"]!;
  const colours = new Float32Array(3 * places.count);
  const base = new three.Color(colourOf(shape, index));
  const light = base.clone().lerp(new three.Color("#ffffff"), 0.72);
  for (let face = 0; face < places.count; face += 3) {
    let x = 0, y = 0;
    for (let i = face; i < face + 3; i++) {
      x += places.getX(i);
      y += places.getY(i);
    }
    const stripe = Math.floor(((Math.atan2(y, x) + Math.PI) / (2 * Math.PI)) * 8 + 1e-6);
    const colour = stripe % 2 ? light : base;
    for (let i = face; i < face + 3; i++) colour.toArray(colours, 3 * i);
  }
  apart.setAttribute("color", new three.BufferAttribute(colours, 3));
  const of = material({ ...shape, colour: "#ffffff" }, index);
  of.vertexColors = true;
  return mesh(apart, of);
}

const edgeInk = () => new three.LineBasicMaterial({ color: 0x1b1f24, transparent: true, opacity: 0.55 });

function withEdges(solid: three.Mesh, angle = 20): three.Group {
  const group = new three.Group();
  group.add(solid, new three.LineSegments(new three.EdgesGeometry(solid.geometry, angle), edgeInk()));
  return group;
}

// About z, of radius 1.
function torus(thickness: number): three.BufferGeometry {
  return new three.TorusGeometry(1, thickness, 12, 72);
}

function rod(from: three.Vector3, to: three.Vector3, radius: number): three.BufferGeometry {
  const along = to.clone().sub(from);
  const made = new three.CylinderGeometry(radius, radius, along.length(), 10);
  made.applyQuaternion(new three.Quaternion().setFromUnitVectors(yAxis, along.normalize()));
  const middle = from.clone().add(to).multiplyScalar(0.5);
  return made.translate(middle.x, middle.y, middle.z);
}

function spokes(count: number, radius: number): three.BufferGeometry {
  const zero = new three.Vector3();
  return mergeGeometries(
    Array.from({ length: count }, (_, i) => {
      const angle = (2 * Math.PI * i) / count;
      return rod(zero, new three.Vector3(Math.cos(angle), Math.sin(angle), 0), radius);
    }),
  );
}

// ---- The kinds. Each makes the object and what moves it.

type Maker = (shape: Shape, index: number, room: Surroundings, data: Data) => Omit<Part, "shape">;

function place(object: three.Object3D, from: number): Omit<Part, "shape"> {
  return { object, update: (now) => read(object.position, now, from) };
}

const ball = (radius: number, of: three.Material) => mesh(new three.SphereGeometry(radius, 32, 20), of);

// Between two points.
function stretch(object: three.Object3D, now: Numbers, from: number, thickness: number): void {
  const along = read(second, now, from + 3).sub(read(first, now, from));
  const length = along.length();
  object.visible = length > 0 && Number.isFinite(length);
  if (!object.visible) return;
  object.position.copy(first).addScaledVector(along, 0.5);
  object.scale.set(thickness, length, thickness);
  object.quaternion.setFromUnitVectors(yAxis, along.divideScalar(length));
}

const line: Maker = (shape, index, room) => {
  const radius = 0.011 * room.size * (shape.width ?? 1);
  const object = mesh(new three.CylinderGeometry(1, 1, 1, 16), material(shape, index));
  return {
    object,
    update: (now) => stretch(object, now, shape.from, radius),
    fit: (pixelAt) => (object.scale.x = object.scale.z = Math.max(radius, 1.5 * pixelAt(object.position))),
  };
};

// How deep a wire of a length hangs, as a parabola, between points this far apart.
function sag(apart: number, length: number): number {
  const long = (depth: number) => {
    let sum = 0, x = 0, y = 0;
    for (let i = 1; i <= 16; i++) {
      const u = i / 16;
      const next = 4 * depth * u * (1 - u);
      sum += Math.hypot(apart * u - x, next - y);
      [x, y] = [apart * u, next];
    }
    return sum;
  };
  let low = 0, high = length;
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (long(middle) < length) low = middle;
    else high = middle;
  }
  return low;
}

const string: Maker = (shape, index, room) => {
  const count = 33;
  const of = material(shape, index);
  const taut = of.color.clone();
  const slack = new three.Color("#8a929c");
  const tube = new Tube(count, 0.006 * room.size * (shape.width ?? 1), of);
  const start = new three.Vector3(), end = new three.Vector3(), down = new three.Vector3();
  return {
    object: tube.mesh,
    update: (now) => {
      read(start, now, shape.from);
      read(end, now, shape.from + 3);
      const length = now[shape.from + 6]!;
      const apart = start.distanceTo(end);
      const hangs = apart < length * (1 - 1e-6);
      of.color.copy(hangs ? slack : taut);
      // Without gravity it lies in a bow beside the straight line.
      if (room.falls) down.copy(room.up).negate();
      else down.crossVectors(first.copy(end).sub(start), room.normal).normalize();
      const depth = hangs ? sag(apart, length) : 0;
      for (let i = 0; i < count; i++) {
        const u = i / (count - 1);
        first.lerpVectors(start, end, u).addScaledVector(down, 4 * depth * u * (1 - u));
        first.toArray(tube.points, 3 * i);
      }
      tube.update();
    },
  };
};

const spring: Maker = (shape, index, room) => {
  const turns = Math.min(Math.max(shape.turns ?? 8, 1), 60);
  const straight = 3;
  const count = Math.round(16 * turns) + 2 * straight + 1;
  const tube = new Tube(count, 0.005 * room.size * (shape.width ?? 1), material(shape, index));
  const start = new three.Vector3(), along = new three.Vector3(), x = new three.Vector3(), y = new three.Vector3();
  return {
    object: tube.mesh,
    update: (now) => {
      read(start, now, shape.from);
      read(along, now, shape.from + 3).sub(start);
      const length = along.length();
      const given = now[shape.from + 6]!;
      const radius = given > 0 ? given : 0.035 * room.size;
      along.normalize();
      x.copy(room.normal).addScaledVector(along, -room.normal.dot(along));
      if (!(x.lengthSq() > 1e-6)) x.copy(room.up).addScaledVector(along, -room.up.dot(along));
      x.normalize();
      y.crossVectors(along, x);
      for (let i = 0; i < count; i++) {
        const inside = Math.min(Math.max((i - straight) / (count - 1 - 2 * straight), 0), 1);
        const end = Math.min(i, count - 1 - i);
        const u = end < straight ? (i < straight ? (0.08 * i) / straight : 1 - (0.08 * end) / straight) : 0.08 + 0.84 * inside;
        const angle = 2 * Math.PI * turns * inside;
        const wide = end <= straight ? (radius * Math.max(end - 1, 0)) / straight : radius;
        first.copy(start).addScaledVector(along, length * u);
        first.addScaledVector(y, wide * Math.sin(angle)).addScaledVector(x, wide * Math.cos(angle));
        first.toArray(tube.points, 3 * i);
      }
      tube.update();
    },
  };
};

// A round thing about z in its own axes: centre, axis, radius, [length,] two axes.
function round(object: three.Object3D, from: number, long: boolean): Omit<Part, "shape"> {
  return {
    object,
    update: (now) => {
      const radius = Math.max(Math.abs(now[from + 6]!), least);
      read(object.position, now, from);
      object.scale.set(radius, radius, long ? Math.max(Math.abs(now[from + 7]!), least) : radius);
      turnAbout(object, now, from + 3, from + (long ? 8 : 7));
    },
  };
}

const disc: Maker = (shape, index) => {
  const thick = 0.09;
  const object = withEdges(striped(new three.CylinderGeometry(1, 1, thick, 64).rotateX(Math.PI / 2), shape, index));
  return round(object, shape.from, false);
};

const ring: Maker = (shape, index) => {
  const object = new three.Group();
  const dots = mergeGeometries(
    [0, 1, 2].map((i) => new three.SphereGeometry(0.075, 16, 12).translate(Math.cos((i * Math.PI) / 8), Math.sin((i * Math.PI) / 8), 0)).slice(0, 1),
  );
  object.add(mesh(torus(0.05), material(shape, index)), mesh(dots, material(shape, index, 0.55)));
  return round(object, shape.from, false);
};

const wheel: Maker = (shape, index) => {
  const object = new three.Group();
  const tyre = new three.MeshStandardMaterial({ color: 0x2b3037, roughness: 0.8 });
  const of = material(shape, index);
  object.add(
    mesh(torus(0.055).scale(0.945, 0.945, 0.945), tyre),
    mesh(new three.TorusGeometry(0.87, 0.03, 10, 64), of),
    mesh(spokes(10, 0.014).scale(0.87, 0.87, 0.87), new three.MeshStandardMaterial({ color: 0x9aa4af, roughness: 0.4 })),
    mesh(new three.CylinderGeometry(0.09, 0.09, 0.22, 24).rotateX(Math.PI / 2), of),
    // One mark, by which its turns can be counted.
    mesh(new three.SphereGeometry(0.055, 16, 12).translate(0.72, 0, 0), of),
  );
  return round(object, shape.from, false);
};

const cylinder: Maker = (shape, index) =>
  round(withEdges(striped(new three.CylinderGeometry(1, 1, 1, 48).rotateX(Math.PI / 2), shape, index)), shape.from, true);

const cone: Maker = (shape, index) =>
  round(striped(new three.ConeGeometry(1, 1, 48).rotateX(Math.PI / 2).translate(0, 0, 0.5), shape, index), shape.from, true);

const sphere: Maker = (shape, index) => {
  const object = striped(new three.SphereGeometry(1, 48, 32).rotateX(Math.PI / 2), shape, index);
  return {
    object,
    update: (now) => {
      read(object.position, now, shape.from);
      object.scale.setScalar(Math.max(Math.abs(now[shape.from + 3]!), least));
      turn(object, now, shape.from + 4);
    },
  };
};

// Centre, two axes, three sizes.
function sized(object: three.Object3D, from: number, room: Surroundings): Omit<Part, "shape"> {
  return {
    object,
    update: (now) => {
      read(object.position, now, from);
      turn(object, now, from + 3);
      const thin = 0.006 * room.size;
      read(object.scale, now, from + 9);
      object.scale.set(Math.max(object.scale.x, thin), Math.max(object.scale.y, thin), Math.max(object.scale.z, thin));
    },
  };
}

const box: Maker = (shape, index, room) =>
  sized(withEdges(mesh(new three.BoxGeometry(1, 1, 1), material(shape, index))), shape.from, room);

const ellipsoid: Maker = (shape, index, room) =>
  sized(striped(new three.SphereGeometry(0.5, 48, 32).rotateX(Math.PI / 2), shape, index), shape.from, room);

// Its number is the cube root of its share of the largest mass.
const mass: Maker = (shape, index, room) => {
  const object = ball(1, material(shape, index));
  let radius = 1;
  return {
    object,
    update: (now) => {
      read(object.position, now, shape.from);
      radius = massRadius * room.size * Math.max(now[shape.from + 3]!, 0.1);
      object.scale.setScalar(radius);
    },
    fit: (pixelAt) => object.scale.setScalar(Math.max(radius, 7 * pixelAt(object.position))),
  };
};

const point: Maker = (shape, index, room) => {
  const object = ball(1, material(shape, index));
  const radius = 0.009 * room.size * (shape.width ?? 1);
  return {
    ...place(object, shape.from),
    fit: (pixelAt) => object.scale.setScalar(Math.max(radius, 2.5 * pixelAt(object.position))),
  };
};

const dark = () => new three.MeshStandardMaterial({ color: 0x4a525c, roughness: 0.7 });

// A joint that is fixed to the world stands on a small foot.
const pivot: Maker = (shape, index, room) => {
  const s = 0.03 * room.size;
  const foot = mergeGeometries([
    new three.ConeGeometry(s, 1.5 * s, 4, 1).rotateY(Math.PI / 4).translate(0, -0.85 * s, 0),
    new three.BoxGeometry(2.6 * s, 0.3 * s, 1.4 * s).translate(0, -1.75 * s, 0),
  ]);
  const object = new three.Group();
  object.add(mesh(foot, dark()), ball(0.5 * s, material(shape, index)));
  basis.makeBasis(first.crossVectors(room.up, room.normal).normalize(), room.up, second.crossVectors(first, room.up));
  object.quaternion.setFromRotationMatrix(basis);
  return place(object, shape.from);
};

const joint: Maker = (shape, _, room) => {
  const s = 0.014 * room.size;
  const object = new three.Group();
  object.add(ball(s, dark()), ball(0.62 * s, new three.MeshStandardMaterial({ color: 0xf2f4f7 })).translateZ(0));
  const cap = object.children[1]!;
  cap.position.copy(room.normal).multiplyScalar(0.75 * s);
  return place(object, shape.from);
};

const polygon: Maker = (shape, index) => {
  const count = Math.max(shape.count ?? 3, 3);
  const geometry = new three.BufferGeometry();
  const places = new three.BufferAttribute(new Float32Array(3 * count), 3);
  geometry.setAttribute("position", places);
  const of = material(shape, index);
  of.side = three.DoubleSide;
  of.flatShading = true;
  const object = mesh(geometry, of);
  object.frustumCulled = false;
  let cut = false;
  return {
    object,
    update: (now) => {
      (places.array as Float32Array).set(now.subarray(shape.from, shape.from + 3 * count));
      places.needsUpdate = true;
      if (cut || !Number.isFinite(places.array[0]! + places.array[3 * count - 1]!)) return;
      cut = true;
      geometry.setIndex(triangles(places.array as Float32Array, count));
    },
  };
};

// The triangles of a plane polygon, by its shadow on the coordinate plane that it faces.
function triangles(places: Float32Array, count: number): number[] {
  first.set(0, 0, 0);
  for (let i = 0; i < count; i++) {
    const [a, b] = [3 * i, 3 * ((i + 1) % count)];
    second.set(places[a]!, places[a + 1]!, places[a + 2]!);
    first.add(third.set(places[b]!, places[b + 1]!, places[b + 2]!).cross(second));
  }
  const [x, y, z] = [Math.abs(first.x), Math.abs(first.y), Math.abs(first.z)];
  const axes = x >= y && x >= z ? [1, 2] : y >= z ? [0, 2] : [0, 1];
  const shadow = Array.from({ length: count }, (_, i) =>
    new three.Vector2(places[3 * i + axes[0]!]!, places[3 * i + axes[1]!]!),
  );
  return three.ShapeUtils.triangulateShape(shadow, []).flat();
}

const curve: Maker = (shape, index, room) => {
  const count = Math.max(shape.count ?? 2, 2);
  const tube = new Tube(count, 0.005 * room.size * (shape.width ?? 1), material(shape, index));
  return {
    object: tube.mesh,
    update: (now) => {
      tube.points.set(now.subarray(shape.from, shape.from + 3 * count));
      tube.update();
    },
  };
};

// An arrow along y of length 1 whose head keeps its size.
export function makeArrow(radius: number, of: three.Material): { object: three.Group; set: (length: number) => void } {
  const shaft = mesh(new three.CylinderGeometry(1, 1, 1, 14).translate(0, 0.5, 0), of);
  const head = mesh(new three.ConeGeometry(1, 1, 20).translate(0, -0.5, 0), of);
  const object = new three.Group();
  object.add(shaft, head);
  return {
    object,
    set: (length) => {
      const tip = Math.min(6 * radius, 0.6 * length);
      shaft.scale.set(radius, Math.max(length - tip, least), radius);
      head.position.y = length;
      head.scale.set(0.45 * tip, Math.max(tip, least), 0.45 * tip);
    },
  };
}

export function pointAlong(object: three.Object3D, along: three.Vector3, set: (length: number) => void): void {
  const length = along.length();
  object.visible = length > 0 && Number.isFinite(length);
  if (!object.visible) return;
  set(length);
  object.quaternion.setFromUnitVectors(yAxis, along.divideScalar(length));
}

const arrows: Maker = (shape, index, room) => {
  const { object, set } = makeArrow(0.008 * room.size * (shape.width ?? 1), material(shape, index));
  return {
    object,
    update: (now) => {
      read(object.position, now, shape.from);
      pointAlong(object, read(first, now, shape.from + 3), set);
    },
  };
};

const axes: Maker = (shape, _, room) => {
  const object = new three.Group();
  const arrowsOf = ["#d0342c", "#2b9348", "#1d6fd1"].map((color) => makeArrow(0.006 * room.size, new three.MeshStandardMaterial({ color })));
  arrowsOf.forEach((one) => object.add(one.object));
  const units = [new three.Vector3(1, 0, 0), yAxis, new three.Vector3(0, 0, 1)];
  return {
    object,
    update: (now) => {
      read(object.position, now, shape.from);
      turn(object, now, shape.from + 3);
      arrowsOf.forEach((one, i) => pointAlong(one.object, first.copy(units[i]!).multiplyScalar(now[shape.from + 9]!), one.set));
    },
  };
};

// Triangles, or segments as wires.
function meshGeometry(data: Data, shape: Shape): three.BufferGeometry | undefined {
  const source = shape.mesh === undefined ? undefined : data.meshes[shape.mesh];
  if (!source) return undefined;
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(source.vertices, 3));
  geometry.setIndex(new three.BufferAttribute(source.triangles ?? source.segments ?? new Uint32Array(0), 1));
  if (source.triangles) geometry.computeVertexNormals();
  return geometry;
}

const solid: Maker = (shape, index, _, data) => {
  const geometry = meshGeometry(data, shape) ?? new three.BufferGeometry();
  const of = material(shape, index);
  of.side = three.DoubleSide;
  const object = mesh(geometry, of);
  return {
    object,
    update: (now) => {
      read(object.position, now, shape.from);
      turn(object, now, shape.from + 3);
      object.scale.setScalar(Math.max(now[shape.from + 9]!, least));
    },
  };
};

const surface: Maker = (shape, index, room, data) => {
  const source = shape.mesh === undefined ? undefined : data.meshes[shape.mesh];
  const object = new three.Group();
  if (source?.segments) {
    const of = material({ ...shape, colour: shape.colour ?? "#6b7480" }, index);
    const radius = 0.005 * room.size * (shape.width ?? 1);
    const parts: three.BufferGeometry[] = [];
    for (let i = 0; i + 1 < source.segments.length; i += 2) {
      const [a, b] = [3 * source.segments[i]!, 3 * source.segments[i + 1]!];
      const from = new three.Vector3().fromArray(source.vertices, a);
      const to = new three.Vector3().fromArray(source.vertices, b);
      if (from.distanceToSquared(to) > 0 && isFinite3(from) && isFinite3(to)) parts.push(rod(from, to, radius));
    }
    if (parts.length) object.add(mesh(mergeGeometries(parts), of));
  } else {
    const geometry = meshGeometry(data, shape);
    const of = material({ ...shape, colour: shape.colour ?? "#7d8ea3", opacity: shape.opacity ?? 0.45 }, index);
    of.side = three.DoubleSide;
    of.flatShading = true; // its faces lie in any order
    if (geometry) {
      const made = mesh(geometry, of);
      made.castShadow = false;
      object.add(made);
    }
  }
  return { object, update: () => {} };
};

const makers: Record<string, Maker> = {
  point, mass, pivot, joint, line, string, spring, disc, ring, wheel, cylinder, cone, sphere, box, ellipsoid,
  mesh: solid, polygon, curve, arrow: arrows, axes, surface,
};

// Where a shape's numbers are places that it reaches, and how far it reaches around them.
export function extentOf(shape: Shape, now: Numbers): { places: number[]; radius: number } {
  const { from } = shape;
  switch (shape.kind) {
    case "line": case "spring": case "string": return { places: [from, from + 3], radius: 0 };
    case "disc": case "ring": case "wheel": return { places: [from], radius: now[from + 6]! };
    case "cylinder": return { places: [from], radius: Math.hypot(now[from + 6]!, now[from + 7]! / 2) };
    case "cone": return { places: [from], radius: Math.max(now[from + 6]!, now[from + 7]!) };
    case "sphere": return { places: [from], radius: now[from + 3]! };
    case "box": case "ellipsoid":
      return { places: [from], radius: Math.hypot(now[from + 9]!, now[from + 10]!, now[from + 11]!) / 2 };
    case "polygon": case "curve":
      return { places: Array.from({ length: shape.count ?? 0 }, (_, i) => from + 3 * i), radius: 0 };
    case "point": case "pivot": case "joint": case "trace": case "label": case "mass": case "arrow": case "axes": case "mesh":
      return { places: [from], radius: 0 };
  }
  return { places: [], radius: 0 };
}

export function makePart(shape: Shape, index: number, room: Surroundings, data: Data): Part | undefined {
  const made = makers[shape.kind]?.(shape, index, room, data);
  if (!made) return undefined;
  const moves = made.update;
  return {
    shape,
    object: made.object,
    fit: made.fit,
    update: (now) => {
      const shown = shape.while === undefined || now[shape.while]! > 0;
      made.object.visible = shown;
      if (!shown) return;
      moves(now);
      // Numbers without a value: it is not there.
      if (!isFinite3(made.object.position) || !isFinite3(made.object.scale)) made.object.visible = false;
    },
  };
}
