// Draws the space-time diagram: a lane for each node, and time from left to right.

import type { Axis } from "./axis";
import type { Arrow, Content, Mark } from "./diagram_content";
import type { HandOff } from "./moves";
import type { Painter, Palette, Shape, Style } from "./paint";
import type { Tape } from "./tape";
import { clock, duration, nodeName } from "./words";

export const LABELS = 46;
/** The space between the first and last time and the ends of a lane, so that marks there are whole. */
export const MARGIN = 8;
export const AXIS_HEIGHT = 22;
const DENSITY_WIDTH = 4;
const FEWEST_PIXELS = 11;
const MOST_PIXELS = 34;
/** Browsers do not draw a canvas that is much higher. */
const MOST_HEIGHT = 15_000;
const LABEL_HEIGHT = 10;
/** A bar has a label if its lane is this high, and the bar is this wide. */
const ROOMY = 26;
const LABELLED_WIDTH = 24;

/** A line of the drawing that a pointer can hit. */
export interface Target {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  row: number;
  delivery: number;
}

export interface Layout {
  width: number;
  height: number;
  lane: number;
  y: Map<number, number>;
}

export function layoutOf(lanes: number[], width: number, height: number): Layout {
  const count = Math.max(lanes.length, 1);
  const lane = Math.min(Math.max(height / count, FEWEST_PIXELS), MOST_PIXELS, MOST_HEIGHT / count);
  const y = new Map(lanes.map((node, index) => [node, (index + 0.5) * lane]));
  return { width, height: Math.max(lane * lanes.length, FEWEST_PIXELS), lane, y };
}

export function drawAxis(painter: Painter, tape: Tape, axis: Axis, width: number, colours: Palette, byEvent: boolean): void {
  const count = Math.max(2, Math.floor((width - LABELS) / 110));
  const ticks = axis.ticks(count, tape.header.unit === "step");
  const step = (axis.time(width) - axis.time(LABELS)) / count;
  ticks.forEach((tick, index) => {
    const x = axis.x(tick);
    if (x < LABELS - 1 || x > width) return;
    painter.line(x, AXIS_HEIGHT - 5, x, AXIS_HEIGHT, { colour: colours.soft });
    const words = byEvent ? clock(tape, tick) : tickWords(tape, tick, step);
    const last = index === ticks.length - 1 && x > width - 50;
    painter.text(words, last ? width - 2 : x, 8, { colour: colours.soft }, last ? "end" : "middle");
  });
}

function tickWords(tape: Tape, tick: number, step: number): string {
  if (tape.header.unit === "step") return String(Math.round(tick));
  const digits = Math.min(Math.max(0, 9 - Math.floor(Math.log10(step))), 9);
  return `${(tick / 1e9).toFixed(digits)} s`;
}

/** Draws lanes and what happens on them, and returns what a pointer can hit. */
export function drawDiagram(
  painter: Painter,
  tape: Tape,
  content: Content,
  axis: Axis,
  layout: Layout,
  colours: Palette,
): Target[] {
  drawLanes(painter, tape, content, layout, colours);
  if (content.dense) drawDensity(painter, tape, axis, layout, colours);
  for (const handOff of content.handOffs) drawAbsence(painter, tape, handOff, axis, layout, colours);
  const targets: Target[] = [];
  for (const bar of content.bars) {
    const y = layout.y.get(bar.node);
    if (y === undefined) continue;
    const [x1, x2] = [Math.max(axis.x(bar.from), LABELS), Math.min(axis.x(bar.until), layout.width)];
    if (x2 < x1) continue;
    const high = Math.min(layout.lane * 0.6, 12);
    painter.box(x1, y - high / 2, Math.max(x2 - x1, 1), high, { colour: colours.wait, opacity: bar.own ? 0.9 : 0.4 });
    if (bar.words && layout.lane >= ROOMY && x2 - x1 >= LABELLED_WIDTH) painter.text(bar.words, x1 + 2, y - high / 2 - 6, { colour: colours.text });
    targets.push({ x1, y1: y, x2, y2: y, row: bar.row, delivery: bar.delivery });
  }
  const order: Arrow["role"][] = ["control", "past", "future", "data", "lost", "blocker", "late", "own"];
  for (const role of order) {
    for (const arrow of content.arrows) {
      if (arrow.role === role) drawArrow(painter, arrow, axis, layout, colours, targets);
    }
  }
  for (const mark of content.marks) drawMark(painter, mark, axis, layout, colours, targets);
  drawLabels(painter, tape, content, layout, colours);
  return targets;
}

function drawLanes(painter: Painter, tape: Tape, content: Content, layout: Layout, colours: Palette): void {
  for (const node of content.lanes) {
    const y = layout.y.get(node)!;
    const station = node < tape.header.stations;
    if (station) painter.box(LABELS, y - layout.lane / 2, layout.width - LABELS, layout.lane, { colour: colours.box });
    painter.line(LABELS, y, layout.width, y, { colour: station ? colours.soft : colours.line, width: 1 });
  }
}

/** Draws the labels last, on the colour of the page, because lines may begin to the left of the window. */
function drawLabels(painter: Painter, tape: Tape, content: Content, layout: Layout, colours: Palette): void {
  painter.box(0, 0, LABELS, layout.height, { colour: colours.page });
  const every = Math.max(1, Math.ceil(LABEL_HEIGHT / layout.lane));
  for (const [index, node] of content.lanes.entries()) {
    if (index % every) continue;
    const y = layout.y.get(node)!;
    const station = node < tape.header.stations;
    painter.mark(station ? "square" : "circle", 7, y, 3, { colour: station ? colours.text : colours.soft });
    painter.text(nodeName(tape, node), 15, y, { colour: colours.text });
  }
}

function drawDensity(painter: Painter, tape: Tape, axis: Axis, layout: Layout, colours: Palette): void {
  const { time, until, node, peer, message } = tape.columns;
  const bins = Math.ceil((layout.width - LABELS) / DENSITY_WIDTH);
  const counts = new Int32Array(bins * tape.nodes);
  const [first, last] = [tape.firstFrom(axis.time(LABELS)), tape.firstFrom(axis.time(layout.width))];
  let most = 1;
  const add = (at: number, when: number) => {
    const bin = Math.floor((axis.x(when) - LABELS) / DENSITY_WIDTH);
    if (at < 0 || bin < 0 || bin >= bins) return;
    most = Math.max(most, ++counts[at * bins + bin]);
  };
  for (let row = first; row < last; row++) {
    if (message[row] < 0) continue;
    add(node[row], time[row]);
    if (peer[row] !== node[row]) add(peer[row], until[row]);
  }
  for (const [at, y] of layout.y) {
    for (let bin = 0; bin < bins; bin++) {
      const count = counts[at * bins + bin];
      if (!count) continue;
      const high = Math.max(1, Math.sqrt(count / most) * layout.lane * 0.9);
      const x = LABELS + bin * DENSITY_WIDTH;
      painter.box(x, y - high / 2, DENSITY_WIDTH - 1, high, { colour: colours.data, opacity: 0.75 });
    }
  }
}

/** Draws the time without a cell, and the time until the registration. */
function drawAbsence(
  painter: Painter,
  tape: Tape,
  handOff: HandOff,
  axis: Axis,
  layout: Layout,
  colours: Palette,
): void {
  const y = layout.y.get(tape.header.stations + handOff.host);
  if (y === undefined) return;
  const clamped = (time: number) => Math.min(Math.max(axis.x(time), LABELS), layout.width);
  const [left, entered] = [clamped(handOff.left), clamped(handOff.entered || handOff.end)];
  const registered = clamped(handOff.registered || handOff.end);
  painter.box(left, y - 2, entered - left, 4, { colour: colours.page });
  const dash = handOff.disconnected ? [1, 4] : [4, 4];
  painter.line(left, y, entered, y, { colour: colours.move, width: 1.5, dash });
  painter.line(entered, y, registered, y, { colour: colours.move, width: 4, opacity: 0.55 });
  const ends: [number, Shape][] = [[handOff.left, "cross"], [handOff.registered, "triangle"]];
  for (const [time, shape] of ends) {
    const x = axis.x(time);
    if (x >= LABELS && x <= layout.width) painter.mark(shape, x, y, 3.5, { colour: colours.move, width: 1.5 });
  }
}

function arrowStyle(role: Arrow["role"], colours: Palette): Style {
  switch (role) {
    case "own":
      return { colour: colours.own, width: 3 };
    case "past":
      return { colour: colours.past, width: 1, opacity: 0.7 };
    case "future":
      return { colour: colours.future, width: 1, dash: [6, 3], opacity: 0.7 };
    case "blocker":
      return { colour: colours.wait, width: 2.5 };
    case "late":
      return { colour: colours.fault, width: 2.5 };
    case "lost":
      return { colour: colours.fault, width: 1.5, dash: [3, 3] };
    case "control":
      return { colour: colours.control, width: 1, dash: [2, 3], opacity: 0.6 };
    case "data":
      return { colour: colours.data, width: 1.2, opacity: 0.8 };
  }
}

function drawArrow(
  painter: Painter,
  arrow: Arrow,
  axis: Axis,
  layout: Layout,
  colours: Palette,
  targets: Target[],
): void {
  const [y1, y2] = [layout.y.get(arrow.node), layout.y.get(arrow.peer)];
  if (y1 === undefined || y2 === undefined || (arrow.node === arrow.peer && arrow.from === arrow.until)) return;
  const [x1, x2] = [axis.x(arrow.from), axis.x(arrow.until)];
  if (Math.max(x1, x2) < LABELS || Math.min(x1, x2) > layout.width) return;
  const style = arrowStyle(arrow.role, colours);
  painter.line(x1, y1, x2, y2, arrow.open ? { ...style, dash: [1, 3] } : style);
  if (arrow.role === "lost") painter.mark("cross", x2, y2, 3.5, { ...style, dash: [] });
  else if (arrow.role !== "control" && !arrow.open) drawHead(painter, x1, y1, x2, y2, style);
  targets.push({ x1, y1, x2, y2, row: arrow.row, delivery: arrow.delivery });
}

function drawHead(painter: Painter, x1: number, y1: number, x2: number, y2: number, style: Style): void {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const size = style.width && style.width > 2 ? 8 : 5;
  const [dx, dy] = [((x2 - x1) / length) * size, ((y2 - y1) / length) * size];
  const solid = { ...style, dash: [] };
  painter.line(x2, y2, x2 - dx - dy * 0.4, y2 - dy + dx * 0.4, solid);
  painter.line(x2, y2, x2 - dx + dy * 0.4, y2 - dy - dx * 0.4, solid);
}

function drawMark(
  painter: Painter,
  mark: Mark,
  axis: Axis,
  layout: Layout,
  colours: Palette,
  targets: Target[],
): void {
  const y = layout.y.get(mark.node);
  const x = axis.x(mark.time);
  if (y === undefined || x < LABELS || x > layout.width) return;
  const colour = mark.own ? colours.own : colours.data;
  const size = mark.own ? 5 : 2.5;
  switch (mark.kind) {
    case "sent":
      painter.mark("ring", x, y, size, { colour, width: 1.5 });
      break;
    case "delivered":
      painter.mark("circle", x, y, size, { colour });
      break;
    case "overtaking":
      painter.mark("cross", x, y, 5, { colour: colours.fault, width: 2.5 });
      break;
    case "fault":
      painter.mark("diamond", x, y, 6, { colour: colours.fault });
      break;
    case "dropped":
      painter.mark("cross", x, y, 3, { colour: colours.soft, width: 1.5 });
      break;
    case "phase":
      painter.mark("diamond", x, y, 3, { colour: colours.move });
  }
  targets.push({ x1: x, y1: y, x2: x, y2: y, row: mark.row, delivery: mark.delivery });
}

/** Returns the target nearest to a point, at most 7 pixels away. */
export function hit(targets: Target[], x: number, y: number): Target | null {
  let [best, least] = [null as Target | null, 7];
  for (const target of targets) {
    const [dx, dy] = [target.x2 - target.x1, target.y2 - target.y1];
    const along = ((x - target.x1) * dx + (y - target.y1) * dy) / (dx * dx + dy * dy || 1);
    const part = Math.min(Math.max(along, 0), 1);
    const distance = Math.hypot(x - target.x1 - part * dx, y - target.y1 - part * dy);
    if (distance < least) [best, least] = [target, distance];
  }
  return best;
}

/** Returns the title of a diagram, for readers who do not see it. */
export function titleOf(tape: Tape, content: Content, from: number, to: number): string {
  const what = content.dense ? "densities of events" : `${content.arrows.length} arrows, ${content.bars.length} waits`;
  return `Space-time diagram of ${content.lanes.length} nodes from ${clock(tape, from)}, ${duration(tape, to - from)}: ${what}`;
}
