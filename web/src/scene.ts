// The system in three dimensions. Up is against gravity, or along the model's z axis.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Data, Shape } from "./data";

type Numbers = Float32Array;
type Update = (numbers: Numbers) => void;

// Every frame writes into these, so that playing leaves nothing behind to be cleared away.
const [first, second, third] = [new three.Vector3(), new three.Vector3(), new three.Vector3()];
const basis = new three.Matrix4();
const upward = new three.Vector3(0, 1, 0);

const read = (place: three.Vector3, numbers: Numbers, at: number) =>
  place.set(numbers[at]!, numbers[at + 1]!, numbers[at + 2]!);

// Turns something whose x and y axes are these.
function turn(what: three.Object3D, numbers: Numbers, at: number): void {
  read(first, numbers, at).normalize();
  read(second, numbers, at + 3).normalize();
  basis.makeBasis(first, second, third.crossVectors(first, second));
  what.quaternion.setFromRotationMatrix(basis);
}

// Where frames take longer than these milliseconds, the picture becomes coarser, down to this many
// of its pixels for one of the page.
const slow = 40;
const coarsest = 0.5;

function makeRenderer(canvas: HTMLCanvasElement): three.WebGLRenderer | undefined {
  try {
    const renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true });
    // To ask whether a shader is right is to wait for it; the library's are.
    renderer.debug.checkShaderErrors = false;
    return renderer;
  } catch {
    return undefined;
  }
}

export class Scene {
  readonly isDrawn: boolean;
  readonly isUnable: boolean; // there is something to draw, and the browser cannot
  private renderer?: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 1000);
  private controls?: OrbitControls;
  private readonly updates: Update[] = [];
  private readonly arrows: three.ArrowHelper[] = [];
  private readonly root = new three.Group(); // all shapes, turned so that up is up
  private readonly middle = new three.Vector3(); // of the whole motion, as the model counts
  private readonly centre = new three.Vector3(); // and where that is shown
  private readonly followed = new three.Vector3(); // what the camera looks at while it follows
  private following = false;
  private size = 1; // of the whole motion
  private grain = 1; // of the system at the start: how thick what has no size of its own is drawn
  private largestForce = 1;
  private readonly ends: { shape: Shape; from: number }[]; // what has a place; of a line both ends
  private wanted = true;
  private pixels = Math.min(window.devicePixelRatio, 2);
  private pace = 0; // milliseconds between frames, on the average
  private readonly now: Float32Array;

  constructor(
    private readonly data: Data,
    private readonly canvas: HTMLCanvasElement,
    private readonly wake: () => void, // asks for a frame
  ) {
    this.now = new Float32Array(data.width);
    this.ends = data.shapes
      .filter((shape) => !["force", "gravity", "plane"].includes(shape.kind))
      .flatMap((shape) =>
        (shape.kind === "line" ? [0, 3] : [0]).map((more) => ({ shape, from: shape.from + more })),
      );
    const wanted = this.ends.length > 0 && data.frames > 0;
    if (wanted) this.renderer = makeRenderer(canvas);
    this.isDrawn = this.renderer !== undefined;
    this.isUnable = wanted && !this.isDrawn;
    if (!this.isDrawn) return;
    this.stand();
    this.measure();
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.want());
    this.camera.up.set(0, 0, 1);
    const light = new three.DirectionalLight(0xffffff, 2);
    light.position.set(1, -2, 3);
    this.scene.add(this.root, light, new three.HemisphereLight(0xffffff, 0x888899, 1.6));
    data.shapes.forEach((shape, index) => this.add(shape, index));
    new ResizeObserver(() => this.fit()).observe(canvas);
    this.fit();
    this.reset();
  }

  // ---- Sizes.

  // Turns what is drawn so that gravity points down.
  private stand(): void {
    const gravity = this.data.shapes.find((shape) => shape.kind === "gravity");
    const up = new three.Vector3(0, 0, 1);
    if (gravity) read(first, this.data.scene, gravity.from).negate().normalize();
    if (!gravity || !(first.lengthSq() > 0.5)) return;
    // Where it is upside down it is turned about x, so that x stays what it was.
    if (first.dot(up) < -0.999) this.root.quaternion.setFromAxisAngle(new three.Vector3(1, 0, 0), Math.PI);
    else this.root.quaternion.setFromUnitVectors(first, up);
  }

  private measure(): void {
    const { data } = this;
    const box = new three.Box3();
    const place = new three.Vector3();
    const step = Math.max(1, Math.floor(data.frames / 500));
    for (let frame = 0; frame < data.frames; frame += step)
      for (const shape of data.shapes) {
        if (shape.kind === "plane" || shape.kind === "gravity") continue;
        const at = frame * data.width + shape.from;
        place.set(data.scene[at]!, data.scene[at + 1]!, data.scene[at + 2]!);
        if (shape.kind === "force") {
          const force = Math.hypot(data.scene[at + 3]!, data.scene[at + 4]!, data.scene[at + 5]!);
          if (Number.isFinite(force)) this.largestForce = Math.max(this.largestForce, force);
          continue;
        }
        const radius = this.radiusOf(shape, data.scene, at);
        if (![place.x, place.y, place.z, radius].every(Number.isFinite)) continue;
        box.expandByPoint(place.clone().addScalar(radius));
        box.expandByPoint(place.clone().addScalar(-radius));
        if (shape.kind === "line")
          box.expandByPoint(
            place.set(data.scene[at + 3]!, data.scene[at + 4]!, data.scene[at + 5]!),
          );
      }
    if (box.isEmpty()) return;
    box.getCenter(this.middle);
    this.centre.copy(this.middle).applyQuaternion(this.root.quaternion);
    this.size = Math.max(box.getSize(place).length(), 1e-6);
    this.now.set(data.scene.subarray(0, data.width));
    const far = this.middleNow(place);
    this.grain = far > 0 ? Math.min(this.size, Math.max(3 * far, this.size / 20)) : this.size;
  }

  private radiusOf(shape: Shape, numbers: Numbers, at: number): number {
    if (shape.kind === "disc") return numbers[at + 6]!;
    if (shape.kind === "sphere") return numbers[at + 3]!;
    if (shape.kind === "box" || shape.kind === "body")
      return Math.max(numbers[at + 9]!, numbers[at + 10]!, numbers[at + 11]!) / 2;
    return 0;
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.renderer || width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.pixels);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.want();
  }

  private want(): void {
    this.wanted = true;
    this.wake();
  }

  reset(): void {
    if (this.following) this.follow(true);
    else this.look(this.centre, this.size);
  }

  // At a place, so that a thing of this size is seen whole; on a narrow display from further away.
  private look(at: three.Vector3, size: number): void {
    const away = (size * 1.15) / Math.min(1, this.camera.aspect);
    this.camera.near = size / 1000;
    this.camera.far = this.size * 100;
    this.camera.position.copy(at).add(first.set(0.45, -1, 0.5).multiplyScalar(away));
    this.camera.updateProjectionMatrix();
    this.controls?.target.copy(at);
    this.controls?.update();
    this.want();
  }

  // So many milliseconds passed since the frame before, while it plays.
  keepPace(milliseconds: number): void {
    this.pace += 0.1 * (milliseconds - this.pace);
    if (this.pace < slow || this.pixels <= coarsest) return;
    this.pace = 0;
    this.pixels = Math.max(coarsest, 0.7 * this.pixels);
    this.fit();
  }

  // ---- Keys.

  turn(aside: number, up: number): void {
    const from = this.camera.position.clone().sub(this.controls!.target);
    const place = new three.Spherical().setFromVector3(new three.Vector3(from.x, from.z, -from.y));
    place.theta += aside;
    place.phi = Math.min(Math.max(place.phi - up, 0.05), Math.PI - 0.05);
    const next = new three.Vector3().setFromSpherical(place);
    this.camera.position.copy(this.controls!.target).add(new three.Vector3(next.x, -next.z, next.y));
    this.controls!.update();
  }

  zoom(factor: number): void {
    const target = this.controls!.target;
    this.camera.position.sub(target).multiplyScalar(factor).add(target);
    this.controls!.update();
  }

  // ---- Shapes.

  private colour(index: number): three.Color {
    return new three.Color().setHSL((0.58 + index * 0.381966) % 1, 0.55, 0.52);
  }

  private add(shape: Shape, index: number): void {
    const material = new three.MeshLambertMaterial({ color: this.colour(index) });
    const from = shape.from;
    switch (shape.kind) {
      case "line": return this.addLine(from, index);
      case "trace": return this.addTrace(from, index);
      case "mass": return this.addBall(from, this.grain / 40, material);
      case "point": return this.addBall(from, this.grain / 120, material);
      case "sphere": return this.addSphere(from, material);
      case "disc": return this.addDisc(from, material);
      case "box": return this.addBox(from, material);
      case "body": return this.addBody(from, material);
      case "plane": return this.addPlane(from);
      case "force": return this.addForce(from);
    }
  }

  private addLine(from: number, index: number): void {
    const geometry = new three.CylinderGeometry(this.grain / 150, this.grain / 150, 1, 10);
    const rod = new three.Mesh(
      geometry,
      new three.MeshLambertMaterial({ color: this.colour(index) }),
    );
    this.root.add(rod);
    this.updates.push((numbers) => {
      const along = read(second, numbers, from + 3).sub(read(first, numbers, from));
      const length = along.length();
      rod.visible = length > 0;
      rod.position.copy(first).addScaledVector(along, 0.5);
      rod.scale.set(1, Math.max(length, 1e-9), 1);
      rod.quaternion.setFromUnitVectors(upward, along.normalize());
    });
  }

  // The whole path, faint; its end is where the point is.
  private addTrace(from: number, index: number): void {
    const { data } = this;
    const places = new Float32Array(3 * data.frames);
    for (let i = 0; i < data.frames; i++)
      for (let j = 0; j < 3; j++) places[3 * i + j] = data.scene[i * data.width + from + j]!;
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(places, 3));
    const colour = this.colour(index);
    const whole = new three.Line(
      geometry,
      new three.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.35 }),
    );
    whole.frustumCulled = false;
    this.root.add(whole);
    this.addBall(from, this.grain / 120, new three.MeshLambertMaterial({ color: colour }));
  }

  private addBall(from: number, radius: number, material: three.Material): void {
    const ball = new three.Mesh(new three.SphereGeometry(radius, 24, 16), material);
    this.root.add(ball);
    this.updates.push((numbers) => read(ball.position, numbers, from));
  }

  // Marks that turn with it, so that rolling is seen.
  private withMarks(solid: three.Mesh, marks: three.BufferGeometry): three.Group {
    const group = new three.Group();
    const lines = new three.LineSegments(
      marks,
      new three.LineBasicMaterial({ color: 0x222222, transparent: true, opacity: 0.6 }),
    );
    group.add(solid, lines);
    this.root.add(group);
    return group;
  }

  private addSphere(from: number, material: three.Material): void {
    const geometry = new three.SphereGeometry(1, 32, 24);
    const marks = new three.EdgesGeometry(new three.SphereGeometry(1.002, 8, 6), 1);
    const group = this.withMarks(new three.Mesh(geometry, material), marks);
    this.updates.push((numbers) => {
      read(group.position, numbers, from);
      group.scale.setScalar(Math.max(numbers[from + 3]!, 1e-9));
      turn(group, numbers, from + 4);
    });
  }

  private addDisc(from: number, material: three.Material): void {
    const geometry = new three.CylinderGeometry(1, 1, 0.06, 48).rotateX(Math.PI / 2);
    const spokes = new three.BufferGeometry().setFromPoints(
      [0, 1, 2, 3].flatMap((i) => {
        const x = Math.cos((i * Math.PI) / 4);
        const y = Math.sin((i * Math.PI) / 4);
        return [0.035, -0.035].flatMap((z) => [
          new three.Vector3(-x, -y, z),
          new three.Vector3(x, y, z),
        ]);
      }),
    );
    const group = this.withMarks(new three.Mesh(geometry, material), spokes);
    this.updates.push((numbers) => {
      const axis = read(third, numbers, from + 3).normalize();
      read(group.position, numbers, from);
      group.scale.setScalar(Math.max(numbers[from + 6]!, 1e-9));
      // The turning body's axis that lies nearest to the disc's plane.
      const nearer =
        Math.abs(read(first, numbers, from + 7).dot(axis)) <
        Math.abs(read(second, numbers, from + 10).dot(axis));
      const [x, y] = nearer ? [first, second] : [second, first];
      x.addScaledVector(axis, -x.dot(axis)).normalize();
      group.quaternion.setFromRotationMatrix(basis.makeBasis(x, y.crossVectors(axis, x), axis));
    });
  }

  private addBox(from: number, material: three.Material): void {
    const box = new three.Mesh(new three.BoxGeometry(1, 1, 1), material);
    this.root.add(box);
    this.updates.push((numbers) => {
      read(box.position, numbers, from);
      turn(box, numbers, from + 3);
      read(box.scale, numbers, from + 9).max(first.setScalar(1e-9));
    });
  }

  // From its inertia: a flat one with two equal edges is a disc, others are boxes.
  private addBody(from: number, material: three.Material): void {
    const list = Array.from(this.data.scene.subarray(from + 9, from + 12));
    const largest = Math.max(...list, 1e-9);
    const flat = list.findIndex((edge) => edge < 0.05 * largest);
    const others = list.filter((_, i) => i !== flat);
    const round = flat >= 0 && Math.abs(others[0]! - others[1]!) < 0.02 * largest;
    let geometry: three.BufferGeometry;
    if (round) {
      // A thin disc of radius r has edges r·√3.
      const radius = largest / Math.sqrt(3);
      geometry = new three.CylinderGeometry(radius, radius, 0.06 * radius, 48);
      if (flat === 0) geometry.rotateZ(Math.PI / 2);
      if (flat === 2) geometry.rotateX(Math.PI / 2);
    } else {
      const least = 0.03 * largest;
      const [a, b, c] = list.map((edge) => Math.max(edge, least)) as [number, number, number];
      geometry = new three.BoxGeometry(a, b, c);
    }
    const group = this.withMarks(
      new three.Mesh(geometry, material),
      new three.EdgesGeometry(geometry, round ? 5 : 20),
    );
    this.updates.push((numbers) => {
      read(group.position, numbers, from);
      turn(group, numbers, from + 12);
    });
  }

  private addPlane(from: number): void {
    const grid = new three.GridHelper(2 * this.size, 40);
    // As other lines are, so that they share a shader.
    grid.material = new three.LineBasicMaterial({ color: 0x888888, transparent: true, opacity: 0.35 });
    this.root.add(grid);
    this.updates.push((numbers) => {
      const normal = read(first, numbers, from);
      grid.quaternion.setFromUnitVectors(upward, normal);
      grid.position.copy(this.middle).projectOnPlane(normal);
      grid.position.addScaledVector(normal, numbers[from + 3]!);
    });
  }

  private addForce(from: number): void {
    const arrow = new three.ArrowHelper(new three.Vector3(0, 0, 1), undefined, 1, 0xd03030);
    arrow.visible = false;
    this.root.add(arrow);
    this.arrows.push(arrow);
    this.updates.push((numbers) => {
      if (!arrow.visible) return;
      const force = read(first, numbers, from + 3);
      const length = (0.35 * this.grain * force.length()) / this.largestForce;
      read(arrow.position, numbers, from);
      if (length > 1e-6 * this.size) arrow.setDirection(force.normalize());
      arrow.setLength(Math.max(length, 1e-6 * this.size), 0.2 * length + 1e-6, 0.1 * length + 1e-6);
    });
  }

  showForces(shown: boolean): void {
    for (const arrow of this.arrows) arrow.visible = shown;
    for (const update of this.updates) update(this.now);
    this.want();
  }

  get hasForces(): boolean {
    return this.data.shapes.some((shape) => shape.kind === "force");
  }

  // ---- Following: the camera stays as near as the system is large at one time.

  // The middle of what is drawn now, as it is shown, and how far its parts are from it.
  private middleNow(place: three.Vector3): number {
    place.set(0, 0, 0);
    for (const { from } of this.ends) place.add(read(first, this.now, from));
    place.divideScalar(this.ends.length);
    let far = 0;
    for (const { shape, from } of this.ends)
      far = Math.max(
        far,
        read(first, this.now, from).distanceTo(place) + this.radiusOf(shape, this.now, from),
      );
    place.applyQuaternion(this.root.quaternion);
    return far;
  }

  follow(on: boolean): void {
    this.following = on && this.isDrawn;
    if (!this.following) return this.reset();
    this.middleNow(this.followed);
    this.look(this.followed, this.grain);
  }

  private moveAlong(): void {
    this.middleNow(second);
    third.copy(second).sub(this.followed);
    this.followed.copy(second);
    this.camera.position.add(third);
    this.controls!.target.add(third);
    this.controls!.update();
  }

  // ---- A moment.

  show(frame: number, part: number): void {
    if (!this.isDrawn) return;
    const { data, now } = this;
    const next = Math.min(frame + 1, data.frames - 1);
    for (let i = 0; i < data.width; i++) {
      const a = data.scene[frame * data.width + i]!;
      const b = data.scene[next * data.width + i]!;
      now[i] = a + part * (b - a);
    }
    for (const update of this.updates) update(now);
    if (this.following) this.moveAlong();
    this.wanted = true;
  }

  // The numbers that are shown, of a shape.
  numbersOf(shape: number, count: number): number[] {
    const from = this.data.shapes[shape]!.from;
    return Array.from(this.now.subarray(from, from + count));
  }

  render(): void {
    if (!this.renderer || !this.wanted) return;
    this.wanted = false;
    this.renderer.render(this.scene, this.camera);
  }
}
