// Floors, walls and planes: a grid that fades towards the horizon, or, seen from the edge, a line
// with hatching on the far side.
import * as three from "three";
import { isDark } from "./colours";
import type { Numbers, Shape } from "./data";
import { read, type Surroundings } from "./shapes";

const pitch = 0.3; // of the hatching, in cells of the grid
const zAxis = new three.Vector3(0, 0, 1);
const normal = new three.Vector3();
const place = new three.Vector3();
const turned = new three.Quaternion();

// 1, 2 or 5 times a power of ten, near to a length.
export function niceLength(length: number): number {
  if (!(length > 0) || !Number.isFinite(length)) return 1;
  const power = 10 ** Math.floor(Math.log10(length));
  const part = length / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

const vertexShader = `
varying vec2 place;
uniform float reach;
void main() {
  place = position.xy * reach;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position.xy * reach, 0.0, 1.0);
}`;
const fragmentShader = `
varying vec2 place;
uniform float reach, cell, strength, fill;
uniform vec3 ink, earth;
float lines(float width) {
  vec2 at = place / width;
  vec2 step = max(fwidth(at), vec2(1e-6));
  vec2 near = abs(fract(at - 0.5) - 0.5) / step;
  return (1.0 - min(min(near.x, near.y), 1.0)) * clamp(1.4 - 2.5 * max(step.x, step.y), 0.0, 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.25, 1.0, length(place) / reach);
  float line = max(0.55 * lines(cell), lines(5.0 * cell)) * strength;
  float alpha = max(line, fill) * fade;
  gl_FragColor = vec4(mix(earth, ink, line / max(max(line, fill), 1e-4)), alpha);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly object = new three.Group();
  private readonly grid?: three.ShaderMaterial;
  private readonly inks: { material: three.Material & { color: three.Color }; light: string; dark: string }[] = [];
  private readonly face: three.Object3D;
  private line?: three.Mesh; // seen from the edge
  private strokes?: three.LineSegments;

  constructor(readonly shape: Shape, private readonly room: Surroundings, start: Numbers, reach: number, planar: boolean) {
    read(normal, start, shape.from).normalize();
    const edgeOn = planar && Math.abs(normal.dot(room.normal)) < 0.5;
    if (edgeOn) {
      // A level plane is a floor.
      this.face = this.makeEdge(reach, shape.kind !== "plane" || normal.dot(room.up) > 0.99);
      this.object.add(this.face);
      return;
    }
    this.grid = new three.ShaderMaterial({
      vertexShader, fragmentShader, transparent: true, depthWrite: false, side: three.DoubleSide,
      uniforms: {
        reach: { value: 6 * reach }, cell: { value: 1 }, strength: { value: shape.kind === "plane" ? 0.45 : 0.6 },
        fill: { value: shape.kind === "plane" ? 0.06 : planar ? 0.12 : 0.55 },
        ink: { value: new three.Color() }, earth: { value: new three.Color() },
      },
    });
    this.face = new three.Group();
    const sheet = new three.Mesh(new three.PlaneGeometry(2, 2), this.grid);
    sheet.frustumCulled = false;
    sheet.renderOrder = -2;
    sheet.userData["isGround"] = true;
    this.face.add(sheet);
    if (shape.kind === "ground") {
      const shadow = new three.Mesh(
        new three.PlaneGeometry(12 * reach, 12 * reach),
        new three.ShadowMaterial({ opacity: 0.28, depthWrite: false }),
      );
      shadow.receiveShadow = true;
      shadow.renderOrder = -1;
      shadow.userData["isGround"] = true;
      this.face.add(shadow);
    }
    this.object.add(this.face);
  }

  // In the plane of the picture: the line along x, what it holds back below. The line and the
  // strokes are drawn for cells of length 1.
  private makeEdge(reach: number, filled: boolean): three.Object3D {
    const long = 40 * reach;
    const { size } = this.room;
    const group = new three.Group();
    const add = (geometry: three.BufferGeometry, light: string, dark: string, before: number) => {
      const material = new three.MeshBasicMaterial({ color: light, side: three.DoubleSide });
      this.inks.push({ material, light, dark });
      const mesh = new three.Mesh(geometry, material);
      mesh.position.z = before * size;
      mesh.userData["isGround"] = true;
      group.add(mesh);
      return mesh;
    };
    if (filled) add(new three.PlaneGeometry(2 * long, long).translate(0, -long / 2, 0), "#d9dee5", "#2a323d", 0);
    this.line = add(new three.PlaneGeometry(2 * long, 0.045).translate(0, -0.0225, 0), "#4f5965", "#9aa6b4", 0.001);
    if (!filled) return group;
    // As far as they are looked at.
    const count = 80;
    const strokes = new Float32Array(6 * (2 * count + 1));
    for (let i = -count; i <= count; i++) strokes.set([i * pitch, 0, 0, (i - 0.6) * pitch, -0.6 * pitch, 0], 6 * (i + count));
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(strokes, 3));
    const material = new three.LineBasicMaterial({ color: 0x808b98 });
    this.inks.push({ material, light: "#8b95a1", dark: "#667382" });
    this.strokes = new three.LineSegments(geometry, material);
    this.strokes.position.z = 0.001 * size;
    group.add(this.strokes);
    return group;
  }

  // Around what is looked at (as the model counts), with cells of this length.
  update(now: Numbers, around: three.Vector3, cell: number): void {
    const { shape, room } = this;
    const far = now[shape.from + 3]!;
    read(normal, now, shape.from).normalize();
    this.object.visible = Number.isFinite(far + normal.x) && (shape.while === undefined || now[shape.while]! > 0);
    if (!this.object.visible) return;
    place.copy(around).addScaledVector(normal, far - around.dot(normal));
    if (this.grid) {
      this.grid.uniforms["cell"]!.value = cell;
      this.face.quaternion.setFromUnitVectors(zAxis, normal);
      // Moved by whole cells, so that it stays where it is.
      turned.copy(this.face.quaternion).invert();
      const local = place.clone().applyQuaternion(turned);
      local.x = Math.round(local.x / (5 * cell)) * 5 * cell;
      local.y = Math.round(local.y / (5 * cell)) * 5 * cell;
      this.face.position.copy(local.applyQuaternion(this.face.quaternion));
    } else {
      const along = new three.Vector3().crossVectors(normal, room.normal).normalize();
      this.line!.scale.y = cell;
      this.strokes?.scale.set(cell, cell, 1);
      const step = pitch * cell;
      place.addScaledVector(along, Math.round(place.dot(along) / step) * step - place.dot(along));
      this.face.position.copy(place).addScaledVector(room.normal, -3 * room.size);
      const towards = new three.Vector3().crossVectors(along, normal);
      this.face.quaternion.setFromRotationMatrix(new three.Matrix4().makeBasis(along, normal, towards));
    }
  }

  recolour(): void {
    const dark = isDark();
    for (const ink of this.inks) ink.material.color.set(dark ? ink.dark : ink.light);
    (this.grid?.uniforms["ink"]!.value as three.Color | undefined)?.set(dark ? "#8fa0b3" : "#6f7f90");
    (this.grid?.uniforms["earth"]!.value as three.Color | undefined)?.set(dark ? "#232c37" : "#dfe5ec");
  }
}
