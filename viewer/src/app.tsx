// The page: all views of one tape, with one state.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Cone, coneOf } from "./causality";
import { DeliveryTable } from "./delivery_table";
import { deliveryOf } from "./diagram_content";
import { DiagramView } from "./diagram_view";
import { steppedTo } from "./events";
import { MapView } from "./map_view";
import { Moves } from "./moves";
import { atTime, firstState, fragmentOf, selected, type State } from "./state";
import type { Tape } from "./tape";
import { firstSpeed, TimeBar } from "./time_bar";
import { WhyPanel } from "./why_panel";
import { clock, counted, duration, sentence } from "./words";

const FRAGMENT_DELAY = 250;

declare global {
  interface Window {
    /** The state of the page, for tests and for the curious. */
    viewer?: {
      tape: Tape;
      state: State;
      playing: boolean;
      select: (delivery: number) => void;
      setTime: (time: number) => void;
      /** Returns the causal past and future of a delivery. */
      cone: (delivery: number) => Cone;
    };
  }
}

export function App({ tape }: { tape: Tape }) {
  const [state, setState] = useState(() => firstState(tape, location.hash));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(() => firstSpeed(tape));
  const [cursor, setCursor] = useState(-1);
  const [announced, announce] = useState("");
  const moves = useMemo(() => new Moves(tape), [tape]);
  useFragment(tape, state, setState);

  const select = useCallback((delivery: number) => {
    setState((old) => selected(tape, old, delivery));
    setCursor(-1);
    announce(delivery < 0 ? "Nothing is selected" : selectionWords(tape, delivery));
  }, [tape]);
  const setTime = useCallback((time: number) => setState((old) => atTime(tape, old, time)), [tape]);
  const moveTo = useCallback((row: number) => {
    setCursor(row);
    setState((old) => atTime(tape, old, tape.columns.time[row]));
    announce(`${clock(tape, tape.columns.time[row])}: ${sentence(tape, row)}`);
  }, [tape]);
  const step = (forward: boolean, node: number) => {
    setPlaying(false);
    const row = steppedTo(tape, state, node, cursor, forward);
    if (row >= 0) moveTo(row);
    else announce(forward ? "There is no later event" : "There is no earlier event");
  };
  const selectCursor = () => {
    const delivery = cursor >= 0 && tape.columns.message[cursor] >= 0 ? deliveryOf(tape, cursor) : -1;
    if (delivery >= 0) select(delivery);
    else announce("The present event belongs to no delivery");
  };
  const pressed = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.key !== " " || ["BUTTON", "INPUT", "SELECT", "SUMMARY"].includes(target.tagName)) return;
    event.preventDefault();
    setPlaying(!playing);
  };
  window.viewer = { tape, state, playing, select, setTime, cone: (delivery) => coneOf(tape, delivery) };

  const table = useMemo(
    () => <DeliveryTable tape={tape} selection={state.selection} select={select} />,
    [tape, state.selection],
  );
  const why = useMemo(
    () => <WhyPanel tape={tape} moves={moves} selection={state.selection} select={select} moveTo={moveTo} />,
    [tape, state.selection],
  );
  return (
    <main onKeyDown={pressed}>
      <header>
        <h1>{titleOf(tape)}</h1>
        <p class="note">{factsOf(tape)}</p>
      </header>
      <div class="bar">
        <TimeBar {...{ tape, state, playing, speed, setPlaying, setSpeed, setTime, step }} />
        <p id="announced" role="status" aria-live="polite">{announced || "Select a delivery, move the time, or press Play."}</p>
      </div>
      <div class="views">
        <div class="column">
          <DiagramView {...{ tape, moves, state, change: setState, select, moveTo, step, selectCursor, announce }} />
          {table}
        </div>
        <div class="column">
          <MapView {...{ tape, moves, state, step }} />
          {why}
        </div>
      </div>
    </main>
  );
}

/** Keeps the fragment of the address up to date, and follows it if the reader changes it. */
function useFragment(tape: Tape, state: State, setState: (state: State) => void): void {
  const written = useRef(location.hash);
  const { selection, time, window: shown, byEvent } = state;
  useEffect(() => {
    const timer = setTimeout(() => {
      written.current = fragmentOf(tape, state);
      try {
        history.replaceState(null, "", written.current);
      } catch {
        // A page in a frame of a notebook has no address of its own.
      }
    }, FRAGMENT_DELAY);
    return () => clearTimeout(timer);
  }, [selection, time, shown.from, shown.to, byEvent]);
  useEffect(() => {
    const changed = () => {
      if (location.hash !== written.current) setState(firstState(tape, location.hash));
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, [tape]);
}

function titleOf(tape: Tape): string {
  const { scenario, protocol, replication } = tape.header.run;
  const name = [scenario, protocol].filter((word) => word !== undefined && word !== "").join(", ") || "A tape";
  return replication === undefined ? name : `${name}, replication ${replication}`;
}

function factsOf(tape: Tape): string {
  const { header } = tape;
  const what = header.source === "explorer" ? "A schedule of the explorer, without time" : "A run, executed again";
  const nodes = header.stations ? `${counted(header.hosts, "host")}, ${counted(header.stations, "station")}` : counted(header.hosts, "host");
  const from = header.unit === "step" ? "" : `, from ${clock(tape, tape.start)} for ${duration(tape, tape.end - tape.start)}`;
  return `${what}: ${nodes}, ${counted(tape.length, "event")}, ${counted(tape.deliveries.count, "delivery")}${from}.`;
}

function selectionWords(tape: Tape, delivery: number): string {
  const { message, host, delay } = tape.deliveries;
  return `Selected: message ${message[delivery]} to h${host[delivery]}, delay ${duration(tape, delay[delivery])}`;
}
