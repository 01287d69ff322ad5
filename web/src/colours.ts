// Colours: those of things, which light and dark share, and those of lines, which must be seen on
// what is behind them.
import * as three from "three";
import type { Shape } from "./data";

// Okabe and Ito's, which colour-blind people tell apart, without black.
const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6fd1", "#7f8a96"];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// Behind the picture.
export const backgrounds = { light: ["#ffffff", "#e8eef5"], dark: ["#0f1318", "#1c242e"] };
export const background = () => (isDark() ? backgrounds.dark : backgrounds.light);

export function colourOf(shape: Shape, index: number): string {
  if (shape.colour && /^#[0-9a-f]{6}$/i.test(shape.colour)) return shape.colour;
  return palette[(shape.palette ?? index) % palette.length] ?? palette[0]!;
}

// As WCAG 2 counts it.
export function luminance(colour: string): number {
  const number = parseInt(colour.slice(1), 16);
  const [r, g, b] = [number >> 16, (number >> 8) & 255, number & 255].map((c) => {
    const part = c / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

// The colour, darker or lighter until it stands out from both ends of the background.
const probe = new three.Color();
const tone = { h: 0, s: 0, l: 0 };
export function standingOut(colour: string, least = 3.3): string {
  const behind = background();
  const away = isDark() ? 0.02 : -0.02;
  let found = colour;
  probe.set(colour).getHSL(tone);
  for (let l = tone.l; l >= 0 && l <= 1; l += away) {
    found = `#${probe.setHSL(tone.h, tone.s, l).getHexString()}`;
    if (behind.every((end) => contrast(found, end) >= least)) return found;
  }
  return isDark() ? "#ffffff" : "#000000";
}
