// The system in three dimensions. On the picture z is up, and planar systems face −y.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { background, isDark } from "./colours";
import type { Data, Numbers } from "./data";
import { Forces } from "./forces";
import { makeFrame, middleOf, numbersAt, sizeOf, type Frame } from "./framing";
import { Ground, niceLength } from "./ground";
import { makePart, type Part, type Surroundings } from "./shapes";
import { Trail } from "./trails";

// Where frames take longer than these milliseconds, the picture becomes coarser, down to this many
// of its pixels for one of the page.
const slow = 45;
const coarsest = 0.6;

const directions: Record<string, three.Vector3> = {
  front: new three.Vector3(0, -1, 0),
  side: new three.Vector3(1, 0, 0),
  top: new three.Vector3(0, -1e-4, 1),
};

// Written into again and again, so that playing leaves nothing behind.
const [first, second] = [new three.Vector3(), new three.Vector3()];

function makeRenderer(canvas: HTMLCanvasElement): three.WebGLRenderer | undefined {
  try {
    const renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true });
    // To ask whether a shader is right is to wait for it; the library's are.
    renderer.debug.checkShaderErrors = false;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = three.PCFSoftShadowMap;
    renderer.autoClear = false;
    return renderer;
  } catch {
    return undefined;
  }
}

const finite = (list: number[] | undefined) => list?.length === 3 && list.every(Number.isFinite) && Math.hypot(...list) > 0;

export class Stage {
  readonly isDrawn: boolean;
  readonly isUnable: boolean; // there is something to draw, and the browser cannot
  readonly parts: Part[] = [];
  readonly trails: Trail[] = [];
  readonly forces: Forces;
  readonly root = new three.Group(); // all shapes, turned so that up is up
  readonly now: Numbers;
  readonly planar: boolean;
  readonly travels: boolean;
  camera: three.PerspectiveCamera | three.OrthographicCamera;
  following = false;
  private readonly over = new three.Group(); // what is drawn over all else, turned alike
  private renderer?: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly overlay = new three.Scene();
  private readonly seen = new three.PerspectiveCamera(35, 1, 0.01, 1000);
  private readonly flat = new three.OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private controls?: OrbitControls;
  private readonly grounds: Ground[] = [];
  private readonly light = new three.DirectionalLight(0xffffff, 2.1);
  private readonly lamp = new three.DirectionalLight(0xffffff, 1.1);
  private readonly room: Surroundings;
  private readonly reach: number; // of the whole motion
  private readonly extent: number; // of what is drawn at one instant, which may be a point's
  private frame: Frame = { places: [], middle: new three.Vector3() };
  private readonly middle = new three.Vector3(); // of this instant
  private readonly followed = new three.Vector3(); // what the camera looks at while it follows
  private half = 1; // of the picture's height, orthographic
  private cell = 1;
  private frameNumber = 0;
  private wanted = true;
  private pixels = Math.min(window.devicePixelRatio, 2);
  private pace = 0; // milliseconds between frames, on the average
  private forcesShown = false;

  constructor(
    private readonly data: Data,
    readonly canvas: HTMLCanvasElement,
    private readonly wake: () => void, // asks for a frame
    private readonly moved: () => void, // the camera has been moved by hand
  ) {
    const { view } = data;
    this.now = new Float32Array(data.width + data.still.length);
    this.now.set(data.still, data.width);
    if (data.frames > 0) numbersAt(data, 0, 0, this.now);
    this.planar = view.planar === true && finite(view.normal);
    this.forces = new Forces(data);
    this.extent = sizeOf(data);
    this.room = this.surroundings();
    this.stand();
    const box = view.box?.every(finite3) ? new three.Box3(vector(view.box[0]!), vector(view.box[1]!)) : undefined;
    const whole = makeFrame(data, this.root.quaternion, false);
    const span = box ?? new three.Box3().setFromPoints(whole.places.map(({ at }) => at));
    const found = span.isEmpty() ? 0 : span.getSize(new three.Vector3()).length();
    this.reach = Math.max(found, this.room.size);
    this.travels = view.travels ?? this.reach > 4 * this.room.size;
    this.camera = this.planar ? this.flat : this.seen;
    const wanted = data.frames > 0 && data.shapes.some((shape) => !["force", "gravity"].includes(shape.kind));
    if (wanted) this.renderer = makeRenderer(canvas);
    this.isDrawn = this.renderer !== undefined;
    this.isUnable = wanted && !this.isDrawn;
    this.frame = whole;
    if (!this.isDrawn) return;
    this.build();
    for (const camera of [this.seen, this.flat]) camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.want());
    this.controls.addEventListener("end", () => this.moved());
    // Inside of a surface it would be in the camera's way.
    // A point alone is seen on its whole way.
    this.following = this.travels && this.extent > 0 && !data.shapes.some((shape) => shape.kind === "surface" && !this.planar);
    new ResizeObserver(() => this.fit()).observe(canvas);
    this.fit();
    this.home();
    this.recolour();
  }

  // ---- What stands where.

  private surroundings(): Surroundings {
    const { view, shapes } = this.data;
    const gravity = shapes.find((shape) => shape.kind === "gravity");
    const down = gravity ? Array.from(this.now.subarray(gravity.from, gravity.from + 3)) : [];
    const falls = finite(down);
    const up = finite(view.up) ? vector(view.up!) : falls ? vector(down).negate() : new three.Vector3(0, 0, 1);
    const normal = finite(view.normal) ? vector(view.normal!) : new three.Vector3(0.45, -1, 0.5);
    const size = view.size !== undefined && view.size > 0 && Number.isFinite(view.size) ? view.size : this.extent;
    // What is drawn thin is thin beside the bodies, not beside their way.
    const near = this.extent > 0 ? Math.min(size, 3 * this.extent) : size;
    return { size: near > 0 ? near : 1, up: up.normalize(), normal: normal.normalize(), falls };
  }

  // Turns what is drawn so that up is z, and the normal of a plane −y.
  private stand(): void {
    const { up, normal } = this.room;
    const z = new three.Vector3(0, 0, 1);
    if (this.planar) {
      const right = new three.Vector3().crossVectors(up, normal).normalize();
      const towards = new three.Vector3().crossVectors(right, up);
      // Columns are where the axes go: right to x, towards the viewer to −y, up to z.
      this.root.quaternion.setFromRotationMatrix(new three.Matrix4().makeBasis(right, towards.negate(), up)).invert();
    } else if (up.dot(z) < -0.999) this.root.quaternion.setFromAxisAngle(new three.Vector3(1, 0, 0), Math.PI);
    else this.root.quaternion.setFromUnitVectors(up, z);
    this.over.quaternion.copy(this.root.quaternion);
  }

  private build(): void {
    const { data, room } = this;
    data.shapes.forEach((shape, index) => {
      if (["ground", "plane", "wall"].includes(shape.kind))
        this.grounds.push(new Ground(shape, room, this.now, this.reach, this.planar));
      else if (shape.kind === "trace") this.trails.push(new Trail(shape, index, data, room.size));
      else {
        const part = makePart(shape, index, room, data);
        if (part) this.parts.push(part);
      }
    });
    for (const made of [...this.grounds, ...this.trails, ...this.parts]) this.root.add(made.object);
    this.over.add(this.forces.object);
    this.overlay.add(this.over);
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    this.light.shadow.radius = 4;
    this.scene.add(this.root, this.light, this.light.target, new three.HemisphereLight(0xffffff, 0xb4bcc8, 1.5));
    // From the viewer, so that no side is lost in the dark.
    this.scene.add(this.lamp, this.lamp.target);
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.renderer || width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.pixels);
    this.renderer.setSize(width, height, false);
    this.seen.aspect = width / height;
    this.spread();
    this.want();
  }

  private get aspect(): number {
    return this.canvas.clientWidth > 0 ? this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1) : 1.6;
  }

  // The orthographic camera's field, from its height.
  private spread(): void {
    const { flat, aspect } = this;
    [flat.left, flat.right] = [-this.half * aspect, this.half * aspect];
    [flat.top, flat.bottom] = [this.half, -this.half];
    flat.updateProjectionMatrix();
    this.seen.updateProjectionMatrix();
  }

  want(): void {
    this.wanted = true;
    this.wake();
  }

  recolour(): void {
    for (const made of [...this.grounds, ...this.trails]) made.recolour();
    this.forces.recolour();
    const [top, bottom] = background();
    this.canvas.style.background = `linear-gradient(${top}, ${bottom})`;
    this.light.intensity = isDark() ? 1.8 : 2.1;
    this.want();
  }

  // ---- The camera.

  home(): void {
    const natural = new three.Vector3(0.5, -1, 0.42);
    const { view } = this.data;
    if (this.planar) natural.copy(directions["front"]!);
    else if (finite(view.normal)) natural.copy(this.room.normal).applyQuaternion(this.root.quaternion);
    this.use(this.planar ? this.flat : this.seen);
    this.look(natural);
  }

  from(name: string): void {
    const direction = directions[name];
    if (direction && this.isDrawn) this.look(direction);
  }

  private use(camera: three.PerspectiveCamera | three.OrthographicCamera): void {
    this.camera = camera;
    if (this.controls) this.controls.object = camera;
  }

  // The other kind of camera, from the same direction.
  switchProjection(): void {
    if (!this.isDrawn) return;
    const direction = this.camera.position.clone().sub(this.controls!.target);
    this.use(this.camera === this.flat ? this.seen : this.flat);
    this.look(direction);
  }

  // From a direction, so that everything is seen and fills the picture.
  private look(direction: three.Vector3): void {
    if (!this.isDrawn) return;
    const { following, frame } = this;
    const towards = direction.clone().normalize();
    const right = new three.Vector3().crossVectors(new three.Vector3(0, 0, 1), towards).normalize();
    const up = new three.Vector3().crossVectors(towards, right);
    this.frame = makeFrame(this.data, this.root.quaternion, following);
    const places = this.frame.places.length ? this.frame.places : frame.places;
    const middle = following ? new three.Vector3() : this.frame.middle.clone();
    const least = Math.max(0.4 * this.extent, 0.02 * this.reach, 0.05 * this.room.size);
    // Its bounds to the right and upwards on the picture.
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { at, radius } of places) {
      const [x, y] = [at.dot(right), at.dot(up)];
      [x0, x1] = [Math.min(x0, x - radius), Math.max(x1, x + radius)];
      [y0, y1] = [Math.min(y0, y - radius), Math.max(y1, y + radius)];
    }
    if (!(x1 >= x0)) [x0, x1, y0, y1] = [-1, 1, -1, 1];
    if (!following) {
      middle.addScaledVector(right, (x0 + x1) / 2 - middle.dot(right));
      middle.addScaledVector(up, (y0 + y1) / 2 - middle.dot(up));
    }
    const wide = Math.max(...[x0, x1].map((x) => Math.abs(x - middle.dot(right))), least);
    const high = Math.max(...[y0, y1].map((y) => Math.abs(y - middle.dot(up))), least);
    const margin = following ? 1.45 : 1.18;
    this.half = margin * Math.max(high, wide / this.aspect);
    const tan = Math.tan(((this.seen.fov / 2) * Math.PI) / 180);
    let away = (margin * least) / tan;
    for (const { at, radius } of places) {
      const off = at.clone().sub(middle);
      const side = Math.max((Math.abs(off.dot(right)) + radius) / this.aspect, Math.abs(off.dot(up)) + radius);
      away = Math.max(away, off.dot(towards) + (margin * side) / tan);
    }
    const far = away + 10 * this.reach;
    middleOf(this.data, this.now, this.middle).applyQuaternion(this.root.quaternion);
    if (following) middle.copy(this.middle);
    this.followed.copy(this.middle);
    [this.seen.near, this.seen.far] = [away / 500, far + 100 * this.reach];
    [this.flat.near, this.flat.far] = [-far - 50 * this.reach, far + 50 * this.reach];
    this.flat.zoom = 1;
    this.spread();
    this.camera.position.copy(middle).addScaledVector(towards, away);
    this.controls!.target.copy(middle);
    this.controls!.update();
    this.want();
  }

  // What is needed to look from the same place again: the way from the middle to the camera, what
  // is looked at, and the field's height.
  get place(): number[] {
    if (!this.controls) return [];
    const from = this.camera.position.clone().sub(this.controls.target);
    const half = this.camera === this.flat ? this.half / this.flat.zoom : 0;
    return [...from.toArray(), ...this.controls.target.toArray(), half];
  }

  set place(numbers: number[]) {
    if (!this.controls || numbers.length !== 7 || !numbers.every((number) => Number.isFinite(number) && Math.abs(number) < 1e12)) return;
    const [x, y, z, a, b, c, half] = numbers as [number, number, number, number, number, number, number];
    if (Math.hypot(x, y, z) === 0) return;
    this.use(half > 0 ? this.flat : this.seen);
    if (half > 0) [this.half, this.flat.zoom] = [half, 1];
    this.controls.target.set(a, b, c);
    this.camera.position.set(a + x, b + y, c + z);
    this.spread();
    this.controls.update();
    this.want();
  }

  // So many milliseconds passed since the frame before, while it plays.
  keepPace(milliseconds: number): void {
    this.pace += 0.1 * (milliseconds - this.pace);
    if (this.pace < slow || this.pixels <= coarsest) return;
    this.pace = 0;
    this.pixels = Math.max(coarsest, 0.75 * this.pixels);
    this.fit();
  }

  turn(aside: number, up: number): void {
    if (!this.isDrawn) return;
    const from = this.camera.position.clone().sub(this.controls!.target);
    const place = new three.Spherical().setFromVector3(new three.Vector3(from.x, from.z, -from.y));
    place.theta += aside;
    place.phi = Math.min(Math.max(place.phi - up, 0.02), Math.PI - 0.02);
    const next = new three.Vector3().setFromSpherical(place);
    this.camera.position.copy(this.controls!.target).add(new three.Vector3(next.x, -next.z, next.y));
    this.controls!.update();
    this.moved();
  }

  zoom(factor: number): void {
    if (!this.isDrawn) return;
    const target = this.controls!.target;
    if (this.camera === this.flat) {
      this.flat.zoom /= factor;
      this.flat.updateProjectionMatrix();
      this.want();
    } else this.camera.position.sub(target).multiplyScalar(factor).add(target);
    this.controls!.update();
    this.moved();
  }

  follow(on: boolean): void {
    this.following = on && this.isDrawn;
    if (this.isDrawn) this.look(this.camera.position.clone().sub(this.controls!.target));
  }

  private moveAlong(): void {
    const step = this.middle.clone().sub(this.followed);
    this.followed.copy(this.middle);
    this.camera.position.add(step);
    this.controls!.target.add(step);
    this.controls!.update();
  }

  // ---- Sizes on the picture.

  // A pixel's length at a place of the model.
  readonly pixelAt = (place: three.Vector3): number => {
    const height = Math.max(this.canvas.clientHeight, 1);
    if (this.camera === this.flat) return (2 * this.half) / this.flat.zoom / height;
    const away = first.copy(place).applyQuaternion(this.root.quaternion).sub(this.camera.position);
    const depth = away.dot(this.camera.getWorldDirection(second));
    return (2 * Math.max(depth, this.seen.near) * Math.tan(((this.seen.fov / 2) * Math.PI) / 180)) / height;
  };

  // Where a place of the model is on the picture, in pixels; undefined behind the camera.
  project(place: three.Vector3): { x: number; y: number } | undefined {
    const at = first.copy(place).applyQuaternion(this.root.quaternion).project(this.camera);
    if (!(Math.abs(at.z) <= 1)) return undefined;
    return { x: ((at.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - at.y) / 2) * this.canvas.clientHeight };
  }

  // The length of the grid's cells, and how many pixels it has where the camera looks.
  get scale(): { length: number; pixels: number } {
    const target = this.controls ? this.controls.target.clone() : new three.Vector3();
    const pixel = this.pixelAt(target.applyQuaternion(this.root.quaternion.clone().invert()));
    return { length: this.cell, pixels: this.cell / pixel };
  }

  // ---- A moment.

  showForces(shown: boolean): void {
    this.forcesShown = shown;
    this.want();
  }

  show(frame: number, part: number): void {
    if (!this.isDrawn) return;
    const { data, now } = this;
    numbersAt(data, frame, part, now);
    this.frameNumber = frame;
    for (const made of this.parts) made.update(now);
    for (const trail of this.trails) trail.update(now, frame);
    middleOf(data, now, this.middle).applyQuaternion(this.root.quaternion);
    if (this.following) this.moveAlong();
    this.wanted = true;
  }

  // The numbers that are shown, of a shape.
  numbersOf(shape: number, count: number): number[] {
    const from = this.data.shapes[shape]!.from;
    return Array.from(this.now.subarray(from, from + count));
  }

  get shownFrame(): number {
    return this.frameNumber;
  }

  private prepare(): void {
    const back = this.root.quaternion.clone().invert();
    const target = this.controls!.target;
    const around = target.clone().applyQuaternion(back);
    const height = this.pixelAt(around) * Math.max(this.canvas.clientHeight, 1);
    this.cell = niceLength(height / 7);
    for (const ground of this.grounds) ground.update(this.now, around, this.cell);
    for (const part of this.parts) if (part.object.visible) part.fit?.(this.pixelAt);
    this.over.visible = this.forcesShown;
    if (this.forcesShown) this.forces.update(this.now, this.pixelAt, back.multiply(this.camera.quaternion));
    const reach = Math.max(height, this.room.size);
    this.light.position.copy(target).add(new three.Vector3(-0.5, -0.8, 1.6).multiplyScalar(2 * reach));
    this.light.target.position.copy(target);
    this.lamp.position.copy(this.camera.position);
    this.lamp.target.position.copy(target);
    const shadow = this.light.shadow.camera;
    [shadow.left, shadow.right, shadow.top, shadow.bottom] = [-reach, reach, reach, -reach];
    [shadow.near, shadow.far] = [0.01 * reach, 8 * reach];
    shadow.updateProjectionMatrix();
  }

  // True where something has been drawn.
  render(): boolean {
    if (!this.renderer || !this.wanted) return false;
    this.wanted = false;
    this.prepare();
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    this.renderer.clearDepth();
    if (this.forcesShown) this.renderer.render(this.overlay, this.camera);
    return true;
  }

  // How much of the picture is painted, floors and forces left out; for tests.
  get painted(): number {
    if (!this.renderer) return 0;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [200, 120];
    const shown = this.forcesShown;
    this.forcesShown = false;
    this.prepare();
    for (const ground of this.grounds) ground.object.visible = false;
    this.renderer.clear();
    this.renderer.render(this.scene, this.camera);
    const context = copy.getContext("2d")!;
    context.drawImage(this.canvas, 0, 0, copy.width, copy.height);
    this.forcesShown = shown;
    this.want();
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let i = 3; i < data.length; i += 4) count += data[i]! > 24 ? 1 : 0;
    return count / (copy.width * copy.height);
  }

  // What is under a place of the picture, in pixels.
  pick(x: number, y: number): Part | undefined {
    if (!this.isDrawn) return undefined;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
    const hit = ray.intersectObjects(this.parts.filter((part) => part.object.visible).map((part) => part.object), true)[0];
    if (!hit) return undefined;
    return this.parts.find((part) => {
      let found = false;
      part.object.traverse((one) => (found = found || one === hit.object));
      return found;
    });
  }
}

function vector(list: number[]): three.Vector3 {
  return new three.Vector3(list[0], list[1], list[2]);
}

function finite3(list: number[]): boolean {
  return list.length === 3 && list.every(Number.isFinite);
}
