// The space-time diagram with its keys, its pointer and its buttons.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Axis, clipped, differentTimes, type Window } from "./axis";
import { type Content, contentOf, type History, historyOf } from "./diagram_content";
import { AXIS_HEIGHT, drawAxis, drawDiagram, hit, LABELS, layoutOf, MARGIN, type Target, titleOf } from "./diagram_drawing";
import { save, useColourScheme, useWidth } from "./hooks";
import type { Moves } from "./moves";
import { CanvasPainter, palette, prepared, SvgPainter } from "./paint";
import type { Lines, State } from "./state";
import type { Tape } from "./tape";
import { clock, duration, nodeName, sentence } from "./words";

const HEIGHT = 400;
const WHEEL = 0.0015;
const LISTED = 200;

interface Properties {
  tape: Tape;
  moves: Moves;
  state: State;
  change: (next: (state: State) => State) => void;
  select: (delivery: number) => void;
  moveTo: (row: number) => void;
  step: (forward: boolean, node: number) => void;
  selectCursor: () => void;
  announce: (words: string) => void;
}

export function DiagramView(properties: Properties) {
  const { tape, moves, state, change, select } = properties;
  const [box, width] = useWidth<HTMLDivElement>();
  const [canvas, axisCanvas] = [useRef<HTMLCanvasElement>(null), useRef<HTMLCanvasElement>(null)];
  const targets = useRef<Target[]>([]);
  const [lane, setLane] = useState(-1);
  const [pointed, setPointed] = useState("");
  const dark = useColourScheme();
  const { window, selection, byEvent, lines, past, future, allLanes } = state;
  const history = useMemo(() => historyOf(tape, selection), [tape, selection]);
  const content = useMemo(
    () => contentOf(tape, moves, state, history),
    [tape, window.from, window.to, selection, lines, past, future, allLanes],
  );
  const times = useMemo(() => (byEvent ? eventTimes(tape, selection, history) : null), [tape, byEvent, history]);
  const axis = new Axis(window, LABELS + MARGIN, Math.max(width - LABELS - 2 * MARGIN, 1), times);
  const layout = layoutOf(content.lanes, width, HEIGHT);

  useEffect(() => {
    if (!canvas.current || !axisCanvas.current || width === 0) return;
    const colours = palette();
    const painter = new CanvasPainter(prepared(canvas.current, width, layout.height));
    targets.current = drawDiagram(painter, tape, content, axis, layout, colours);
    drawAxis(new CanvasPainter(prepared(axisCanvas.current, width, AXIS_HEIGHT)), tape, axis, width, colours, byEvent);
  }, [content, width, window.from, window.to, byEvent, dark]);

  const setWindow = (next: Window) => change((old) => ({ ...old, window: clipped(tape, next) }));
  const middle = LABELS + (width - LABELS) / 2;
  const x = axis.x(state.time);
  const shownLane = content.lanes.includes(lane) ? lane : -1;

  const pressed = (event: KeyboardEvent) => {
    const action = keyAction(event, { ...properties, content, axis, x, lane: shownLane, setLane, setWindow });
    if (!action) return;
    event.preventDefault();
    action();
  };

  return (
    <section class="diagram" aria-labelledby="diagram-title">
      <div class="head">
        <h2 id="diagram-title">Space-time diagram</h2>
        <div class="tools">
          <button type="button" onClick={() => setWindow(axis.zoomed(middle, 0.5))} aria-label="Zoom in">+</button>
          <button type="button" onClick={() => setWindow(axis.zoomed(middle, 2))} aria-label="Zoom out">−</button>
          <button type="button" onClick={() => setWindow({ from: tape.start, to: tape.end })}>Whole time</button>
          <label>
            Axis{" "}
            <select
              id="axis"
              value={byEvent ? "event" : "linear"}
              onChange={(event) => {
                const chosen = event.currentTarget.value === "event";
                change((old) => ({ ...old, byEvent: chosen }));
              }}
            >
              <option value="linear">linear</option>
              <option value="event">by event</option>
            </select>
          </label>
          {selection < 0 && <LinesChoice {...properties} />}
          <Choices {...properties} />
          <button type="button" id="save-svg" onClick={() => saveSvg(tape, content, axis, width, byEvent)}>Save SVG</button>
        </div>
      </div>
      <div ref={box}>
        <canvas ref={axisCanvas} class="axis" style={{ height: `${AXIS_HEIGHT}px` }} aria-hidden="true" />
        <div class="lanes">
          <canvas
            ref={canvas}
            id="diagram"
            tabIndex={0}
            role="application"
            aria-label={`${titleOf(tape, content, window.from, window.to)}. Arrow keys step through events and nodes.`}
            aria-describedby="diagram-keys"
            style={{ height: `${layout.height}px` }}
            onKeyDown={pressed}
            {...pointer(properties, axis, targets, setPointed, setWindow)}
          />
          {shownLane >= 0 && (
            <div
              class="lane"
              style={{ top: `${(layout.y.get(shownLane) ?? 0) - layout.lane / 2}px`, height: `${layout.lane}px` }}
            />
          )}
          {x >= LABELS && x <= width && <div class="now" style={{ transform: `translateX(${x}px)` }} />}
        </div>
      </div>
      <p class="note" id="diagram-note">{content.note}</p>
      <p class="note pointed" aria-hidden="true">{pointed || " "}</p>
      <Legend selected={selection >= 0} cells={tape.header.stations > 0} />
      <details>
        <summary>Keys and pointer</summary>
        <p id="diagram-keys">
          Left and right: previous and next event. Up and down: choose a node, then left and right step through its
          events. Enter: select the delivery of the event. + and −: zoom. Page up and page down: earlier and later. Home:
          the whole time. Escape: no node, then no selection. Space: play and pause. Once the diagram has the focus,
          the wheel zooms, and with Shift it pans. Drag to pan; click a line to select its delivery, or
          an empty place to go to its time.
        </p>
      </details>
      <EventTable tape={tape} state={state} select={select} moveTo={properties.moveTo} />
    </section>
  );
}

/** Returns the times between which an axis by event has equal distances. */
function eventTimes(tape: Tape, selection: number, history: History | null): Float64Array {
  if (!history) return differentTimes(tape.columns.time);
  const { sent, event } = tape.deliveries;
  const { cone, path } = history;
  const ends = [...cone.past, ...cone.future, selection].flatMap((each) => [sent[each], tape.columns.time[event[each]]]);
  const steps = path.steps.flatMap((step) => [step.from, step.until]);
  return differentTimes([...ends, ...steps].filter((time) => !Number.isNaN(time)));
}

interface KeyContext extends Properties {
  content: Content;
  axis: Axis;
  x: number;
  lane: number;
  setLane: (node: number) => void;
  setWindow: (next: Window) => void;
}

function keyAction(event: KeyboardEvent, context: KeyContext): (() => void) | null {
  const { tape, state, axis, x, lane, content, setLane, setWindow } = context;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const toLane = (by: number) => {
    const at = content.lanes.indexOf(lane) + by;
    const node = content.lanes[Math.min(Math.max(at, 0), content.lanes.length - 1)];
    setLane(node);
    context.announce(`Node ${nodeName(tape, node)}`);
  };
  switch (event.key) {
    case "ArrowRight":
      return () => context.step(true, lane);
    case "ArrowLeft":
      return () => context.step(false, lane);
    case "ArrowDown":
      return () => toLane(1);
    case "ArrowUp":
      return () => toLane(-1);
    case "+":
    case "=":
      return () => setWindow(axis.zoomed(x, 0.5));
    case "-":
      return () => setWindow(axis.zoomed(x, 2));
    case "PageUp":
      return () => setWindow(axis.shifted(-0.5));
    case "PageDown":
      return () => setWindow(axis.shifted(0.5));
    case "Home":
      return () => setWindow({ from: tape.start, to: tape.end });
    case "Enter":
      return () => context.selectCursor();
    case "Escape":
      return () => (lane >= 0 ? setLane(-1) : state.selection >= 0 && context.select(-1));
    default:
      return null;
  }
}

/** Returns the handlers of a pointer: point, click, drag and wheel. */
function pointer(
  { tape, change, select }: Properties,
  axis: Axis,
  targets: { current: Target[] },
  setPointed: (words: string) => void,
  setWindow: (next: Window) => void,
) {
  const found = (event: MouseEvent) => hit(targets.current, event.offsetX, event.offsetY);
  return {
    onPointerDown: (down: PointerEvent) => {
      const canvas = down.currentTarget as HTMLElement;
      const width = canvas.clientWidth - LABELS;
      let moved = 0;
      const dragged = (event: PointerEvent) => {
        moved = event.clientX - down.clientX;
        if (Math.abs(moved) > 3) setWindow(axis.shifted(-moved / width));
      };
      const ended = (event: PointerEvent) => {
        canvas.removeEventListener("pointermove", dragged);
        if (event.type === "pointercancel" || Math.abs(moved) > 3) return;
        const target = found(event);
        if (target && target.delivery >= 0) select(target.delivery);
        else if (event.offsetX >= LABELS) change((old) => ({ ...old, time: axis.time(event.offsetX) }));
      };
      canvas.setPointerCapture(down.pointerId);
      canvas.addEventListener("pointermove", dragged);
      canvas.addEventListener("pointerup", ended, { once: true });
      canvas.addEventListener("pointercancel", ended, { once: true });
    },
    onPointerMove: (event: PointerEvent) => {
      if (event.buttons) return;
      const target = found(event);
      setPointed(target ? `${clock(tape, tape.columns.time[target.row])}: ${sentence(tape, target.row)}` : "");
    },
    onPointerLeave: () => setPointed(""),
    onWheel: (event: WheelEvent) => {
      if (!event.ctrlKey && document.activeElement !== event.currentTarget) return; // the page scrolls
      event.preventDefault();
      const by = event.deltaY || event.deltaX;
      if (event.shiftKey || event.deltaX) setWindow(axis.shifted(by * WHEEL * 0.5));
      else setWindow(axis.zoomed(event.offsetX, Math.exp(by * WHEEL)));
    },
  };
}

function LinesChoice({ tape, state, change }: Properties) {
  return (
    <label>
      Lines{" "}
      <select
        id="lines"
        value={state.lines}
        onChange={(event) => {
          const lines = event.currentTarget.value as Lines;
          change((old) => ({ ...old, lines }));
        }}
      >
        <option value="messages">messages</option>
        <option value="data">packets with data</option>
        <option value="all">all packets</option>
        {tape.controlKinds.map((kind) => <option key={kind} value={`only ${kind}`}>only: {kind}</option>)}
      </select>
    </label>
  );
}

function Choices({ state, change }: Properties) {
  const box = (name: "past" | "future" | "allLanes", label: string) => (
    <label>
      <input type="checkbox" checked={state[name]} onChange={() => change((old) => ({ ...old, [name]: !old[name] }))} />
      {label}
    </label>
  );
  return (
    <>
      {state.selection >= 0 && box("past", "past")}
      {state.selection >= 0 && box("future", "future")}
      {box("allLanes", "all nodes")}
    </>
  );
}

function Legend({ selected, cells }: { selected: boolean; cells: boolean }) {
  return (
    <ul class="legend">
      {selected ? (
        <>
          <li><span class="own">⟶</span> this message</li>
          <li><span class="past">⟶</span> causal past</li>
          <li><span class="future">⇢</span> causal future</li>
          <li><span class="wait">⟶</span> the message for which it waited</li>
          <li><span class="fault">⟶</span> the predecessor that it overtook</li>
        </>
      ) : (
        <li><span class="data">⟶</span> data</li>
      )}
      <li><span class="data">○</span> sent</li>
      <li><span class="data">●</span> delivered</li>
      <li><span class="fault">✕</span> before its causal predecessor, or lost (small)</li>
      <li><span class="fault">◆</span> fault</li>
      <li><span class="wait">▬</span> wait</li>
      {cells && <li><span class="move">✕ ┄ ▬ ▲</span> left, between cells, not yet registered, registered</li>}
      {cells && <li><span class="move">◆</span> phase of a hand-off</li>}
    </ul>
  );
}

interface EventTableProperties {
  tape: Tape;
  state: State;
  select: (delivery: number) => void;
  moveTo: (row: number) => void;
}

/** The events after the present time, as a table. */
function EventTable({ tape, state, moveTo }: EventTableProperties) {
  const [open, setOpen] = useState(false);
  const first = open ? tape.firstFrom(state.time) : 0;
  const rows = open ? Array.from({ length: Math.min(LISTED, tape.length - first) }, (_, index) => first + index) : [];
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The events from the present time on, as a table</summary>
      <p class="note">{rows.length} of {(tape.length - first).toLocaleString("en")} events.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Events">
        <table>
          <thead><tr><th scope="col">time</th><th scope="col">length</th><th scope="col" class="words">event</th></tr></thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <td><button type="button" class="link" onClick={() => moveTo(row)}>{clock(tape, tape.columns.time[row])}</button></td>
                <td>{duration(tape, tape.columns.until[row] - tape.columns.time[row])}</td>
                <td class="words">{sentence(tape, row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function saveSvg(tape: Tape, content: Content, axis: Axis, width: number, byEvent: boolean): void {
  const colours = palette();
  const layout = layoutOf(content.lanes, width, HEIGHT);
  const painter = new SvgPainter();
  drawDiagram(painter, tape, content, axis, layout, colours);
  const top = new SvgPainter();
  drawAxis(top, tape, axis, width, colours, byEvent);
  const title = titleOf(tape, content, axis.time(LABELS), axis.time(width));
  const picture = painter.below(top, AXIS_HEIGHT).picture(title, width, layout.height + AXIS_HEIGHT, colours.page);
  save("space-time.svg", picture, "image/svg+xml");
}
