// The path of a delivery: its hops and waits in the order of time, without gaps, from sending to delivery.

import { RECEIVED, type Tape } from "./tape";
import { nodeName } from "./words";

const STATE_TRANSFER = "state transfer";

export interface Step {
  kind: "uplink" | "wire" | "downlink" | "wait" | "node";
  from: number;
  until: number;
  node: number;
  peer: number;
  /** The event, or -1 for the work of a node between two events. */
  row: number;
  words: string;
  /** The message that ended this wait, or -1. */
  blocker: number;
}

export interface Path {
  steps: Step[];
  /** Frames and packets of the message to this host that were lost, or were not the ones that arrived first. */
  others: number[];
  nodes: number[];
}

/** Returns the path of a delivery; empty if the message was sent before the tape begins. */
export function pathOf(tape: Tape, delivery: number): Path {
  const { sender, sent, host, message, event } = tape.deliveries;
  if (Number.isNaN(sent[delivery])) return { steps: [], others: [], nodes: [] };
  const rows = [...tape.ofMessage.of(message[delivery])];
  const receiver = tape.header.stations + host[delivery];
  const end = tape.columns.time[event[delivery]];
  const hops = hopsBack(tape, rows, sender[delivery], receiver, end);
  const waits = rows.filter((row) => tape.kindOf(row) === "waited" && tape.columns.host[row] === host[delivery]);
  const steps = withoutGaps(tape, hops, waits, sender[delivery], sent[delivery], end);
  const { node, peer } = tape.columns;
  const others = rows.filter((row) => {
    const up = node[row] === sender[delivery] && peer[row] < tape.header.stations;
    return tape.isTransit(row) && !hops.includes(row) && (up || peer[row] === receiver);
  });
  return { steps, others, nodes: [...new Set([sender[delivery], ...steps.map((step) => step.node), receiver])] };
}

/** Returns the frames and packets that carried a message from its sender to a node, the first one first. */
function hopsBack(tape: Tape, rows: number[], sender: number, receiver: number, end: number): number[] {
  const { time, node } = tape.columns;
  const transits = rows.filter((row) => tape.isTransit(row));
  const hops: number[] = [];
  let [at, latest] = [receiver, end];
  while (at !== sender || hops.length === 0) {
    const carried = lastArrival(tape, transits, at, latest, hops);
    const last = carried >= 0 ? carried : lastArrival(tape, stateTransfers(tape, receiver), at, latest, hops);
    if (last < 0) break;
    hops.unshift(last);
    at = node[last];
    latest = time[last];
  }
  return hops;
}

function lastArrival(tape: Tape, rows: Iterable<number>, at: number, latest: number, hops: number[]): number {
  const { until, peer, detail } = tape.columns;
  let last = -1;
  for (const row of rows) {
    const arrives = peer[row] === at && detail[row] === RECEIVED && until[row] <= latest;
    if (arrives && !hops.includes(row) && (last < 0 || until[row] >= until[last])) last = row;
  }
  return last;
}

/** Returns the packets by which the messages that wait for a host move to the host's new station. */
function stateTransfers(tape: Tape, receiver: number): number[] {
  const { event, host } = tape.columns;
  const packet = tape.number("packet");
  const found: number[] = [];
  for (let row = 0; row < tape.length; row++) {
    const ofReceiver = event[row] === packet && host[row] === receiver - tape.header.stations;
    if (ofReceiver && tape.nameOf(row) === STATE_TRANSFER) found.push(row);
  }
  return found;
}

function withoutGaps(tape: Tape, hops: number[], waits: number[], sender: number, sent: number, end: number): Step[] {
  const { time, until, node, peer } = tape.columns;
  const steps: Step[] = [];
  let [at, now] = [sender, sent];
  const rest = (to: number) => {
    steps.push(...stay(tape, waits, at, now, to));
    now = Math.max(now, to);
  };
  for (const hop of hops) {
    rest(time[hop]);
    const kind = tape.kindOf(hop) === "packet" ? "wire" : node[hop] >= tape.header.stations ? "uplink" : "downlink";
    const [from, to] = [nodeName(tape, node[hop]), nodeName(tape, peer[hop])];
    const name = tape.nameOf(hop) === STATE_TRANSFER ? "wire, with the state of its receiver" : kind;
    const words = from === to ? `handed over within ${from}` : `${name}: ${from} to ${to}`;
    const begin = Math.max(now, time[hop]);
    steps.push({ kind, from: begin, until: until[hop], node: node[hop], peer: peer[hop], row: hop, words, blocker: -1 });
    at = peer[hop];
    now = Math.max(now, until[hop]);
  }
  rest(end);
  return joined(steps.filter((step) => step.until > step.from));
}

/** Joins steps of work at one node that follow each other: a node may hand a message over to itself. */
function joined(steps: Step[]): Step[] {
  const found: Step[] = [];
  for (const step of steps) {
    const last = found[found.length - 1];
    if (last && last.row < 0 && step.row < 0 && last.words === step.words) last.until = step.until;
    else found.push({ ...step });
  }
  return found;
}

/** Returns the waits of a message between two times, and the work of the node for the rest of this time. */
function stay(tape: Tape, waits: number[], node: number, from: number, to: number): Step[] {
  const { time, until, detail } = tape.columns;
  const steps: Step[] = [];
  let now = from;
  const work = (end: number) => {
    const words = workWords(tape, node, now, end);
    if (end > now) steps.push({ kind: "node", from: now, until: end, node, peer: -1, row: -1, words, blocker: -1 });
  };
  for (const row of [...waits].sort((one, other) => time[one] - time[other])) {
    const [begin, end] = [Math.max(now, time[row]), Math.min(to, until[row])];
    if (end <= begin) continue;
    work(begin);
    const words = `${waitWords(tape.nameOf(row))} at ${nodeName(tape, node)}`;
    const blocker = end === until[row] ? detail[row] : -1;
    steps.push({ kind: "wait", from: begin, until: end, node, peer: -1, row, words, blocker });
    now = end;
  }
  work(to);
  return steps;
}

function waitWords(name: string): string {
  if (name === "order" || name === "host") return "waited for causal order";
  return `waited for the ${name}`;
}

/** Returns what a node did with a message, and which other packet it received meanwhile, if any. */
function workWords(tape: Tape, node: number, from: number, until: number): string {
  const { columns } = tape;
  const begin = tape.firstFrom(from - tape.longestTransit);
  let last = -1;
  for (let row = begin; row < tape.length && columns.time[row] < until; row++) {
    const arrives = columns.peer[row] === node && columns.until[row] > from && columns.until[row] <= until;
    if (!arrives || columns.node[row] === node || columns.message[row] >= 0 || !tape.isTransit(row)) continue;
    if (last < 0 || columns.until[row] >= columns.until[last]) last = row;
  }
  const name = nodeName(tape, node);
  const asked = last >= 0 && tape.nameOf(last) === "location answer";
  if (asked) return `${name} asked for the receiver's station; the last answer came from ${nodeName(tape, columns.node[last])}`;
  return `at ${name}: processing`;
}
