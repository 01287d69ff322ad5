// What a chart is drawn with: a canvas, or an SVG file.
export interface Pen {
  path(points: number[], colour: string, width: number, dash?: number[]): void; // x, y, x, y, …; NaN: a gap
  text(x: number, y: number, text: string, align: "left" | "center" | "right", colour: string): void;
  rect(x: number, y: number, width: number, height: number, colour: string): void;
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
}

const font = "12px system-ui, sans-serif";

export class CanvasPen implements Pen {
  constructor(private readonly context: CanvasRenderingContext2D) {}

  path(points: number[], colour: string, width: number, dash: number[] = []): void {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.setLineDash(dash);
    context.beginPath();
    let drawing = false;
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = [points[i]!, points[i + 1]!];
      if (!Number.isFinite(x + y)) drawing = false;
      else if (drawing) context.lineTo(x, y);
      else {
        context.moveTo(x, y);
        drawing = true;
      }
    }
    context.stroke();
  }

  text(x: number, y: number, text: string, align: "left" | "center" | "right", colour: string): void {
    this.context.font = font;
    this.context.textAlign = align;
    this.context.textBaseline = "middle";
    this.context.fillStyle = colour;
    this.context.fillText(text, x, y);
  }

  rect(x: number, y: number, width: number, height: number, colour: string): void {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }
}

const escaped = (text: string) =>
  text.replace(/[<>&"]/g, (mark) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" })[mark]!);
const short = (value: number) => Number(value.toFixed(2)).toString();

export class SvgPen implements Pen {
  private readonly pieces: string[] = [];
  private clips = 0;

  path(points: number[], colour: string, width: number, dash: number[] = []): void {
    let line = "";
    let drawing = false;
    for (let i = 0; i < points.length; i += 2) {
      const [x, y] = [points[i]!, points[i + 1]!];
      if (!Number.isFinite(x + y)) drawing = false;
      else {
        line += `${drawing ? "L" : "M"}${short(x)} ${short(y)}`;
        drawing = true;
      }
    }
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    if (line) this.pieces.push(`<path d="${line}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linejoin="round"${dashes}/>`);
  }

  polygon(points: number[], colour: string, opacity: number): void {
    const list = points.map(short).join(" ");
    const faint = opacity < 1 ? ` opacity="${short(opacity)}"` : "";
    this.pieces.push(`<polygon points="${list}" fill="${colour}" stroke="${colour}" stroke-width="0.4"${faint}/>`);
  }

  text(x: number, y: number, text: string, align: "left" | "center" | "right", colour: string): void {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    this.pieces.push(`<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" dominant-baseline="central" fill="${colour}">${escaped(text)}</text>`);
  }

  rect(x: number, y: number, width: number, height: number, colour: string): void {
    this.pieces.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${colour}"/>`);
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    const name = `clip${++this.clips}`;
    this.pieces.push(`<clipPath id="${name}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${name})">`);
    draw();
    this.pieces.push("</g>");
  }

  group(dy: number, draw: () => void): void {
    this.pieces.push(`<g transform="translate(0 ${short(dy)})">`);
    draw();
    this.pieces.push("</g>");
  }

  whole(width: number, height: number): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"` +
      ` font-family="system-ui, sans-serif" font-size="12">${this.pieces.join("\n")}</svg>\n`
    );
  }
}
