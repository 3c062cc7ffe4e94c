// The causal past and future of a delivery: Lamport's happened-before, from the sendings and deliveries of hosts.

import type { Tape } from "./tape";

export interface Cone {
  /** Deliveries that happened before, and deliveries of messages that were sent afterwards. */
  past: number[];
  future: number[];
}

/** The sendings and deliveries of every host, each with its position in the order of its host. */
interface Histories {
  ofHost: { message: number; delivery: number }[][];
  sending: Map<number, { host: number; position: number }>;
  position: Int32Array;
}

const known = new WeakMap<Tape, Histories>();

export function coneOf(tape: Tape, delivery: number): Cone {
  const histories = known.get(tape) ?? readHistories(tape);
  known.set(tape, histories);
  return { past: pastOf(tape, histories, delivery), future: futureOf(tape, histories, delivery) };
}

function readHistories(tape: Tape): Histories {
  const { event, node, message } = tape.columns;
  const [submitted, delivered] = [tape.number("submitted"), tape.number("delivered")];
  const histories: Histories = {
    ofHost: Array.from({ length: tape.nodes }, () => []),
    sending: new Map(),
    position: new Int32Array(tape.deliveries.count),
  };
  let delivery = 0;
  for (let row = 0; row < tape.length; row++) {
    const events = histories.ofHost[node[row]];
    if (event[row] === submitted && !histories.sending.has(message[row])) {
      histories.sending.set(message[row], { host: node[row], position: events.length });
      events.push({ message: message[row], delivery: -1 });
    } else if (event[row] === delivered) {
      histories.position[delivery] = events.length;
      events.push({ message: message[row], delivery });
      delivery++;
    }
  }
  return histories;
}

function pastOf(tape: Tape, histories: Histories, delivery: number): number[] {
  const { message, host } = tape.deliveries;
  const seen = new Int32Array(tape.nodes).fill(-1);
  const found: number[] = [];
  const reached: [number, number][] = [[tape.header.stations + host[delivery], histories.position[delivery] - 1]];
  const own = histories.sending.get(message[delivery]);
  if (own) reached.push([own.host, own.position]);
  for (let next = reached.pop(); next; next = reached.pop()) {
    const [node, position] = next;
    for (let at = seen[node] + 1; at <= position; at++) {
      const event = histories.ofHost[node][at];
      if (event.delivery < 0) continue;
      found.push(event.delivery);
      const cause = histories.sending.get(event.message);
      if (cause && cause.position > seen[cause.host]) reached.push([cause.host, cause.position]);
    }
    seen[node] = Math.max(seen[node], position);
  }
  return found;
}

function futureOf(tape: Tape, histories: Histories, delivery: number): number[] {
  const { host } = tape.deliveries;
  const seen = Int32Array.from(histories.ofHost, (events) => events.length);
  const found: number[] = [];
  const reached: [number, number][] = [[tape.header.stations + host[delivery], histories.position[delivery] + 1]];
  for (let next = reached.pop(); next; next = reached.pop()) {
    const [node, position] = next;
    for (let at = position; at < seen[node]; at++) {
      const event = histories.ofHost[node][at];
      if (event.delivery >= 0) continue;
      for (const each of tape.deliveriesOf(event.message)) {
        found.push(each);
        const [target, after] = [tape.header.stations + tape.deliveries.host[each], histories.position[each] + 1];
        if (after < seen[target]) reached.push([target, after]);
      }
    }
    seen[node] = Math.min(seen[node], position);
  }
  return found;
}
