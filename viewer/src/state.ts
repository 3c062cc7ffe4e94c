// What the page shows: one selection, one time, one window of time. The fragment of the address has them.

import { clipped, type Window } from "./axis";
import type { Tape } from "./tape";

/** Which packets and frames are drawn: none but whole messages, those with data, all, or those of one kind. */
export type Lines = "messages" | "data" | "all" | `only ${string}`;

export interface State {
  /** The number of the selected delivery, or -1. */
  selection: number;
  time: number;
  window: Window;
  byEvent: boolean;
  lines: Lines;
  past: boolean;
  future: boolean;
  allLanes: boolean;
}

/** The window shows the message for which another one waited, unless it is longer than so many of these. */
const MOST_OF_BLOCKER = 4;

/** Returns the state of a page that has just been opened. */
export function firstState(tape: Tape, fragment: string): State {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const number = (name: string, otherwise: number) => {
    const found = Number(words.get(name) ?? NaN);
    return Number.isFinite(found) ? found : otherwise;
  };
  const selection = words.has("message") ? tape.delivery(number("message", -1), number("host", -1)) : -1;
  const start: State = {
    selection: -1,
    time: tape.start,
    window: clipped(tape, { from: tape.start, to: tape.end }),
    byEvent: words.get("axis") === "event",
    lines: "data",
    past: true,
    future: true,
    allLanes: false,
  };
  const chosen = selection < 0 ? start : selected(tape, start, selection);
  const window = { from: number("from", chosen.window.from), to: number("to", chosen.window.to) };
  const time = Math.min(Math.max(number("time", chosen.time), tape.start), tape.end);
  return { ...chosen, time, window: clipped(tape, window) };
}

export function fragmentOf(tape: Tape, state: State): string {
  const words = new URLSearchParams();
  if (state.selection >= 0) {
    words.set("message", String(tape.deliveries.message[state.selection]));
    words.set("host", String(tape.deliveries.host[state.selection]));
  }
  words.set("time", String(Math.round(state.time)));
  words.set("from", String(Math.round(state.window.from)));
  words.set("to", String(Math.round(state.window.to)));
  if (state.byEvent) words.set("axis", "event");
  return `#${words}`;
}

/** Returns the state with a selected delivery. The window and the time move to it, and to what it waited for. */
export function selected(tape: Tape, state: State, delivery: number): State {
  if (delivery < 0) return { ...state, selection: -1 };
  const { event, sent, host, overtaken, blocker } = tape.deliveries;
  const time = tape.columns.time[event[delivery]];
  const length = Number.isNaN(sent[delivery]) ? (tape.end - tape.start) / 20 : time - sent[delivery];
  const times = [time, time - length];
  const late = overtaken[delivery] < 0 ? -1 : tape.delivery(overtaken[delivery], host[delivery]);
  if (late >= 0) times.push(tape.columns.time[event[late]], sent[late]);
  const awaited = blocker[delivery] < 0 ? -1 : tape.delivery(blocker[delivery], host[delivery]);
  if (awaited >= 0 && time - sent[awaited] < length * MOST_OF_BLOCKER) times.push(sent[awaited]);
  const known = times.filter((each) => !Number.isNaN(each));
  const [from, to] = [Math.min(...known), Math.max(...known)];
  const margin = Math.max((to - from) * 0.25, tape.header.unit === "step" ? 2 : 1000);
  return { ...state, selection: delivery, time, window: clipped(tape, { from: from - margin, to: to + margin }) };
}

/** Returns the state at another time. The window follows the time. */
export function atTime(tape: Tape, state: State, time: number): State {
  const inside = Math.min(Math.max(time, tape.start), tape.end);
  const { from, to } = state.window;
  if (inside >= from && inside <= to) return { ...state, time: inside };
  const start = inside > to ? inside - (to - from) * 0.1 : inside - (to - from) * 0.9;
  return { ...state, time: inside, window: clipped(tape, { from: start, to: start + to - from }) };
}

/** Returns whether a packet or frame belongs to those that are drawn. */
export function isDrawn(tape: Tape, lines: Lines, row: number): boolean {
  if (lines === "all") return true;
  if (lines.startsWith("only ")) return tape.nameOf(row) === lines.slice("only ".length);
  return lines === "data" && tape.columns.message[row] >= 0;
}
