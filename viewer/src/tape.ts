// The tape in the page: its columns, and what is looked up in them. mobilesim/tape/events.py explains the columns.

export interface Header {
  source: string;
  unit: "ns" | "step";
  network: string;
  hosts: number;
  stations: number;
  cells: number[];
  run: Record<string, string | number>;
  since: number;
  until: number;
  positions: [number, number][];
}

export interface Columns {
  time: Float64Array;
  until: Float64Array;
  event: Int32Array;
  name: Int32Array;
  node: Int32Array;
  peer: Int32Array;
  message: Int32Array;
  host: Int32Array;
  detail: Int32Array;
}

export const WAITS = ["uplink", "order", "downlink", "host"] as const;
export type WaitName = (typeof WAITS)[number];

/** What became of a frame or packet, in the column `detail`. */
export const [RECEIVED, LOST, IN_TRANSIT] = [0, 1, 2];

/** A row for each delivery. Times are those of the tape; the delay is NaN if the message was sent before the tape. */
export interface Deliveries {
  count: number;
  event: Int32Array;
  message: Int32Array;
  host: Int32Array;
  sender: Int32Array;
  sent: Float64Array;
  delay: Float64Array;
  waited: Record<WaitName, Float64Array>;
  blocker: Int32Array;
  overtaken: Int32Array;
}

/** Rows that are found by a number, such as the events of a message. */
class Index {
  private readonly starts: Int32Array;
  private readonly rows: Int32Array;

  /** `keys`: a number for each row; rows with a negative number are left out. */
  constructor(keys: Int32Array) {
    let most = -1;
    for (let row = 0; row < keys.length; row++) if (keys[row] > most) most = keys[row];
    this.starts = new Int32Array(most + 2);
    for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) this.starts[keys[row] + 1]++;
    for (let key = 0; key <= most; key++) this.starts[key + 1] += this.starts[key];
    this.rows = new Int32Array(this.starts[most + 1]);
    const next = this.starts.slice();
    for (let row = 0; row < keys.length; row++) if (keys[row] >= 0) this.rows[next[keys[row]]++] = row;
  }

  /** Returns the rows with a number, in the order of time. */
  of(key: number): Int32Array {
    return key >= 0 && key + 1 < this.starts.length
      ? this.rows.subarray(this.starts[key], this.starts[key + 1])
      : new Int32Array(0);
  }
}

export class Tape {
  readonly header: Header;
  readonly nodes: number;
  readonly start: number;
  readonly end: number;
  readonly deliveries: Deliveries;
  readonly ofMessage: Index;
  readonly faults: number[] = [];
  readonly undelivered: number;
  /** The longest time that a frame or packet takes. */
  readonly longestTransit: number;
  /** The kinds of packets and frames without data. */
  readonly controlKinds: string[];
  private readonly ofDeliveredMessage: Index;
  private readonly kind: Map<string, number>;
  private readonly found = new Map<number, number>();
  private byNode: Index | null = null;

  constructor(
    header: Header,
    readonly kinds: string[],
    readonly names: string[],
    readonly columns: Columns,
  ) {
    const { time, until, event, message } = columns;
    this.header = { ...header, hosts: hostsOf(header, columns) };
    this.nodes = this.header.stations + this.header.hosts;
    this.kind = new Map(kinds.map((name, number) => [name, number]));
    this.ofMessage = new Index(message);
    const [frame, packet, fault] = [this.number("frame"), this.number("packet"), this.number("fault")];
    let [end, longest] = [header.since, 0];
    const control = new Set<number>();
    for (let row = 0; row < time.length; row++) {
      if (until[row] > end) end = until[row];
      if (event[row] === fault) this.faults.push(row);
      if (event[row] !== frame && event[row] !== packet) continue;
      longest = Math.max(longest, until[row] - time[row]);
      if (message[row] < 0) control.add(columns.name[row]);
    }
    this.start = time.length ? Math.max(header.since, Math.min(time[0], end)) : header.since;
    this.end = Math.max(end, this.start + 1);
    this.longestTransit = longest;
    this.controlKinds = [...control].map((name) => names[name]).sort();
    this.deliveries = this.readDeliveries();
    this.ofDeliveredMessage = new Index(this.deliveries.message);
    this.undelivered = this.countUndelivered();
  }

  get length(): number {
    return this.columns.time.length;
  }

  /** Returns the number of a kind of events in the column `event`. */
  number(kind: string): number {
    return this.kind.get(kind) ?? -1;
  }

  kindOf(row: number): string {
    return this.kinds[this.columns.event[row]];
  }

  nameOf(row: number): string {
    return this.names[this.columns.name[row]];
  }

  isTransit(row: number): boolean {
    const kind = this.kindOf(row);
    return kind === "frame" || kind === "packet";
  }

  /** Returns the delivery of a message at a host, or -1. */
  delivery(message: number, host: number): number {
    return this.found.get(message * this.header.hosts + host) ?? -1;
  }

  /** Returns the deliveries of a message. */
  deliveriesOf(message: number): Int32Array {
    return this.ofDeliveredMessage.of(message);
  }

  /** Returns the first event whose time is not before `time`. */
  firstFrom(time: number): number {
    return lowerBound(this.columns.time, time);
  }

  /** Returns the rows of the events of a node. */
  ofNode(node: number): Int32Array {
    this.byNode ??= new Index(this.columns.node);
    return this.byNode.of(node);
  }

  private readDeliveries(): Deliveries {
    const { time, event, message, host, node, detail, name, until } = this.columns;
    const [submitted, delivered, waited] = [this.number("submitted"), this.number("delivered"), this.number("waited")];
    const rows: number[] = [];
    const sent = new Map<number, number>();
    const key = (row: number) => message[row] * this.header.hosts + host[row];
    for (let row = 0; row < time.length; row++) {
      if (event[row] === submitted) sent.set(key(row), row);
      if (event[row] !== delivered) continue;
      if (!this.found.has(key(row))) this.found.set(key(row), rows.length);
      rows.push(row);
    }
    const count = rows.length;
    const senders = new Int32Array(count).fill(-1);
    const sendTimes = new Float64Array(count).fill(NaN);
    rows.forEach((row, index) => {
      const submission = sent.get(key(row));
      if (submission === undefined) return;
      senders[index] = node[submission];
      sendTimes[index] = time[submission];
    });
    const found: Deliveries = {
      count,
      event: Int32Array.from(rows),
      message: Int32Array.from(rows, (row) => message[row]),
      host: Int32Array.from(rows, (row) => host[row]),
      sender: senders,
      sent: sendTimes,
      delay: Float64Array.from(rows, (row, index) => time[row] - sendTimes[index]),
      waited: {
        uplink: new Float64Array(count),
        order: new Float64Array(count),
        downlink: new Float64Array(count),
        host: new Float64Array(count),
      },
      blocker: new Int32Array(count).fill(-1),
      overtaken: Int32Array.from(rows, (row) => detail[row]),
    };
    for (let row = 0; row < time.length; row++) {
      if (event[row] !== waited) continue;
      const index = this.found.get(key(row));
      const wait = found.waited[this.names[name[row]] as WaitName];
      if (index === undefined || !wait) continue;
      wait[index] += until[row] - time[row];
      if (detail[row] >= 0) found.blocker[index] = detail[row];
    }
    return found;
  }

  private countUndelivered(): number {
    const { event, message, host } = this.columns;
    const submitted = this.number("submitted");
    let count = 0;
    for (let row = 0; row < event.length; row++) {
      if (event[row] === submitted && this.delivery(message[row], host[row]) < 0) count++;
    }
    return count;
  }
}

/** Returns the number of hosts with those that join during the run, which have further numbers. */
function hostsOf(header: Header, columns: Columns): number {
  let most = header.hosts - 1;
  for (const column of [columns.node, columns.peer]) {
    for (let row = 0; row < column.length; row++) most = Math.max(most, column[row] - header.stations);
  }
  for (let row = 0; row < columns.host.length; row++) most = Math.max(most, columns.host[row]);
  return most + 1;
}

/** Returns the first index at which a sorted column is not below `value`. */
export function lowerBound(column: ArrayLike<number>, value: number): number {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
