// Draws lines, shapes and texts on a canvas, or writes them as SVG. A view is drawn by the same code for both.

export interface Style {
  colour: string;
  width?: number;
  dash?: number[];
  opacity?: number;
}

export type Shape = "circle" | "ring" | "square" | "diamond" | "cross" | "triangle" | "bar";

export interface Painter {
  line(x1: number, y1: number, x2: number, y2: number, style: Style): void;
  box(x: number, y: number, width: number, height: number, style: Style): void;
  mark(shape: Shape, x: number, y: number, size: number, style: Style): void;
  text(words: string, x: number, y: number, style: Style, align?: "start" | "middle" | "end"): void;
}

export interface Palette {
  text: string;
  soft: string;
  line: string;
  page: string;
  box: string;
  own: string;
  past: string;
  future: string;
  data: string;
  control: string;
  wait: string;
  move: string;
  fault: string;
}

const FONT_SIZE = 11;

/** Returns the colours of the style sheet, which differ between light and dark pages. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"),
    soft: colour("soft"),
    line: colour("line"),
    page: colour("page"),
    box: colour("box"),
    own: colour("own"),
    past: colour("past"),
    future: colour("future"),
    data: colour("data"),
    control: colour("control"),
    wait: colour("wait"),
    move: colour("move"),
    fault: colour("fault"),
  };
}

/** Returns the context of a canvas of this size, sharp on any screen. */
export function prepared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export class CanvasPainter implements Painter {
  constructor(private readonly context: CanvasRenderingContext2D) {
    context.font = `${FONT_SIZE}px system-ui, sans-serif`;
    context.textBaseline = "middle";
  }

  line(x1: number, y1: number, x2: number, y2: number, style: Style): void {
    const { context } = this;
    this.use(style);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }

  box(x: number, y: number, width: number, height: number, style: Style): void {
    this.use(style);
    this.context.fillRect(x, y, width, height);
  }

  mark(shape: Shape, x: number, y: number, size: number, style: Style): void {
    const { context } = this;
    this.use(style);
    context.beginPath();
    if (shape === "circle" || shape === "ring") {
      context.arc(x, y, size, 0, 2 * Math.PI);
    } else {
      for (const line of outline(shape, x, y, size)) {
        line.forEach(([px, py], index) => (index === 0 ? context.moveTo(px, py) : context.lineTo(px, py)));
      }
    }
    if (isOpen(shape)) context.stroke();
    else context.fill();
  }

  text(words: string, x: number, y: number, style: Style, align: "start" | "middle" | "end" = "start"): void {
    this.use(style);
    this.context.textAlign = align === "middle" ? "center" : align;
    this.context.fillText(words, x, y);
  }

  private use(style: Style): void {
    const { context } = this;
    context.strokeStyle = context.fillStyle = style.colour;
    context.lineWidth = style.width ?? 1;
    context.setLineDash(style.dash ?? []);
    context.globalAlpha = style.opacity ?? 1;
  }
}

export class SvgPainter implements Painter {
  private readonly parts: string[] = [];

  line(x1: number, y1: number, x2: number, y2: number, style: Style): void {
    this.parts.push(`<line x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" y2="${short(y2)}" ${stroke(style)}/>`);
  }

  box(x: number, y: number, width: number, height: number, style: Style): void {
    const size = `width="${short(Math.max(width, 0))}" height="${short(height)}"`;
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" ${size} ${fill(style)}/>`);
  }

  mark(shape: Shape, x: number, y: number, size: number, style: Style): void {
    const paint = isOpen(shape) ? stroke(style) : fill(style);
    if (shape === "circle" || shape === "ring") {
      this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(size)}" ${paint}/>`);
      return;
    }
    const lines = outline(shape, x, y, size).map((line) => `M${line.map(([px, py]) => `${short(px)} ${short(py)}`).join("L")}`);
    this.parts.push(`<path d="${lines.join("")}" ${paint}/>`);
  }

  text(words: string, x: number, y: number, style: Style, align: "start" | "middle" | "end" = "start"): void {
    const place = `x="${short(x)}" y="${short(y)}" dominant-baseline="middle" text-anchor="${align}"`;
    this.parts.push(`<text ${place} ${fill(style)}>${escaped(words)}</text>`);
  }

  /** Returns a picture of two: this one is below the other one, which has this height. */
  below(other: SvgPainter, height: number): SvgPainter {
    const both = new SvgPainter();
    both.parts.push(...other.parts, `<g transform="translate(0 ${height})">`, ...this.parts, "</g>");
    return both;
  }

  /** Returns the picture as the content of a file. */
  picture(title: string, width: number, height: number, background: string): string {
    const head = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
    const paper = `<rect width="${width}" height="${height}" fill="${background}"/>`;
    const font = `font-family="system-ui, sans-serif" font-size="${FONT_SIZE}"`;
    return `<svg ${head} ${font}><title>${escaped(title)}</title>${paper}${this.parts.join("\n")}</svg>\n`;
  }
}

function isOpen(shape: Shape): boolean {
  return shape === "ring" || shape === "cross";
}

function outline(shape: Shape, x: number, y: number, size: number): [number, number][][] {
  const [left, right, top, bottom] = [x - size, x + size, y - size, y + size];
  switch (shape) {
    case "cross":
      return [[[left, top], [right, bottom]], [[left, bottom], [right, top]]];
    case "diamond":
      return [[[x, top], [right, y], [x, bottom], [left, y]]];
    case "triangle":
      return [[[x, top], [right, bottom], [left, bottom]]];
    case "bar":
      return [[[x - 1, top], [x + 1, top], [x + 1, bottom], [x - 1, bottom]]];
    default:
      return [[[left, top], [right, top], [right, bottom], [left, bottom]]];
  }
}

function short(number: number): string {
  return String(Math.round(number * 10) / 10);
}

function stroke(style: Style): string {
  const dash = style.dash?.length ? ` stroke-dasharray="${style.dash.join(" ")}"` : "";
  return `fill="none" stroke="${style.colour}" stroke-width="${style.width ?? 1}"${dash}${opacity(style)}`;
}

function fill(style: Style): string {
  return `fill="${style.colour}"${opacity(style)}`;
}

function opacity(style: Style): string {
  return style.opacity === undefined ? "" : ` opacity="${style.opacity}"`;
}

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}
