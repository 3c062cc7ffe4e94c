// The axis of time: linear, or with the same distance between all events.

import type { Tape } from "./tape";
import { lowerBound } from "./tape";

export interface Window {
  from: number;
  to: number;
}

export class Axis {
  private readonly from: number;
  private readonly span: number;

  /** `times`: the times of events for an axis by event, sorted, or null for a linear axis. */
  constructor(
    window: Window,
    private readonly left: number,
    private readonly width: number,
    private readonly times: ArrayLike<number> | null,
  ) {
    this.from = this.place(window.from);
    this.span = Math.max(this.place(window.to) - this.from, 1e-9);
  }

  x(time: number): number {
    return this.left + ((this.place(time) - this.from) / this.span) * this.width;
  }

  time(x: number): number {
    return this.timeAt(this.from + ((x - this.left) / this.width) * this.span);
  }

  /** Returns the window after a zoom around a point, or after a shift by a part of the width. */
  zoomed(x: number, factor: number): Window {
    const centre = this.from + ((x - this.left) / this.width) * this.span;
    const from = centre - (centre - this.from) * factor;
    return { from: this.timeAt(from), to: this.timeAt(from + this.span * factor) };
  }

  shifted(part: number): Window {
    const from = this.from + part * this.span;
    return { from: this.timeAt(from), to: this.timeAt(from + this.span) };
  }

  ticks(count: number, step: boolean): number[] {
    if (this.times) return Array.from({ length: count + 1 }, (_, each) => this.timeAt(this.from + (this.span * each) / count));
    const raw = this.span / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const size = Math.max([1, 2, 5, 10].find((factor) => factor * power >= raw)! * power, step ? 1 : 0);
    const first = Math.ceil(this.from / size) * size;
    const found: number[] = [];
    for (let tick = first; tick <= this.from + this.span; tick += size) found.push(tick);
    return found;
  }

  private place(time: number): number {
    const { times } = this;
    if (!times?.length) return time;
    const after = lowerBound(times, time);
    if (after === 0) return (time - times[0]) / (times[times.length - 1] - times[0] || 1);
    if (after === times.length) return times.length - 1;
    const before = times[after - 1];
    return after - 1 + (time - before) / (times[after] - before);
  }

  private timeAt(place: number): number {
    const { times } = this;
    if (!times?.length) return place;
    const index = Math.min(Math.max(Math.floor(place), 0), times.length - 1);
    const next = times[Math.min(index + 1, times.length - 1)];
    return times[index] + Math.min(Math.max(place - index, 0), 1) * (next - times[index]);
  }
}

/** Returns the different times of events, sorted. */
export function differentTimes(times: Iterable<number>): Float64Array {
  const sorted = Float64Array.from(times).sort();
  return sorted.filter((time, index) => index === 0 || time !== sorted[index - 1]);
}

/** Returns the window inside the tape, and at least a millionth of it long. */
export function clipped(tape: Tape, window: Window): Window {
  const whole = tape.end - tape.start;
  const length = Math.min(Math.max(window.to - window.from, tape.header.unit === "step" ? 2 : 1000), whole * 1.02);
  const middle = (window.from + window.to) / 2;
  const from = Math.min(Math.max(middle - length / 2, tape.start - whole * 0.01), tape.end + whole * 0.01 - length);
  return { from, to: from + length };
}
