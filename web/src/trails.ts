// The path of a point: as far as it has gone, and faintly as far as it will go.
import * as three from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { colourOf, standingOut } from "./colours";
import type { Data, Numbers, Shape } from "./data";
import { modeOf, modeTints } from "./friction";
import type { Mode } from "./friction";

export class Trail {
  readonly object = new three.Group();
  readonly places: Float32Array;
  colour = "#000000";
  private readonly gone: Line2;
  private readonly tip: Line2;
  private readonly inks: LineMaterial[] = [];
  private readonly whole: three.LineBasicMaterial;
  private readonly head: three.Mesh<three.BufferGeometry, three.MeshBasicMaterial>;
  private readonly end = new Float32Array(6);
  readonly modes: Mode[] | undefined; // of friction, frame by frame

  constructor(readonly shape: Shape, private readonly index: number, data: Data, size: number) {
    const { frames, width, scene } = data;
    this.places = new Float32Array(3 * frames);
    for (let i = 0; i < frames; i++)
      for (let j = 0; j < 3; j++) {
        const value = shape.from < width ? scene[i * width + shape.from + j]! : data.still[shape.from - width + j]!;
        // Where it has no value it stays.
        this.places[3 * i + j] = Number.isFinite(value) ? value : i > 0 ? this.places[3 * (i - 1) + j]! : 0;
      }
    const { mode } = shape;
    if (mode !== undefined && mode < width && !shape.colour)
      this.modes = Array.from({ length: frames }, (_, i) => modeOf(scene[i * width + mode]));
    this.gone = this.wire(this.places);
    this.tip = this.wire(this.end);
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(this.places, 3));
    this.whole = new three.LineBasicMaterial({ transparent: true, opacity: 0.4 });
    const faint = new three.Line(geometry, this.whole);
    faint.frustumCulled = false;
    faint.userData["isTrail"] = true;
    this.head = new three.Mesh(new three.SphereGeometry(0.008 * size, 16, 12), new three.MeshBasicMaterial());
    this.object.add(faint, this.gone, this.tip, this.head);
    this.recolour();
  }

  private wire(places: Float32Array): Line2 {
    const material = new LineMaterial({ linewidth: 2.5 * (this.shape.width ?? 1) });
    this.inks.push(material);
    const made = new Line2(new LineGeometry(), material);
    if (places.length >= 6) made.geometry.setPositions(places as unknown as number[]);
    made.frustumCulled = false;
    made.userData["isTrail"] = true;
    return made;
  }

  update(now: Numbers, frame: number): void {
    const { from } = this.shape;
    this.gone.visible = frame > 0;
    this.gone.geometry.instanceCount = frame;
    this.end.set(this.places.subarray(3 * frame, 3 * frame + 3));
    this.end.set(now.subarray(from, from + 3), 3);
    const here = Number.isFinite(this.end[3]! + this.end[4]! + this.end[5]!);
    this.tip.visible = this.head.visible = here;
    if (!here) return;
    // In its place: a new one each time would stay on the graphics processor.
    const { data } = this.tip.geometry.attributes["instanceStart"] as three.InterleavedBufferAttribute;
    data.array.set(this.end);
    data.needsUpdate = true;
    this.head.position.fromArray(this.end, 3);
  }

  // The colour at a frame.
  colourAt(frame: number): string {
    const mode = this.modes?.[frame] ?? "open";
    return mode === "open" ? this.colour : standingOut(modeTints[mode]);
  }

  // Where friction acts the path has its colours.
  private paintModes(): void {
    const [gone] = this.inks;
    const tint = new three.Color();
    const { modes } = this;
    if (!modes || !gone || modes.length < 2) return;
    this.gone.geometry.setColors(modes.flatMap((_, i) => tint.set(this.colourAt(i)).toArray()));
    gone.vertexColors = true;
    gone.color.set("#ffffff");
  }

  recolour(): void {
    this.colour = standingOut(colourOf(this.shape, this.index));
    for (const ink of this.inks) ink.color.set(this.colour);
    this.paintModes();
    this.whole.color.set(this.colour);
    this.head.material.color.set(this.colour);
  }
}
