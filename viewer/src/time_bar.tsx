// The time: play, pause, speed, steps, and a slider with the density of events.

import { useEffect, useRef } from "preact/hooks";
import { reducedMotion, useColourScheme, useWidth } from "./hooks";
import { CanvasPainter, palette, prepared } from "./paint";
import type { State } from "./state";
import type { Tape } from "./tape";
import { clock } from "./words";

const HEIGHT = 30;
const POSITIONS = 10_000;
const BIN_WIDTH = 3;
const STILL_SECONDS = 0.5;
const SPEEDS_NS: [number, string][] = [
  [1e5, "1/10,000 speed"],
  [1e6, "1/1,000 speed"],
  [1e7, "1/100 speed"],
  [1e8, "1/10 speed"],
  [1e9, "real time"],
  [1e10, "10 × speed"],
];
const SPEEDS_STEP: [number, string][] = [
  [1, "1 step/s"],
  [2, "2 steps/s"],
  [5, "5 steps/s"],
];

interface Properties {
  tape: Tape;
  state: State;
  playing: boolean;
  speed: number;
  setPlaying: (playing: boolean) => void;
  setSpeed: (speed: number) => void;
  setTime: (time: number) => void;
  step: (forward: boolean, node: number) => void;
}

/** Returns the units of time for each second of playing, at first. */
export function firstSpeed(tape: Tape): number {
  return tape.header.unit === "step" ? 2 : 1e7;
}

export function TimeBar({ tape, state, playing, speed, setPlaying, setSpeed, setTime, step }: Properties) {
  const length = tape.end - tape.start;
  const speeds = tape.header.unit === "step" ? SPEEDS_STEP : SPEEDS_NS;
  usePlaying({ tape, state, playing, speed, setPlaying, setTime });
  return (
    <section class="time" aria-label="Time">
      <div class="tools">
        <button type="button" id="back" onClick={() => step(false, -1)} aria-label="Previous event">◂|</button>
        <button type="button" id="play" onClick={() => setPlaying(!playing)}>{playing ? "Pause" : "Play"}</button>
        <button type="button" id="forward" onClick={() => step(true, -1)} aria-label="Next event">|▸</button>
        <select
          id="speed"
          aria-label="Speed"
          value={String(speed)}
          onChange={(event) => setSpeed(Number(event.currentTarget.value))}
        >
          {speeds.map(([value, words]) => <option key={value} value={String(value)}>{words}</option>)}
        </select>
        <output id="clock">{clock(tape, state.time)}</output>
      </div>
      <div class="slider">
        <Density tape={tape} state={state} />
        <input
          id="time"
          type="range"
          min={0}
          max={POSITIONS}
          step={1}
          aria-label="Time"
          aria-valuetext={clock(tape, state.time)}
          value={Math.round(((state.time - tape.start) / length) * POSITIONS)}
          onInput={(event) => setTime(tape.start + (Number(event.currentTarget.value) / POSITIONS) * length)}
        />
      </div>
    </section>
  );
}

/** Moves the time while playing. A reader who wants little motion gets two pictures a second. */
function usePlaying({ tape, state, playing, speed, setPlaying, setTime }: Omit<Properties, "setSpeed" | "step">): void {
  const time = useRef(state.time);
  time.current = state.time;
  useEffect(() => {
    if (!playing) return;
    let request = 0;
    let last = performance.now();
    const moved = (now: number) => {
      const passed = (now - last) / 1000;
      if (!reducedMotion() || passed >= STILL_SECONDS) {
        last = now;
        const next = Math.min(tape.end, time.current + Math.min(passed, 1) * speed);
        setTime(next);
        if (next >= tape.end) setPlaying(false);
      }
      request = requestAnimationFrame(moved);
    };
    request = requestAnimationFrame(moved);
    return () => cancelAnimationFrame(request);
  }, [playing, speed]);
}

/** The number of events over time; faults and overtakings; and the window of the diagram. */
function Density({ tape, state }: { tape: Tape; state: State }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useColourScheme();
  const place = (time: number) => ((time - tape.start) / (tape.end - tape.start)) * 100;
  useEffect(() => {
    if (!canvas.current || width === 0) return;
    const painter = new CanvasPainter(prepared(canvas.current, width, HEIGHT));
    const colours = palette();
    const counts = new Int32Array(Math.ceil(width / BIN_WIDTH));
    const x = (time: number) => (place(time) / 100) * (width - 1);
    for (const time of tape.columns.time) counts[Math.min(Math.max(Math.floor(x(time) / BIN_WIDTH), 0), counts.length - 1)]++;
    const most = counts.reduce((one, other) => Math.max(one, other), 1);
    counts.forEach((count, bin) => {
      const high = (count / most) * HEIGHT;
      painter.box(bin * BIN_WIDTH, HEIGHT - high, BIN_WIDTH - 1, high, { colour: colours.control, opacity: 0.5 });
    });
    const { overtaken, event, count } = tape.deliveries;
    const marked = [...tape.faults];
    for (let each = 0; each < count; each++) if (overtaken[each] >= 0) marked.push(event[each]);
    for (const row of marked) painter.mark("bar", x(tape.columns.time[row]), 4, 4, { colour: colours.fault });
  }, [tape, width, dark]);
  const from = Math.max(place(state.window.from), 0);
  return (
    <div ref={box} class="density" aria-hidden="true">
      <canvas ref={canvas} style={{ height: `${HEIGHT}px` }} />
      <div class="window" style={{ left: `${from}%`, width: `${Math.max(Math.min(place(state.window.to), 100) - from, 0.3)}%` }} />
    </div>
  );
}
