// What the space-time diagram shows: lanes of nodes, and the arrows, bars and marks on them.

import { type Cone, coneOf } from "./causality";
import type { HandOff, Moves } from "./moves";
import { type Path, pathOf, type Step } from "./path";
import { isDrawn, type State } from "./state";
import { IN_TRANSIT, LOST, type Tape } from "./tape";
import { counted, duration } from "./words";

/** With more lines, the diagram shows densities. */
export const MAX_LINES = 2000;
const MAX_FAULTS = 500;

/** `blocker`: a message for which the selected one waited. `late`: the causal predecessor that it overtook. */
export type Role = "own" | "past" | "future" | "blocker" | "late" | "data" | "control" | "lost";

export interface Arrow {
  role: Role;
  from: number;
  until: number;
  node: number;
  peer: number;
  row: number;
  delivery: number;
  /** Whether it is still in transit when the tape ends. */
  open?: boolean;
}

export interface Bar {
  from: number;
  until: number;
  node: number;
  row: number;
  delivery: number;
  own: boolean;
  words: string;
}

export interface Mark {
  kind: "sent" | "delivered" | "overtaking" | "fault" | "dropped" | "phase";
  time: number;
  node: number;
  row: number;
  delivery: number;
  own: boolean;
}

export interface Content {
  lanes: number[];
  arrows: Arrow[];
  bars: Bar[];
  marks: Mark[];
  handOffs: HandOff[];
  /** Whether densities replace lines. */
  dense: boolean;
  /** What the diagram leaves out. */
  note: string;
}

/** The path of a delivery, and its causal past and future. */
export interface History {
  path: Path;
  cone: Cone;
}

export function historyOf(tape: Tape, delivery: number): History | null {
  return delivery < 0 ? null : { path: pathOf(tape, delivery), cone: coneOf(tape, delivery) };
}

/** Returns what a diagram shows. `history`: of the selected delivery, or null. */
export function contentOf(tape: Tape, moves: Moves, state: State, history: History | null): Content {
  return history ? selectedContent(tape, moves, state, history) : wholeContent(tape, moves, state);
}

function wholeContent(tape: Tape, moves: Moves, state: State): Content {
  const { until, event } = tape.columns;
  const [frame, packet, waited] = [tape.number("frame"), tape.number("packet"), tape.number("waited")];
  const { from, to } = state.window;
  const shown: number[] = [];
  let lines = 0;
  const end = tape.firstFrom(to);
  for (let row = 0; row < end; row++) {
    if (until[row] < from) continue;
    const transit = event[row] === frame || event[row] === packet;
    if (transit && !isDrawn(tape, state.lines, row)) continue;
    if (transit || event[row] === waited) lines++;
    if (lines <= MAX_LINES) shown.push(row);
  }
  const messages = state.lines === "messages" ? deliveriesIn(tape, from, to) : [];
  const lanes = Array.from({ length: tape.nodes }, (_, node) => node);
  const empty: Content = { lanes, arrows: [], bars: [], marks: [], handOffs: [], dense: false, note: "" };
  if (lines + messages.length > MAX_LINES) {
    const marks = rareMarks(tape, from, to);
    const count = counted(lines + messages.length, "line");
    const cut = marks.length === MAX_FAULTS ? ` Marks of faults: the first ${MAX_FAULTS}.` : "";
    const note = `${count} in this window, so their density is shown. Zoom in, or select a delivery.${cut}`;
    return { ...empty, marks, dense: true, note };
  }
  const content = { ...empty, handOffs: handOffsIn(moves, tape, from, to) };
  for (const row of shown) addEvent(tape, content, row);
  for (const each of messages) content.arrows.push(messageArrow(tape, each, "data"));
  if (!state.allLanes) content.lanes = activeLanes(tape, content);
  content.note = leftOut(tape, state, tape.nodes - content.lanes.length);
  return content;
}

/** Returns the nodes at which something is drawn. */
function activeLanes(tape: Tape, content: Content): number[] {
  const ends = [...content.arrows.flatMap(({ node, peer }) => [node, peer]), ...content.bars.map(({ node }) => node)];
  const marked = content.marks.map(({ node }) => node);
  const moving = content.handOffs.map(({ host }) => tape.header.stations + host);
  const active = new Set([...ends, ...marked, ...moving]);
  return content.lanes.filter((node) => active.has(node));
}

function leftOut(tape: Tape, state: State, idle: number): string {
  const packets = state.lines === "data" && tape.controlKinds.length > 0 ? "Packets and frames without data are not drawn. " : "";
  const hops = state.lines === "messages" ? "Messages are drawn from sender to receiver, without their hops. " : "";
  const kind = state.lines.startsWith("only ") ? "Other packets and frames are not drawn. " : "";
  return `${packets}${hops}${kind}${idle > 0 ? `${counted(idle, "node")} without events in this window are left out.` : ""}`;
}

function selectedContent(tape: Tape, moves: Moves, state: State, { path, cone }: History): Content {
  const { from, to } = state.window;
  const { columns } = tape;
  const own = state.selection;
  const content: Content = { lanes: [], arrows: [], bars: [], marks: [], handOffs: [], dense: false, note: "" };
  const past = state.past ? inWindow(tape, cone.past, from, to) : [];
  const future = state.future ? inWindow(tape, cone.future, from, to) : [];
  const related = relatedDeliveries(tape, path.steps, own);
  const kept = nearest(tape, own, [...past, ...future].filter((each) => !related.has(each)));
  const pasts = new Set(past);
  for (const each of kept) content.arrows.push(messageArrow(tape, each, pasts.has(each) ? "past" : "future"));
  content.arrows.push(...missingPredecessor(tape, own));
  for (const [each, role] of related) content.arrows.push(messageArrow(tape, each, role));
  for (const row of path.others) content.arrows.push(eventArrow(tape, row, columns.detail[row] === LOST ? "lost" : "own", own));
  for (const step of path.steps) {
    if (step.kind === "wait") content.bars.push(ownBar(tape, step, own));
    else if (step.row >= 0) content.arrows.push(eventArrow(tape, step.row, "own", own));
  }
  const involved = content.arrows.flatMap((arrow) => [arrow.node, arrow.peer]);
  content.lanes = lanesOf(tape, path.nodes, involved, state.allLanes);
  for (const each of [...kept, ...related.keys(), own]) content.marks.push(...endMarks(tape, each, each === own));
  const hosts = content.lanes.filter((node) => node >= tape.header.stations).map((node) => node - tape.header.stations);
  content.handOffs = hosts.flatMap((host) => moves.during(host, from, to));
  const missing = past.length + future.length - kept.length - [...past, ...future].filter((each) => related.has(each)).length;
  const cut = missing > 0 ? ` ${counted(missing, "message")} farther away are left out.` : "";
  content.note = `Only the path of this message and the messages of its causal past and future are drawn.${cut}`;
  return content;
}

/** Returns the messages for which a delivery waited, and the one that it overtook. */
function relatedDeliveries(tape: Tape, steps: Step[], own: number): Map<number, Role> {
  const { host, overtaken } = tape.deliveries;
  const related = new Map<number, Role>();
  for (const step of steps) {
    if (step.blocker >= 0) related.set(tape.delivery(step.blocker, host[own]), "blocker");
  }
  if (overtaken[own] >= 0) related.set(tape.delivery(overtaken[own], host[own]), "late");
  related.delete(-1);
  return related;
}

/** Returns the packets of the message that a delivery overtook, if this message is not delivered on the tape. */
function missingPredecessor(tape: Tape, own: number): Arrow[] {
  const { overtaken, host } = tape.deliveries;
  if (overtaken[own] < 0 || tape.delivery(overtaken[own], host[own]) >= 0) return [];
  const rows = [...tape.ofMessage.of(overtaken[own])].filter((row) => tape.isTransit(row));
  return rows.map((row) => eventArrow(tape, row, "late", own));
}

function ownBar(tape: Tape, step: Step, own: number): Bar {
  const length = duration(tape, step.until - step.from);
  const words = step.blocker < 0 ? length : `${length}, until message ${step.blocker}`;
  return { from: step.from, until: step.until, node: step.node, row: step.row, delivery: own, own: true, words };
}

/** Returns the nodes of the path first, and then the other ones. */
function lanesOf(tape: Tape, path: number[], involved: number[], all: boolean): number[] {
  const others = all ? Array.from({ length: tape.nodes }, (_, node) => node) : involved;
  const sorted = [...new Set(others)].filter((node) => node >= 0).sort((one, other) => one - other);
  return [...new Set([...path.filter((node) => node >= 0), ...sorted])];
}

function inWindow(tape: Tape, deliveries: number[], from: number, to: number): number[] {
  const { sent, event } = tape.deliveries;
  return deliveries.filter((each) => sent[each] <= to && tape.columns.time[event[each]] >= from);
}

/** Returns the deliveries that are nearest in time to one of them, if there are too many. */
function nearest(tape: Tape, to: number, deliveries: number[]): number[] {
  if (deliveries.length <= MAX_LINES) return deliveries;
  const { event } = tape.deliveries;
  const distance = (each: number) => Math.abs(tape.columns.time[event[each]] - tape.columns.time[event[to]]);
  return [...deliveries].sort((one, other) => distance(one) - distance(other)).slice(0, MAX_LINES);
}

function deliveriesIn(tape: Tape, from: number, to: number): number[] {
  const { event, sent, count } = tape.deliveries;
  const found: number[] = [];
  for (let each = 0; each < count; each++) {
    if (sent[each] <= to && tape.columns.time[event[each]] >= from) found.push(each);
  }
  return found;
}

function handOffsIn(moves: Moves, tape: Tape, from: number, to: number): HandOff[] {
  return Array.from({ length: tape.header.hosts }, (_, host) => moves.during(host, from, to)).flat();
}

function messageArrow(tape: Tape, delivery: number, role: Role): Arrow {
  const { sender, sent, host, event } = tape.deliveries;
  const [row, peer] = [event[delivery], tape.header.stations + host[delivery]];
  return { role, from: sent[delivery], until: tape.columns.time[row], node: sender[delivery], peer, row, delivery };
}

function eventArrow(tape: Tape, row: number, role: Role, delivery: number): Arrow {
  const { time, until, node, peer, detail } = tape.columns;
  const open = detail[row] === IN_TRANSIT;
  return { role, from: time[row], until: until[row], node: node[row], peer: peer[row], row, delivery, open };
}

function endMarks(tape: Tape, delivery: number, own: boolean): Mark[] {
  const { sender, sent, host, event, overtaken } = tape.deliveries;
  const row = event[delivery];
  const kind = overtaken[delivery] >= 0 ? "overtaking" : "delivered";
  const node = tape.header.stations + host[delivery];
  const end: Mark = { kind, time: tape.columns.time[row], node, row, delivery, own };
  if (Number.isNaN(sent[delivery])) return [end];
  return [{ kind: "sent", time: sent[delivery], node: sender[delivery], row, delivery, own }, end];
}

/** Adds an event of a diagram without a selection. */
function addEvent(tape: Tape, content: Content, row: number): void {
  const { time, until, node, message, host, detail } = tape.columns;
  const delivery = message[row] < 0 ? -1 : deliveryOf(tape, row);
  const mark = (kind: Mark["kind"]) =>
    content.marks.push({ kind, time: time[row], node: node[row], row, delivery, own: false });
  switch (tape.kindOf(row)) {
    case "frame":
    case "packet": {
      const role = detail[row] === LOST ? "lost" : message[row] < 0 ? "control" : "data";
      content.arrows.push(eventArrow(tape, row, role, delivery));
      return;
    }
    case "waited":
      content.bars.push({ from: time[row], until: until[row], node: node[row], row, delivery, own: false, words: "" });
      return;
    case "submitted":
      mark("sent");
      return;
    case "delivered":
      mark(detail[row] >= 0 ? "overtaking" : "delivered");
      return;
    case "dropped":
      mark("dropped");
      return;
    case "fault":
      mark("fault");
      return;
    case "handoff":
      if (host[row] >= 0) mark("phase");
  }
}

/** Returns the delivery to which an event of a message belongs; for several receivers, the first one. */
export function deliveryOf(tape: Tape, row: number): number {
  const { message, host, peer } = tape.columns;
  const receiver = peer[row] >= tape.header.stations ? peer[row] - tape.header.stations : host[row];
  const found = tape.delivery(message[row], receiver);
  return found >= 0 ? found : (tape.deliveriesOf(message[row])[0] ?? -1);
}

/** Returns the faults and overtakings in a window, which a diagram of densities marks. */
function rareMarks(tape: Tape, from: number, to: number): Mark[] {
  const { time, node } = tape.columns;
  const { overtaken, event, count } = tape.deliveries;
  const found: Mark[] = [];
  const add = (kind: Mark["kind"], row: number, delivery: number) => {
    if (time[row] < from || time[row] > to || found.length === MAX_FAULTS) return;
    found.push({ kind, time: time[row], node: node[row], row, delivery, own: false });
  };
  for (const row of tape.faults) add("fault", row, deliveryOf(tape, row));
  for (let each = 0; each < count; each++) if (overtaken[each] >= 0) add("overtaking", event[each], each);
  return found;
}
