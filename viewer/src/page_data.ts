// Decodes the tape of the page. mobilesim/viewing/page_data.py writes it, and tells how.

import type { Columns, Header } from "./tape";

interface Document {
  header: Header;
  kinds: string[];
  names: string[];
  rows: number;
  columns: [name: string, bytes: number][];
}

export interface PageData {
  header: Header;
  kinds: string[];
  names: string[];
  columns: Columns;
}

export async function decode(text: string): Promise<PageData> {
  const bytes = await inflated(text);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const document: Document = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const found = readColumns(document, bytes, 4 + length);
  return { header: document.header, kinds: document.kinds, names: document.names, columns: restored(found, document) };
}

async function inflated(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

type Numbers = Int32Array | Float64Array;

function readColumns(document: Document, bytes: Uint8Array, start: number): Map<string, Numbers> {
  const found = new Map<string, Numbers>();
  let at = start;
  for (const [name, width] of document.columns) {
    const planes = bytes.subarray(at, at + width * document.rows);
    found.set(name, width <= 4 ? narrow(planes, document.rows) : wide(planes, document.rows));
    at += planes.length;
  }
  return found;
}

/** Returns a column of numbers of at most four bytes. */
function narrow(planes: Uint8Array, rows: number): Int32Array {
  const column = new Int32Array(rows);
  for (let start = 0, shift = 0; start < planes.length; start += rows, shift += 8) {
    for (let row = 0; row < rows; row++) column[row] |= planes[start + row] << shift;
  }
  for (let row = 0; row < rows; row++) column[row] = (column[row] >>> 1) ^ -(column[row] & 1);
  return column;
}

/** Returns a column of larger numbers. */
function wide(planes: Uint8Array, rows: number): Float64Array {
  const column = new Float64Array(rows);
  for (let start = 0, factor = 1; start < planes.length; start += rows, factor *= 256) {
    for (let row = 0; row < rows; row++) column[row] += factor * planes[start + row];
  }
  for (let row = 0; row < rows; row++) {
    const number = column[row];
    column[row] = number % 2 ? -(number + 1) / 2 : number / 2;
  }
  return column;
}

/** Returns the columns of the tape, in the order of the events. */
function restored(found: Map<string, Numbers>, document: Document): Columns {
  const column = (name: string) => found.get(name)!;
  const [time, rank, event, name] = [column("time"), column("rank"), column("event"), column("name")];
  const { rows, header } = document;
  addUp(time);
  addUp(column("message"));
  const order = merged(time, rank, groups(event, name));
  const numbers = (source: Numbers) => picked(source, order, new Int32Array(rows));
  const columns: Columns = {
    time: picked(time, order, new Float64Array(rows)),
    until: picked(column("length"), order, new Float64Array(rows)),
    event: numbers(event),
    name: numbers(name),
    node: numbers(column("node")),
    peer: numbers(column("peer")),
    message: numbers(column("message")),
    host: numbers(column("host")),
    detail: numbers(column("detail")),
  };
  for (let row = 0; row < rows; row++) columns.until[row] += columns.time[row];
  for (let row = 0; row < rows; row++) {
    const node = columns.node[row] >= header.stations ? columns.node[row] : columns.peer[row];
    columns.host[row] += Math.max(node, header.stations - 1) - header.stations;
  }
  return columns;
}

function picked<Target extends Float64Array | Int32Array>(source: Numbers, order: Int32Array, into: Target): Target {
  for (let row = 0; row < order.length; row++) into[row] = source[order[row]];
  return into;
}

function addUp(column: Numbers): void {
  for (let row = 1; row < column.length; row++) column[row] += column[row - 1];
}

/** Returns the first rows of the groups of rows with one kind and name, and the number of rows. */
function groups(event: Numbers, name: Numbers): number[] {
  const starts: number[] = [];
  for (let row = 0; row < event.length; row++) {
    if (row === 0 || event[row] !== event[row - 1] || name[row] !== name[row - 1]) starts.push(row);
  }
  return [...starts, event.length];
}

/** Returns the rows in the order of their times and ranks; every group has this order already. */
function merged(time: Numbers, rank: Numbers, starts: number[]): Int32Array {
  const next = starts.slice(0, -1);
  const order = new Int32Array(time.length);
  for (let at = 0; at < order.length; at++) {
    let best = -1;
    for (let group = 0; group < next.length; group++) {
      const row = next[group];
      if (row === starts[group + 1]) continue;
      const first = best < 0 ? -1 : next[best];
      if (first < 0 || time[row] < time[first] || (time[row] === time[first] && rank[row] < rank[first])) best = group;
    }
    order[at] = next[best]++;
  }
  return order;
}
