// A round wire along points that move: springs, strings, curves.
import * as three from "three";

const around = 8;
const [along, side, up, at] = Array.from({ length: 4 }, () => new three.Vector3()) as [
  three.Vector3, three.Vector3, three.Vector3, three.Vector3,
];

export class Tube {
  readonly mesh: three.Mesh;
  readonly points: Float32Array; // its middle line, to be written before update
  private readonly geometry = new three.BufferGeometry();
  private readonly count: number;

  constructor(count: number, private readonly radius: number, material: three.Material) {
    this.count = Math.max(count, 2);
    this.points = new Float32Array(3 * this.count);
    const vertices = this.count * around;
    this.geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(3 * vertices), 3));
    this.geometry.setAttribute("normal", new three.BufferAttribute(new Float32Array(3 * vertices), 3));
    const faces: number[] = [];
    for (let i = 0; i + 1 < this.count; i++)
      for (let j = 0; j < around; j++) {
        const a = i * around + j;
        const b = i * around + ((j + 1) % around);
        faces.push(a, b, a + around, b, b + around, a + around);
      }
    this.geometry.setIndex(faces);
    this.mesh = new three.Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
  }

  update(): void {
    const { points, count, geometry, radius } = this;
    const positions = geometry.attributes["position"]!.array as Float32Array;
    const normals = geometry.attributes["normal"]!.array as Float32Array;
    let whole = true;
    side.set(0, 0, 0);
    for (let i = 0; i < count; i++) {
      const before = 3 * Math.max(i - 1, 0);
      const next = 3 * Math.min(i + 1, count - 1);
      along.set(points[next]! - points[before]!, points[next + 1]! - points[before + 1]!, points[next + 2]! - points[before + 2]!);
      whole = whole && Number.isFinite(along.x + along.y + along.z);
      if (along.lengthSq() > 0) along.normalize();
      // The side is carried along the wire, so that it is not twisted.
      side.addScaledVector(along, -side.dot(along));
      if (!(side.lengthSq() > 1e-12)) {
        side.set(Math.abs(along.x) < 0.9 ? 1 : 0, Math.abs(along.x) < 0.9 ? 0 : 1, 0);
        side.addScaledVector(along, -side.dot(along));
      }
      side.normalize();
      up.crossVectors(along, side);
      for (let j = 0; j < around; j++) {
        const angle = (2 * Math.PI * j) / around;
        at.copy(side).multiplyScalar(Math.cos(angle)).addScaledVector(up, Math.sin(angle));
        at.toArray(normals, 3 * (i * around + j));
        positions[3 * (i * around + j)] = points[3 * i]! + radius * at.x;
        positions[3 * (i * around + j) + 1] = points[3 * i + 1]! + radius * at.y;
        positions[3 * (i * around + j) + 2] = points[3 * i + 2]! + radius * at.z;
      }
    }
    this.mesh.visible = whole;
    geometry.attributes["position"]!.needsUpdate = true;
    geometry.attributes["normal"]!.needsUpdate = true;
  }
}
