// What a reader takes away: the picture as PNG and SVG, the motion as WebM and glTF, the numbers.
import * as three from "three";
import { background } from "./colours";
import type { Data } from "./data";
import type { Labels } from "./labels";
import { SvgPen } from "./pens";
import type { Stage } from "./stage";

export function save(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The picture with what is behind it and written over it, at its own size.
function compose(stage: Stage, labels: Labels, into: HTMLCanvasElement): void {
  const { canvas } = stage;
  if (into.width !== canvas.width || into.height !== canvas.height) [into.width, into.height] = [canvas.width, canvas.height];
  const context = into.getContext("2d")!;
  const sky = context.createLinearGradient(0, 0, 0, into.height);
  const [top, bottom] = background();
  sky.addColorStop(0, top!);
  sky.addColorStop(1, bottom!);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = sky;
  context.fillRect(0, 0, into.width, into.height);
  context.drawImage(canvas, 0, 0);
  const ratio = into.width / Math.max(canvas.clientWidth, 1);
  context.scale(ratio, ratio);
  context.font = "600 13px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { text, x, y, colour } of labels.written) {
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }
}

// Drawn and copied in one go: afterwards the browser may clear it.
function drawNow(stage: Stage): void {
  stage.want();
  stage.render();
}

export function picture(stage: Stage, labels: Labels): Promise<Blob | null> {
  const copy = document.createElement("canvas");
  drawNow(stage);
  compose(stage, labels, copy);
  return new Promise((done) => copy.toBlob(done, "image/png"));
}

// ---- A film: it is played once, and each frame is copied.

export class Film {
  private readonly copy = document.createElement("canvas");
  private readonly recorder: MediaRecorder;
  private readonly pieces: Blob[] = [];

  static readonly isPossible = typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");

  constructor(private readonly stage: Stage, private readonly labels: Labels, done: (film: Blob) => void) {
    compose(stage, labels, this.copy);
    const stream = this.copy.captureStream(60);
    this.recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    this.recorder.addEventListener("dataavailable", ({ data }) => this.pieces.push(data));
    this.recorder.addEventListener("stop", () => done(new Blob(this.pieces, { type: "video/webm" })));
    this.recorder.start();
  }

  // After each picture.
  take(): void {
    compose(this.stage, this.labels, this.copy);
  }

  end(): void {
    if (this.recorder.state !== "inactive") this.recorder.stop();
  }
}

// ---- glTF: the solid parts, moving.

export async function gltf(stage: Stage, data: Data): Promise<ArrayBuffer> {
  const { GLTFExporter } = await import("three/examples/jsm/exporters/GLTFExporter.js");
  const root = new three.Group();
  root.name = data.name;
  // z is up here and y there.
  root.quaternion.setFromAxisAngle(new three.Vector3(1, 0, 0), -Math.PI / 2).multiply(stage.root.quaternion);
  const now = new Float32Array(stage.now);
  const samples = Math.min(data.frames, 240);
  const tracks: three.KeyframeTrack[] = [];
  const times = Float32Array.from({ length: samples }, (_, i) => data.times[frameOf(i)]!);
  function frameOf(i: number): number {
    return samples > 1 ? Math.round((i * (data.frames - 1)) / (samples - 1)) : 0;
  }
  // The format knows no ink of lines.
  const ink = (color: string) => new three.MeshBasicMaterial({ color });
  const moving = stage.parts.map((part, i) => {
    const copy = part.object.clone();
    copy.name = `part${i}_${part.shape.kind}`;
    copy.traverse((one) => {
      if (one instanceof three.LineSegments) one.material = ink("#1b1f24");
    });
    root.add(copy);
    return { part, copy, p: [] as number[], q: [] as number[], s: [] as number[] };
  });
  for (let i = 0; i < samples; i++) {
    now.set(data.scene.subarray(frameOf(i) * data.width, (frameOf(i) + 1) * data.width));
    for (const { part, p, q, s } of moving) {
      part.update(now);
      p.push(...part.object.position.toArray());
      q.push(...part.object.quaternion.toArray());
      s.push(...(part.object.visible ? part.object.scale.toArray() : [0, 0, 0]));
    }
  }
  for (const { part } of moving) part.update(stage.now);
  for (const { copy, p, q, s } of moving) {
    if (![...p, ...q, ...s].every(Number.isFinite)) continue;
    tracks.push(new three.VectorKeyframeTrack(`${copy.name}.position`, times as unknown as number[], p));
    tracks.push(new three.QuaternionKeyframeTrack(`${copy.name}.quaternion`, times as unknown as number[], q));
    tracks.push(new three.VectorKeyframeTrack(`${copy.name}.scale`, times as unknown as number[], s));
  }
  for (const trail of stage.trails) {
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(trail.places.slice(), 3));
    root.add(new three.Line(geometry, ink(trail.colour)));
  }
  const animations = samples > 1 ? [new three.AnimationClip("motion", -1, tracks)] : [];
  return (await new GLTFExporter().parseAsync(root, { binary: true, onlyVisible: false, animations })) as ArrayBuffer;
}

// ---- SVG: every face that is seen, the farthest first.

interface Piece {
  depth: number;
  draw: (pen: SvgPen) => void;
}

export function vectorPicture(stage: Stage, labels: Labels): string {
  drawNow(stage);
  const { clientWidth: width, clientHeight: height } = stage.canvas;
  const { camera } = stage;
  camera.updateMatrixWorld();
  stage.root.updateMatrixWorld(true);
  const pieces: Piece[] = [];
  const [a, b, c, side, other, light] = Array.from({ length: 6 }, () => new three.Vector3()) as [
    three.Vector3, three.Vector3, three.Vector3, three.Vector3, three.Vector3, three.Vector3,
  ];
  light.set(-0.4, -0.75, 0.9).normalize();
  const x = (v: three.Vector3) => ((v.x + 1) / 2) * width;
  const y = (v: three.Vector3) => ((1 - v.y) / 2) * height;

  const face = (mesh: three.Mesh) => {
    const places = mesh.geometry.attributes["position"];
    const material = mesh.material as three.MeshStandardMaterial;
    if (!places || !material.color) return;
    const colours = material.vertexColors ? mesh.geometry.attributes["color"] : undefined;
    const index = mesh.geometry.index;
    const count = index ? index.count : places.count;
    const colour = new three.Color();
    const flat = (mesh.material as three.Material).type === "MeshBasicMaterial";
    for (let i = 0; i + 2 < count; i += 3) {
      const [p, q, r] = [0, 1, 2].map((k) => (index ? index.getX(i + k) : i + k)) as [number, number, number];
      a.fromBufferAttribute(places, p).applyMatrix4(mesh.matrixWorld);
      b.fromBufferAttribute(places, q).applyMatrix4(mesh.matrixWorld);
      c.fromBufferAttribute(places, r).applyMatrix4(mesh.matrixWorld);
      side.subVectors(b, a).cross(other.subVectors(c, a)).normalize();
      const lit = flat ? 1 : 0.62 + 0.38 * (material.side === three.DoubleSide ? Math.abs(side.dot(light)) : Math.max(side.dot(light), 0));
      for (const corner of [a, b, c]) corner.project(camera);
      // Seen from behind, or not before the camera.
      const turned = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
      if ((turned <= 0 && material.side !== three.DoubleSide) || [a, b, c].some((corner) => !(Math.abs(corner.z) <= 1))) continue;
      if (Math.max(a.x, b.x, c.x) < -1 || Math.min(a.x, b.x, c.x) > 1 || Math.max(a.y, b.y, c.y) < -1 || Math.min(a.y, b.y, c.y) > 1) continue;
      colour.copy(material.color);
      if (colours) colour.setRGB(colours.getX(p), colours.getY(p), colours.getZ(p));
      const fill = `#${colour.multiplyScalar(lit).getHexString()}`;
      const corners = [x(a), y(a), x(b), y(b), x(c), y(c)];
      const { opacity } = material;
      pieces.push({ depth: (a.z + b.z + c.z) / 3, draw: (pen) => pen.polygon(corners, fill, opacity) });
    }
  };

  for (const part of stage.parts) if (part.object.visible) part.object.traverse((one) => one instanceof three.Mesh && face(one));
  for (const trail of stage.trails) {
    const points: number[] = [];
    let depth = 0;
    for (let i = 0; i <= stage.shownFrame; i++) {
      a.fromArray(trail.places, 3 * i).applyMatrix4(stage.root.matrixWorld).project(camera);
      points.push(x(a), y(a));
      depth = a.z;
    }
    // A piece for each stretch of one colour.
    for (let from = 0, to = 0; to < points.length / 2; to++) {
      const last = to + 1 === points.length / 2;
      if (!last && trail.colourAt(to + 1) === trail.colourAt(from)) continue;
      const [piece, colour] = [points.slice(2 * from, 2 * Math.min(to + 2, points.length / 2)), trail.colourAt(from)];
      pieces.push({ depth, draw: (pen) => pen.path(piece, colour, 2.5) });
      from = to + 1;
    }
  }
  pieces.sort((one, two) => two.depth - one.depth);
  const pen = new SvgPen();
  pen.rect(0, 0, width, height, background()[0]!);
  for (const piece of pieces) piece.draw(pen);
  if (labels.forces)
    for (const arrow of stage.forces.arrows) {
      const [from, to] = [stage.project(arrow.object.position), stage.project(arrow.tip)];
      if (!arrow.object.visible || !from || !to) continue;
      const angle = Math.atan2(to.y - from.y, to.x - from.x);
      const wing = (turn: number) => [to.x - 10 * Math.cos(angle + turn), to.y - 10 * Math.sin(angle + turn)];
      pen.path([from.x, from.y, to.x, to.y], arrow.colour, 3);
      pen.polygon([to.x, to.y, ...wing(0.4), ...wing(-0.4)], arrow.colour, 1);
    }
  for (const { text, x: left, y: top, colour } of labels.written) pen.text(left, top, text, "left", colour);
  return pen.whole(width, height);
}

export function table(data: Data): string {
  const quoted = (name: string) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const lines = [data.columns.map(quoted).join(",")];
  for (let i = 0; i < data.rows; i++) lines.push(data.values.map((column) => column[i]).join(","));
  return `${lines.join("\n")}\n`;
}
