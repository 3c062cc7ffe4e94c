// Filters and sorts the deliveries of the table.

import { type Tape, type WaitName, WAITS } from "./tape";
import { nodeName } from "./words";

export type SortKey = "message" | "sender" | "receiver" | "sent" | "delay" | WaitName;

export interface Order {
  key: SortKey;
  descending: boolean;
}

export interface Filters {
  /** The name of a host, such as `h3`, or of a station, through which the message went. */
  node: string;
  message: string;
  wait: "" | "any" | WaitName;
  onlyViolations: boolean;
}

export const NO_FILTERS: Filters = { node: "", message: "", wait: "", onlyViolations: false };

/** Returns the deliveries that pass the filters, in order. */
export function deliveryRows(tape: Tape, filters: Filters, order: Order): number[] {
  const { deliveries } = tape;
  const nodeNumber = numberOf(tape, filters.node);
  const wanted = filters.message.trim() === "" ? null : Number(filters.message);
  const found: number[] = [];
  for (let each = 0; each < deliveries.count; each++) {
    if (wanted !== null && deliveries.message[each] !== wanted) continue;
    if (filters.onlyViolations && deliveries.overtaken[each] < 0) continue;
    if (filters.wait && !waits(tape, each, filters.wait)) continue;
    if (nodeNumber !== null && !passes(tape, each, nodeNumber)) continue;
    found.push(each);
  }
  return sorted(found, valuesOf(tape, order.key), order.descending);
}

/** Returns the reason why a text is no node of the tape, or "". */
export function nodeProblem(tape: Tape, text: string): string {
  if (numberOf(tape, text) !== -1) return "";
  const hosts = `h0 to h${tape.header.hosts - 1}`;
  return `There is no ${text.trim()}; there are ${tape.header.stations ? `s0 to s${tape.header.stations - 1} and ` : ""}${hosts}.`;
}

/** Returns null without a name, and -1 if there is no such node. */
function numberOf(tape: Tape, text: string): number | null {
  const name = text.trim().toLowerCase();
  if (!name) return null;
  const number = Number(name.slice(1)) + (name.startsWith("h") ? tape.header.stations : 0);
  return Number.isInteger(number) && number >= 0 && number < tape.nodes && nodeName(tape, number) === name ? number : -1;
}

function waits(tape: Tape, delivery: number, wait: Exclude<Filters["wait"], "">): boolean {
  const { waited } = tape.deliveries;
  if (wait === "any") return waited.order[delivery] + waited.host[delivery] + waited.downlink[delivery] > 0;
  return waited[wait][delivery] > 0;
}

function passes(tape: Tape, delivery: number, node: number): boolean {
  const { sender, host, message } = tape.deliveries;
  if (node >= tape.header.stations) return sender[delivery] === node || host[delivery] === node - tape.header.stations;
  return tape.ofMessage.of(message[delivery]).some((row) => {
    const { columns } = tape;
    const otherReceiver = columns.host[row] >= 0 && columns.host[row] !== host[delivery];
    const ofSender = columns.node[row] === sender[delivery];
    return (!otherReceiver || ofSender) && (columns.node[row] === node || columns.peer[row] === node);
  });
}

function valuesOf(tape: Tape, key: SortKey): ArrayLike<number> {
  const { deliveries } = tape;
  if (key === "receiver") return deliveries.host;
  if ((WAITS as readonly string[]).includes(key)) return deliveries.waited[key as WaitName];
  return deliveries[key as "message" | "sender" | "sent" | "delay"];
}

/** Returns the rows by their values; unknown values are last. */
function sorted(rows: number[], values: ArrayLike<number>, descending: boolean): number[] {
  const sign = descending ? -1 : 1;
  return rows.sort((one, other) => {
    const [a, b] = [values[one], values[other]];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b)) || one - other;
    return sign * (a - b) || one - other;
  });
}
