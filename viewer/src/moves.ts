// Where hosts are, and their hand-offs.

import type { Tape } from "./tape";
import { lowerBound } from "./tape";

export interface Place {
  /** The station of the host's cell, or the last one; -1 if it is unknown. */
  station: number;
  state: "registered" | "entered" | "between" | "disconnected";
}

export interface HandOff {
  host: number;
  from: number;
  to: number;
  left: number;
  entered: number;
  registered: number;
  /** The rows of the phases. */
  phases: number[];
  /** The times between which the hand-off, or the absence of the host, lasted. */
  start: number;
  end: number;
  disconnected: boolean;
}

interface Change extends Place {
  time: number;
}

export class Moves {
  private readonly changes: Change[][];
  private readonly times: number[][];
  readonly handOffs: HandOff[][];

  constructor(private readonly tape: Tape) {
    const { hosts, cells } = tape.header;
    this.changes = Array.from({ length: hosts }, (_, host) => [startOf(cells[host] ?? -1)]);
    this.handOffs = Array.from({ length: hosts }, () => []);
    for (let row = 0; row < tape.length; row++) this.read(row);
    this.times = this.changes.map((changes) => changes.map((change) => change.time));
  }

  /** Returns where a host is. */
  at(host: number, time: number): Place {
    const after = lowerBound(this.times[host], time + 0.5);
    return this.changes[host][Math.max(0, after - 1)];
  }

  /** Returns the hand-offs of a host that overlap a part of time. */
  during(host: number, from: number, until: number): HandOff[] {
    return this.handOffs[host].filter((each) => each.start < until && each.end > from);
  }

  private read(row: number): void {
    const { tape } = this;
    const { time, peer, host } = tape.columns;
    const kind = tape.kindOf(row);
    if (!["left", "entered", "registered", "handoff"].includes(kind) || host[row] < 0) return;
    const [changes, handOffs] = [this.changes[host[row]], this.handOffs[host[row]]];
    const before = changes[changes.length - 1];
    let last = handOffs[handOffs.length - 1];
    if (kind === "left") {
      const disconnected = tape.nameOf(row) === "disconnects";
      const state = disconnected ? "disconnected" : "between";
      changes.push({ time: time[row], station: peer[row], state });
      handOffs.push(newHandOff(host[row], peer[row], time[row], disconnected));
      return;
    }
    if (!last) {
      last = newHandOff(host[row], before.station, tape.start, false);
      handOffs.push(last);
    }
    last.end = time[row];
    if (kind === "entered") {
      [last.to, last.entered] = [peer[row], time[row]];
      changes.push({ time: time[row], station: peer[row], state: "entered" });
    } else if (kind === "registered") {
      last.registered = time[row];
      changes.push({ time: time[row], station: peer[row], state: "registered" });
    } else {
      last.phases.push(row);
    }
  }
}

function startOf(station: number): Change {
  return { time: -Infinity, station, state: station < 0 ? "between" : "registered" };
}

function newHandOff(host: number, from: number, start: number, disconnected: boolean): HandOff {
  const [to, entered, registered] = [-1, NaN, NaN];
  return { host, from, to, left: start, entered, registered, phases: [], start, end: start, disconnected };
}
