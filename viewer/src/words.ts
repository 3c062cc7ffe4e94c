// Names, times and sentences of the page.

import { IN_TRANSIT, LOST, type Tape } from "./tape";

const UNITS: [factor: number, unit: string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

export function nodeName(tape: Tape, node: number): string {
  if (node < 0) return "?";
  return node < tape.header.stations ? `s${node}` : `h${node - tape.header.stations}`;
}

/** Returns a length of time in four digits, such as `106.3 ms`. */
export function duration(tape: Tape, length: number): string {
  if (Number.isNaN(length)) return "unknown";
  if (tape.header.unit === "step") return counted(length, "step");
  if (length === 0) return "0 ms";
  const [factor, unit] = UNITS.find(([size]) => Math.abs(length) >= size) ?? [1, "ns"];
  return `${Number((length / factor).toPrecision(4))} ${unit}`;
}

/** Returns a length of time to the nanosecond, such as `106.300250 ms`, so that sums can be checked. */
export function exact(tape: Tape, length: number): string {
  if (Number.isNaN(length)) return "unknown";
  return tape.header.unit === "step" ? counted(length, "step") : `${(length / 1e6).toFixed(6)} ms`;
}

/** Returns a time of the run, such as `1.234567 s`. */
export function clock(tape: Tape, time: number): string {
  return tape.header.unit === "step" ? `step ${Math.round(time)}` : `${(time / 1e9).toFixed(6)} s`;
}

export function counted(count: number, noun: string): string {
  const plural = noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

export const WAIT_WORDS: Record<string, string> = {
  uplink: "waited for its uplink",
  order: "waited for causal order",
  downlink: "waited for its downlink",
  host: "waited for causal order at its host",
};

function arrivalWords(detail: number): string {
  if (detail === LOST) return ", lost";
  return detail === IN_TRANSIT ? ", still in transit at the end" : "";
}

/** Returns an event as a sentence. */
export function sentence(tape: Tape, row: number): string {
  const { node, peer, message, host, detail, time, until } = tape.columns;
  const at = nodeName(tape, node[row]);
  const other = nodeName(tape, peer[row]);
  const name = tape.nameOf(row);
  const what = message[row] >= 0 ? `message ${message[row]}` : "";
  const receiver = `h${host[row]}`;
  const took = until[row] > time[row] ? `, ${duration(tape, until[row] - time[row])}` : "";
  switch (tape.kindOf(row)) {
    case "submitted":
      return `${at} sends ${what} to ${receiver}`;
    case "frame":
      return `frame (${what || name}) from ${at} to ${other}${took}${arrivalWords(detail[row])}`;
    case "packet":
      return `packet (${what || name}) from ${at} to ${other}${took}${arrivalWords(detail[row])}`;
    case "waited":
      return `${what} for ${receiver} ${WAIT_WORDS[name] ?? `waited: ${name}`} at ${at}${took}`;
    case "delivered":
      return `${at} delivers ${what}${detail[row] >= 0 ? `, before its causal predecessor ${detail[row]}` : ""}`;
    case "dropped":
      return `${at} drops ${what} for ${receiver}`;
    case "left":
      return `${at} ${name === "disconnects" ? "disconnects in" : "leaves"} the cell of ${other}`;
    case "entered":
      return `${at} enters the cell of ${other}`;
    case "registered":
      return `${at} is registered at ${other}`;
    case "handoff":
      return `hand-off of ${receiver}: ${name} at ${at}`;
    case "fault":
      return `fault at ${at}: ${name}`;
    default:
      return `${tape.kindOf(row)} at ${at}`;
  }
}
