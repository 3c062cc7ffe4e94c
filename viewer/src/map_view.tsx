// The map: stations, hosts, and what is in flight at the present time.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { useColourScheme, useWidth } from "./hooks";
import { cellSize, type Flights, flightsAt, type HostPlace, hostPoints, MAX_HOSTS, MAX_IN_FLIGHT, type Point, stationPoints } from "./map_content";
import type { Moves } from "./moves";
import { CanvasPainter, type Painter, type Palette, palette, prepared, type Shape } from "./paint";
import type { State } from "./state";
import { LOST, type Tape } from "./tape";
import { clock, counted, nodeName, sentence } from "./words";

const HEIGHT = 280;
const LISTED = 50;
const LABELLED_HOSTS = 60;
/** Stations have their names if cells have this radius. */
const LABELLED_CELL = 11;

const STATES: Record<HostPlace["place"]["state"], [shape: Shape, words: string]> = {
  registered: ["circle", "registered"],
  entered: ["ring", "in the cell, not yet registered"],
  between: ["diamond", "between cells"],
  disconnected: ["cross", "disconnected"],
};

interface Properties {
  tape: Tape;
  moves: Moves;
  state: State;
  step: (forward: boolean, node: number) => void;
}

export function MapView({ tape, moves, state, step }: Properties) {
  const [box, width] = useWidth<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useColourScheme();
  const stations = useMemo(() => stationPoints(tape, width, HEIGHT), [tape, width]);
  const hosts = hostPoints(tape, moves, state.time, stations, width, HEIGHT);
  const flights = flightsAt(tape, state);

  useEffect(() => {
    if (!canvas.current || width === 0) return;
    const painter = new CanvasPainter(prepared(canvas.current, width, HEIGHT));
    drawMap(painter, tape, state, stations, hosts, flights, width, palette());
  }, [state.time, state.selection, state.lines, width, dark]);

  const pressed = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    step(event.key === "ArrowRight", -1);
  };
  const away = hosts.filter((host) => host.place.state !== "registered");
  const kind = state.lines.startsWith("only ") ? `of the kind ${state.lines.slice("only ".length)} ` : "with data ";
  const what = state.lines === "all" ? "" : kind;
  const count = flights.shown.length + flights.leftOut;
  return (
    <section class="map" aria-labelledby="map-title">
      <div class="head">
        <h2 id="map-title">Map at {clock(tape, state.time)}</h2>
      </div>
      <div ref={box}>
        <canvas
          ref={canvas}
          id="map"
          tabIndex={0}
          role="application"
          aria-label={`Map: ${counted(tape.header.stations, "station")}, ${counted(tape.header.hosts, "host")}, ${counted(count, "packet")} in flight. Left and right step through events.`}
          style={{ height: `${HEIGHT}px` }}
          onKeyDown={pressed}
        />
      </div>
      <p class="note" id="map-note">
        {counted(count, "packet")} {what}in flight
        {flights.leftOut > 0 && `, of which ${MAX_IN_FLIGHT} are drawn`}.
        {tape.header.stations > 0 && !tape.header.positions.length && " Stations have no positions, and form a circle."}
        {tape.header.hosts > MAX_HOSTS && " Registered hosts without packets are not drawn."}
        {tape.header.stations > 0 && " Hosts are drawn around the station of their cell, not at their own positions."}
      </p>
      <ul class="legend">
        {tape.header.stations > 0 && (
          <>
            <li><span>■</span> station</li>
            <li><span class="data">●</span> registered host</li>
            <li><span class="move">○</span> not yet registered</li>
            <li><span class="move">◆</span> between cells</li>
            <li><span class="fault">✕</span> disconnected</li>
          </>
        )}
        <li><span class="own">●</span> the selected message</li>
      </ul>
      <details>
        <summary>The map as a table</summary>
        <MapTable tape={tape} hosts={away} flights={flights} />
      </details>
    </section>
  );
}

function MapTable({ tape, hosts, flights }: { tape: Tape; hosts: HostPlace[]; flights: Flights }) {
  const away = new Map<string, number>();
  for (const { place } of hosts) away.set(STATES[place.state][1], (away.get(STATES[place.state][1]) ?? 0) + 1);
  return (
    <>
      <p class="note">
        {[...away].map(([words, count]) => `${counted(count, "host")} ${words}`).join(", ") || "All hosts are registered"}.
        The first {Math.min(LISTED, flights.shown.length)} packets in flight:
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Packets in flight">
        <table>
          <thead><tr><th scope="col">sent</th><th scope="col">way</th><th scope="col" class="words">what</th></tr></thead>
          <tbody>
            {flights.shown.slice(0, LISTED).map(({ row, part }) => (
              <tr key={row}>
                <td>{clock(tape, tape.columns.time[row])}</td>
                <td>{Math.round(part * 100)} %</td>
                <td class="words">{sentence(tape, row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function drawMap(
  painter: Painter,
  tape: Tape,
  state: State,
  stations: Point[],
  hosts: HostPlace[],
  flights: Flights,
  width: number,
  colours: Palette,
): void {
  const ends = new Set<number>();
  if (state.selection >= 0) {
    ends.add(tape.deliveries.sender[state.selection]).add(tape.header.stations + tape.deliveries.host[state.selection]);
  }
  const point = (node: number) => (node < tape.header.stations ? stations[node] : hosts[node - tape.header.stations]);
  for (const flight of [...flights.shown].reverse()) drawFlight(painter, tape, flight, point, colours);
  const roomy = cellSize(stations, width) >= LABELLED_CELL;
  stations.forEach(({ x, y }, station) => {
    const name = nodeName(tape, station);
    const wide = roomy ? 4 + 6.5 * name.length : 6;
    const high = roomy ? 16 : 6;
    painter.box(x - wide / 2, y - high / 2, wide, high, { colour: colours.text });
    if (roomy) painter.text(name, x, y, { colour: colours.page }, "middle");
  });
  const labelled = tape.header.stations === 0 && hosts.length <= LABELLED_HOSTS;
  const order = hosts.map((_, host) => host).sort((one, other) => Number(ends.has(stations.length + one)) - Number(ends.has(stations.length + other)));
  const busy = new Set(flights.shown.flatMap(({ row }) => [tape.columns.node[row], tape.columns.peer[row]]));
  for (const host of order) {
    const node = tape.header.stations + host;
    const idle = hosts[host].place.state === "registered" && !busy.has(node) && !ends.has(node);
    if (idle && hosts.length > MAX_HOSTS) continue;
    drawHost(painter, hosts[host], nodeName(tape, node), ends.has(node), labelled, colours);
  }
}

function drawHost(painter: Painter, host: HostPlace, name: string, isEnd: boolean, labelled: boolean, colours: Palette): void {
  const { x, y, place } = host;
  const away = place.state === "disconnected" ? colours.fault : colours.move;
  const colour = isEnd ? colours.own : place.state === "registered" ? colours.data : away;
  painter.mark(STATES[place.state][0], x, y, isEnd ? 5.5 : 3.5, { colour, width: 2 });
  if (isEnd) painter.box(x + 7, y - 15, 6 + 7 * name.length, 14, { colour: colours.page, opacity: 0.85 });
  if (isEnd || labelled) painter.text(name, x + 9, y - 8, { colour: isEnd ? colours.own : colours.text });
}

function drawFlight(
  painter: Painter,
  tape: Tape,
  { row, part, own }: Flights["shown"][number],
  point: (node: number) => Point | undefined,
  colours: Palette,
): void {
  const { node, peer, message, detail } = tape.columns;
  const [from, to] = [point(node[row]), point(peer[row])];
  if (!from || !to) return;
  const data = message[row] >= 0;
  const lost = detail[row] === LOST;
  const colour = lost ? colours.fault : own ? colours.own : data ? colours.data : colours.control;
  const style = { colour, width: own ? 3 : 1, dash: data && !lost ? [] : [3, 3] };
  painter.line(from.x, from.y, to.x, to.y, { ...style, opacity: own ? 0.9 : 0.35 });
  const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
  painter.mark(lost ? "cross" : data ? "circle" : "square", x, y, own ? 6 : 2.8, { colour, width: 1.5 });
}
