// The system in three dimensions. World's z axis points up.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Data, Shape } from "./data";

type Numbers = Float32Array;
type Update = (numbers: Numbers) => void;

const point = (numbers: Numbers, at: number) =>
  new three.Vector3(numbers[at], numbers[at + 1], numbers[at + 2]);

// How something is turned whose x and y axes are these.
function turned(numbers: Numbers, at: number): three.Quaternion {
  const x = point(numbers, at).normalize();
  const y = point(numbers, at + 3).normalize();
  const z = new three.Vector3().crossVectors(x, y);
  return new three.Quaternion().setFromRotationMatrix(new three.Matrix4().makeBasis(x, y, z));
}

export class Scene {
  readonly isDrawn: boolean;
  private renderer?: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 1000);
  private controls?: OrbitControls;
  private readonly updates: Update[] = [];
  private readonly arrows: three.ArrowHelper[] = [];
  private readonly centre = new three.Vector3();
  private size = 1;
  private largestForce = 1;
  private wanted = true;
  private readonly now: Float32Array;

  constructor(
    private readonly data: Data,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.now = new Float32Array(data.width);
    const solid = data.shapes.filter((shape) => shape.kind !== "force");
    this.isDrawn = solid.length > 0 && data.frames > 0;
    if (!this.isDrawn) return;
    this.measure();
    this.renderer = new three.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => (this.wanted = true));
    this.camera.up.set(0, 0, 1);
    const light = new three.DirectionalLight(0xffffff, 2);
    light.position.set(1, -2, 3);
    this.scene.add(light, new three.HemisphereLight(0xffffff, 0x888899, 1.6));
    data.shapes.forEach((shape, index) => this.add(shape, index));
    new ResizeObserver(() => this.fit()).observe(canvas);
    this.fit();
    this.reset();
  }

  // ---- Sizes.

  private measure(): void {
    const { data } = this;
    const box = new three.Box3();
    const place = new three.Vector3();
    const step = Math.max(1, Math.floor(data.frames / 500));
    for (let frame = 0; frame < data.frames; frame += step)
      for (const shape of data.shapes) {
        if (shape.kind === "plane") continue;
        const at = frame * data.width + shape.from;
        place.set(data.scene[at]!, data.scene[at + 1]!, data.scene[at + 2]!);
        if (shape.kind === "force") {
          const force = Math.hypot(data.scene[at + 3]!, data.scene[at + 4]!, data.scene[at + 5]!);
          if (Number.isFinite(force)) this.largestForce = Math.max(this.largestForce, force);
          continue;
        }
        const radius = this.radiusOf(shape, at);
        if (![place.x, place.y, place.z, radius].every(Number.isFinite)) continue;
        box.expandByPoint(place.clone().addScalar(radius));
        box.expandByPoint(place.clone().addScalar(-radius));
        if (shape.kind === "line")
          box.expandByPoint(
            place.set(data.scene[at + 3]!, data.scene[at + 4]!, data.scene[at + 5]!),
          );
      }
    if (box.isEmpty()) return;
    box.getCenter(this.centre);
    this.size = Math.max(box.getSize(place).length(), 1e-6);
  }

  private radiusOf(shape: Shape, at: number): number {
    const { scene } = this.data;
    if (shape.kind === "disc") return scene[at + 6]!;
    if (shape.kind === "sphere") return scene[at + 3]!;
    if (shape.kind === "box" || shape.kind === "body")
      return Math.max(scene[at + 9]!, scene[at + 10]!, scene[at + 11]!) / 2;
    return 0;
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!this.renderer || width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.wanted = true;
  }

  reset(): void {
    // On a narrow display from further away.
    const away = (this.size * 1.15) / Math.min(1, this.camera.aspect);
    this.camera.near = this.size / 1000;
    this.camera.far = this.size * 100;
    this.camera.position.copy(this.centre).add(new three.Vector3(0.45, -1, 0.5).multiplyScalar(away));
    this.camera.updateProjectionMatrix();
    this.controls?.target.copy(this.centre);
    this.controls?.update();
    this.wanted = true;
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
    const material = new three.MeshStandardMaterial({ color: this.colour(index), roughness: 0.6 });
    const from = shape.from;
    switch (shape.kind) {
      case "line": return this.addLine(from, index);
      case "trace": return this.addTrace(from, index);
      case "mass": return this.addBall(from, this.size / 40, material);
      case "point": return this.addBall(from, this.size / 120, material);
      case "sphere": return this.addSphere(from, material);
      case "disc": return this.addDisc(from, material);
      case "box": return this.addBox(from, material);
      case "body": return this.addBody(from, material);
      case "plane": return this.addPlane(from);
      case "force": return this.addForce(from);
    }
  }

  private addLine(from: number, index: number): void {
    const geometry = new three.CylinderGeometry(this.size / 250, this.size / 250, 1, 10);
    const rod = new three.Mesh(
      geometry,
      new three.MeshStandardMaterial({ color: this.colour(index) }),
    );
    this.scene.add(rod);
    this.updates.push((numbers) => {
      const a = point(numbers, from);
      const along = point(numbers, from + 3).sub(a);
      const length = along.length();
      rod.visible = length > 0;
      rod.position.copy(a).addScaledVector(along, 0.5);
      rod.scale.set(1, Math.max(length, 1e-9), 1);
      rod.quaternion.setFromUnitVectors(new three.Vector3(0, 1, 0), along.normalize());
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
    this.scene.add(whole);
    this.addBall(from, this.size / 150, new three.MeshStandardMaterial({ color: colour }));
  }

  private addBall(from: number, radius: number, material: three.Material): void {
    const ball = new three.Mesh(new three.SphereGeometry(radius, 24, 16), material);
    this.scene.add(ball);
    this.updates.push((numbers) => ball.position.copy(point(numbers, from)));
  }

  // Marks that turn with it, so that rolling is seen.
  private withMarks(solid: three.Mesh, marks: three.BufferGeometry): three.Group {
    const group = new three.Group();
    const lines = new three.LineSegments(
      marks,
      new three.LineBasicMaterial({ color: 0x222222, transparent: true, opacity: 0.6 }),
    );
    group.add(solid, lines);
    this.scene.add(group);
    return group;
  }

  private addSphere(from: number, material: three.Material): void {
    const geometry = new three.SphereGeometry(1, 32, 24);
    const marks = new three.EdgesGeometry(new three.SphereGeometry(1.002, 8, 6), 1);
    const group = this.withMarks(new three.Mesh(geometry, material), marks);
    this.updates.push((numbers) => {
      group.position.copy(point(numbers, from));
      group.scale.setScalar(Math.max(numbers[from + 3]!, 1e-9));
      group.quaternion.copy(turned(numbers, from + 4));
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
      const axis = point(numbers, from + 3).normalize();
      group.position.copy(point(numbers, from));
      group.scale.setScalar(Math.max(numbers[from + 6]!, 1e-9));
      // The turning body's axis that lies nearest to the disc's plane.
      const first = point(numbers, from + 7);
      const second = point(numbers, from + 10);
      const mark = Math.abs(first.dot(axis)) < Math.abs(second.dot(axis)) ? first : second;
      const x = mark.addScaledVector(axis, -mark.dot(axis)).normalize();
      const y = new three.Vector3().crossVectors(axis, x);
      group.quaternion.setFromRotationMatrix(new three.Matrix4().makeBasis(x, y, axis));
    });
  }

  private addBox(from: number, material: three.Material): void {
    const box = new three.Mesh(new three.BoxGeometry(1, 1, 1), material);
    this.scene.add(box);
    this.updates.push((numbers) => {
      box.position.copy(point(numbers, from));
      box.quaternion.copy(turned(numbers, from + 3));
      box.scale.copy(point(numbers, from + 9)).max(new three.Vector3(1e-9, 1e-9, 1e-9));
    });
  }

  // From its inertia: a flat one with two equal edges is a disc, others are boxes.
  private addBody(from: number, material: three.Material): void {
    const edges = point(this.data.scene.subarray(0, this.data.width), from + 9);
    const list = edges.toArray();
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
      group.position.copy(point(numbers, from));
      group.quaternion.copy(turned(numbers, from + 12));
    });
  }

  private addPlane(from: number): void {
    const grid = new three.GridHelper(2 * this.size, 40, 0x888888, 0x888888);
    const material = grid.material as three.Material;
    material.transparent = true;
    material.opacity = 0.35;
    this.scene.add(grid);
    this.updates.push((numbers) => {
      const normal = point(numbers, from);
      grid.quaternion.setFromUnitVectors(new three.Vector3(0, 1, 0), normal);
      grid.position.copy(this.centre).projectOnPlane(normal);
      grid.position.addScaledVector(normal, numbers[from + 3]!);
    });
  }

  private addForce(from: number): void {
    const arrow = new three.ArrowHelper(new three.Vector3(0, 0, 1), undefined, 1, 0xd03030);
    arrow.visible = false;
    this.scene.add(arrow);
    this.arrows.push(arrow);
    this.updates.push((numbers) => {
      const force = point(numbers, from + 3);
      const length = (0.35 * this.size * force.length()) / this.largestForce;
      arrow.position.copy(point(numbers, from));
      if (length > 1e-6 * this.size) arrow.setDirection(force.normalize());
      arrow.setLength(Math.max(length, 1e-6 * this.size), 0.2 * length + 1e-6, 0.1 * length + 1e-6);
    });
  }

  showForces(shown: boolean): void {
    for (const arrow of this.arrows) arrow.visible = shown;
    this.wanted = true;
  }

  get hasForces(): boolean {
    return this.data.shapes.some((shape) => shape.kind === "force");
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
