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
  values: Float64Array[]; // of every column
  scene: Float32Array; // frames × width
}

function bytesOf(text: string): ArrayBuffer {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

export function readData(): Data {
  const element = document.getElementById("data");
  if (!element?.textContent) throw new Error("the page holds no data");
  const written = JSON.parse(element.textContent) as Written;
  element.remove();
  return {
    ...written,
    values: written.values.map((text) => new Float64Array(bytesOf(text))),
    scene: new Float32Array(bytesOf(written.scene)),
  };
}

// The frame at or before a time, and how far it is to the next one.
export function frameAt(times: Float64Array, t: number): { frame: number; part: number } {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, times.length - 1);
  const span = times[next]! - times[low]!;
  return { frame: low, part: span > 0 ? Math.min(Math.max((t - times[low]!) / span, 0), 1) : 0 };
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
