// Where stations and hosts are drawn, and what is in flight at a time.

import type { Moves, Place } from "./moves";
import { isDrawn, type State } from "./state";
import type { Tape } from "./tape";

/** More frames and packets than this are not drawn. */
export const MAX_IN_FLIGHT = 300;
/** If there are more hosts, registered hosts without packets are not drawn. */
export const MAX_HOSTS = 1500;

export interface Point {
  x: number;
  y: number;
}

export interface HostPlace extends Point {
  place: Place;
}

export interface Flight {
  row: number;
  /** The part of the way that is done. */
  part: number;
  own: boolean;
}

export interface Flights {
  shown: Flight[];
  leftOut: number;
}

/** Returns the points of the stations; on a circle, if their positions are unknown. */
export function stationPoints(tape: Tape, width: number, height: number): Point[] {
  const { positions, stations } = tape.header;
  if (!positions.length) return circle(stations, width, height, 0.72);
  const [xs, ys] = [positions.map(([x]) => x), positions.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(Math.max(...xs) - left, 1), Math.max(Math.max(...ys) - top, 1)];
  const margin = Math.min(50, width / 6);
  const scale = Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high);
  const [dx, dy] = [(width - wide * scale) / 2, (height - high * scale) / 2];
  return positions.map(([x, y]) => ({ x: dx + (x - left) * scale, y: dy + (y - top) * scale }));
}

function circle(count: number, width: number, height: number, size: number): Point[] {
  return Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * index) / count - Math.PI / 2;
    return { x: (width / 2) * (1 + size * Math.cos(angle)), y: (height / 2) * (1 + size * Math.sin(angle)) };
  });
}

/** Returns the points of the hosts at a time: around the station of their cell, or between two stations. */
export function hostPoints(
  tape: Tape,
  moves: Moves,
  time: number,
  stations: Point[],
  width: number,
  height: number,
): HostPlace[] {
  const { hosts } = tape.header;
  const places = Array.from({ length: hosts }, (_, host) => moves.at(host, time));
  if (!stations.length) {
    const registered: Place = { station: -1, state: "registered" };
    return circle(hosts, width, height, 0.85).map((point) => ({ ...point, place: registered }));
  }
  const distance = cellSize(stations, width);
  const inCell = new Map<number, number>();
  return places.map((place, host) => {
    const station = stations[place.station];
    if (!station) return { x: 12 + (host % 20) * 9, y: height - 10, place };
    if (place.state === "between") return { ...midway(moves, host, time, station, stations), place };
    const index = inCell.get(place.station) ?? 0;
    inCell.set(place.station, index + 1);
    return { ...around(station, index, distance), place };
  });
}

/** Returns the radius in which the hosts of a cell are drawn. */
export function cellSize(stations: Point[], width: number): number {
  let nearest = width / 2;
  for (const one of stations) {
    for (const other of stations) {
      if (one !== other) nearest = Math.min(nearest, Math.hypot(one.x - other.x, one.y - other.y));
    }
  }
  return nearest * 0.42;
}

function around(station: Point, index: number, size: number): Point {
  const angle = index * 2.4; // the golden angle spreads points evenly
  const radius = Math.min(15 + 5.5 * Math.sqrt(index), Math.max(size, 12));
  return { x: station.x + radius * Math.cos(angle), y: station.y + radius * Math.sin(angle) };
}

function midway(moves: Moves, host: number, time: number, from: Point, stations: Point[]): Point {
  const [handOff] = moves.during(host, time - 1, time + 1);
  const to = stations[handOff?.to ?? -1] ?? from;
  const part = handOff ? Math.min(Math.max((time - handOff.left) / (handOff.entered - handOff.left || 1), 0.2), 0.8) : 0.5;
  const aside = to === from ? 22 : 0;
  return { x: from.x + (to.x - from.x) * part + aside, y: from.y + (to.y - from.y) * part + aside };
}

/** Returns the frames and packets in flight; those of the selected message first. */
export function flightsAt(tape: Tape, state: State): Flights {
  const { time, until, event, message, node, peer } = tape.columns;
  const [frame, packet] = [tape.number("frame"), tape.number("packet")];
  const chosen = state.selection < 0 ? -1 : tape.deliveries.message[state.selection];
  const [own, others]: [Flight[], Flight[]] = [[], []];
  let leftOut = 0;
  for (let row = tape.firstFrom(state.time - tape.longestTransit); row < tape.length && time[row] <= state.time; row++) {
    if (until[row] <= state.time || node[row] === peer[row] || (event[row] !== frame && event[row] !== packet)) continue;
    if (!isDrawn(tape, state.lines === "messages" ? "data" : state.lines, row)) continue;
    const flight = { row, part: (state.time - time[row]) / (until[row] - time[row]), own: message[row] === chosen };
    if (flight.own) own.push(flight);
    else if (others.length < MAX_IN_FLIGHT) others.push(flight);
    else leftOut++;
  }
  return { shown: [...own, ...others], leftOut };
}
