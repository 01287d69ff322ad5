// What the program has put into the page.

export type Numbers = Float32Array;

export interface Shape {
  kind: string;
  name: string;
  from: number; // where its numbers begin in a frame; behind its end those that do not change
  guessed?: boolean;
  colour?: string;
  palette?: number;
  opacity?: number;
  width?: number; // of lines, as a multiple of the usual
  while?: number; // drawn where this number is above 0
  count?: number;
  turns?: number;
  text?: string;
  mesh?: number;
  side?: boolean; // of a force: it is that of a one-sided condition; of friction: a condition presses
  mode?: number; // of a path: the number that tells how friction is
}

export interface Mesh {
  vertices: Float32Array;
  triangles?: Uint16Array | Uint32Array;
  segments?: Uint16Array | Uint32Array;
}

export interface View {
  planar: boolean;
  normal: number[]; // towards the viewer
  up: number[];
  box: number[][];
  size: number; // of the system at one instant
  travels: boolean;
  force: number; // the largest of the run
  usual: number; // that is drawn at full length
  spin: number; // how fast something turns at the start, at most
}

export interface RunEvent {
  t: number;
  kind: string;
  constraint: string | null;
  what?: string;
  at?: number[];
}

interface Written {
  columns: string[];
  units?: string[]; // in which columns are shown
  scales?: number[]; // of these
  values: string[];
  rows: number;
  frames: number;
  times: string;
  width: number;
  shapes: Shape[];
  scene: string;
  ranges: string;
  still?: string;
  meshes?: { vertices: string; triangles?: string; segments?: string }[];
  view?: Partial<View>;
  name: string;
  title: string;
  model: string;
  equations: string;
  check: Check | null;
  report: string;
  note: string;
  version: string;
  events: RunEvent[];
}

// What `zwang check --as json` says, as far as the page shows it.
export interface Check {
  degrees_of_freedom?: number;
  holonomic?: boolean | null;
  order?: number | null;
  constraints?: { name: string; kind: string; integrable?: boolean | null }[];
  relations?: unknown[];
  hidden_relations?: number;
  forms?: Record<string, { applies: boolean; reason: string | null; agrees: boolean | null; proof: string | null }>;
  forms_agree?: boolean | null;
  integrals?: { name: string; kind: string; value: string; proof: string }[];
  measure?: unknown;
  jacobi?: { extends: boolean | null; phi: string | null; reason: string | null } | null;
}

export interface Data extends Omit<Written, "values" | "scene" | "ranges" | "times" | "still" | "meshes" | "view"> {
  values: readonly Float64Array[]; // of every column, decoded when it is looked at, in SI units
  shown: readonly Float64Array[]; // the same in the units in which they are shown
  shownNames: string[]; // with these units
  times: Float64Array; // of the frames
  scene: Float32Array; // frames × width
  still: Float32Array;
  meshes: Mesh[];
  view: Partial<View>;
}

// Browsers of the last years do it themselves.
type Base64 = { fromBase64?: (text: string) => Uint8Array };

function bytesOf(text: string): ArrayBuffer {
  const { fromBase64 } = Uint8Array as unknown as Base64;
  if (fromBase64) return fromBase64.call(Uint8Array, text).buffer as ArrayBuffer;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

function lazily<T>(texts: readonly T[], made: (text: T, i: number) => Float64Array): readonly Float64Array[] {
  const columns: Float64Array[] = new Array<Float64Array>(texts.length);
  texts.forEach((text, i) =>
    Object.defineProperty(columns, i, {
      configurable: true,
      enumerable: true,
      get() {
        const value = made(text, i);
        Object.defineProperty(columns, i, { value, enumerable: true });
        return value;
      },
    }),
  );
  return columns;
}

// Each number's second differences, in groups of seven bits, as multiples of a step above a least
// value; −1 where it has none.
function sceneOf({ scene, ranges, frames, width }: Written): Float32Array {
  const bytes = new Uint8Array(bytesOf(scene));
  const range = new Float32Array(bytesOf(ranges));
  const numbers = new Float32Array(frames * width);
  let at = 0;
  for (let j = 0; j < width; j++) {
    const [low, step] = [range[2 * j]!, range[2 * j + 1]!];
    let last = 0, change = 0;
    for (let i = 0; i < frames; i++) {
      numbers[i * width + j] = low;
      if (step === 0) continue; // constant
      let rest = 0, factor = 1, byte = 0;
      do {
        byte = bytes[at++]!;
        rest += (byte & 127) * factor;
        factor *= 128;
      } while (byte & 128);
      change += rest % 2 ? -(rest + 1) / 2 : rest / 2;
      last += change;
      numbers[i * width + j] = last < 0 ? NaN : low + step * last;
    }
  }
  return numbers;
}

export function readData(): Data {
  const element = document.getElementById("data");
  if (!element?.textContent) throw new Error("the page holds no data");
  const written = JSON.parse(element.textContent) as Written;
  element.remove();
  const values = lazily(written.values, (text) => new Float64Array(bytesOf(text)));
  const { units, scales } = written;
  return {
    ...written,
    values,
    shown: lazily(written.columns, (_, i) => (scales && scales[i] !== 1 ? values[i]!.map((value) => value / scales[i]!) : values[i]!)),
    shownNames: written.columns.map((name, i) => shownName(name) + (units?.[i] ? ` [${units[i]}]` : "")),
    times: new Float64Array(bytesOf(written.times)),
    scene: sceneOf(written),
    still: new Float32Array(bytesOf(written.still ?? "")),
    meshes: (written.meshes ?? []).map((mesh) => {
      const vertices = new Float32Array(bytesOf(mesh.vertices));
      const indices = (text?: string) =>
        text === undefined ? undefined : vertices.length / 3 <= 65535 ? new Uint16Array(bytesOf(text)) : new Uint32Array(bytesOf(text));
      return { vertices, triangles: indices(mesh.triangles), segments: indices(mesh.segments) };
    }),
    view: written.view ?? {},
  };
}

// The one at or before a time, and how far it is to the next one; the answer is one object, used
// again and again.
const moment = { frame: 0, part: 0 };

export function frameAt(times: Float64Array, t: number): Readonly<typeof moment> {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, times.length - 1);
  const span = times[next]! - times[low]!;
  moment.frame = Math.max(low, 0);
  moment.part = span > 0 ? Math.min(Math.max((t - times[low]!) / span, 0), 1) : 0;
  return moment;
}

// A column at a time, as it is shown.
export function valueAt(data: Data, column: number, t: number): number {
  const { frame, part } = frameAt(data.values[0]!, t);
  const values = data.shown[column]!;
  const next = Math.min(frame + 1, values.length - 1);
  return part > 0 ? values[frame]! + part * (values[next]! - values[frame]!) : values[frame]!;
}

// theta' as θ′, omega1 as ω₁: names as the program prints them.
const greek: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ",
  iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ",
  tau: "τ", upsilon: "υ", phi: "φ", chi: "χ", psi: "ψ", omega: "ω",
};

export function shownName(name: string): string {
  return name
    .replace(/[a-z]+(?=[0-9']|$|[._[])/g, (word) => greek[word] ?? word)
    .replace(/'/g, "′");
}

// As many digits as a reader wants, and no more.
export function shownNumber(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(digits - 2).replace("e+", "e").replace("-", "−").replace("e-", "e−");
  return Number(value.toPrecision(digits)).toString().replace("-", "−");
}
