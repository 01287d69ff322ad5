// What the program has put into the page.

export interface Shape {
  kind: string;
  name: string;
  from: number;
}

export interface RunEvent {
  t: number;
  kind: string;
  constraint: string | null;
}

interface Written {
  columns: string[];
  values: string[];
  frames: number;
  width: number;
  shapes: Shape[];
  scene: string;
  still?: string;
  name: string;
  title: string;
  model: string;
  equations: string;
  check: string;
  report: string;
  note: string;
  version: string;
  events: RunEvent[];
}

export interface Data extends Omit<Written, "values" | "scene"> {
  values: readonly Float64Array[]; // of every column, decoded when it is looked at
  scene: Float32Array; // frames × width
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

function lazily(texts: string[]): readonly Float64Array[] {
  const columns: Float64Array[] = new Array<Float64Array>(texts.length);
  texts.forEach((text, i) =>
    Object.defineProperty(columns, i, {
      configurable: true,
      enumerable: true,
      get() {
        const value = new Float64Array(bytesOf(text));
        Object.defineProperty(columns, i, { value, enumerable: true });
        return value;
      },
    }),
  );
  return columns;
}

export function readData(): Data {
  const element = document.getElementById("data");
  if (!element?.textContent) throw new Error("the page holds no data");
  const written = JSON.parse(element.textContent) as Written;
  element.remove();
  // What does not change stands once; here it follows in every frame.
  const still = new Float32Array(bytesOf(written.still ?? ""));
  const moving = new Float32Array(bytesOf(written.scene));
  const width = written.width + still.length;
  const scene = new Float32Array(written.frames * width);
  for (let i = 0; i < written.frames; i++) {
    scene.set(moving.subarray(i * written.width, (i + 1) * written.width), i * width);
    scene.set(still, i * width + written.width);
  }
  return { ...written, values: lazily(written.values), width, scene };
}

// The frame at or before a time, and how far it is to the next one; the answer is one object, used
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
  moment.frame = low;
  moment.part = span > 0 ? Math.min(Math.max((t - times[low]!) / span, 0), 1) : 0;
  return moment;
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
