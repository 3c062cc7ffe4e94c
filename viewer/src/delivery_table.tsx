// The table of deliveries, with filters, an order and pages.

import { useEffect, useMemo, useState } from "preact/hooks";
import { deliveryRows, type Filters, NO_FILTERS, nodeProblem, type Order, type SortKey } from "./delivery_rows";
import type { Tape, WaitName } from "./tape";
import { counted, duration, nodeName } from "./words";

const ROWS = 25;
const WAIT_COLUMNS: [WaitName, string][] = [
  ["order", "wait for order"],
  ["host", "wait for order at host"],
  ["uplink", "wait for uplink"],
  ["downlink", "wait for downlink"],
];

interface Properties {
  tape: Tape;
  selection: number;
  select: (delivery: number) => void;
}

export function DeliveryTable({ tape, selection, select }: Properties) {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [order, setOrder] = useState<Order>({ key: "delay", descending: true });
  const [page, setPage] = useState(0);
  const columns = useMemo(() => columnsOf(tape), [tape]);
  const rows = useMemo(() => deliveryRows(tape, filters, order), [tape, filters, order]);
  useEffect(() => {
    const at = rows.indexOf(selection);
    if (at >= 0) setPage(Math.floor(at / ROWS));
  }, [selection]);
  const pages = Math.max(1, Math.ceil(rows.length / ROWS));
  const shownPage = Math.min(page, pages - 1);
  const change = (part: Partial<Filters>) => {
    setFilters({ ...filters, ...part });
    setPage(0);
  };
  const reorder = (next: Order) => {
    setOrder(next);
    setPage(0);
  };
  const undelivered = tape.undelivered ? ` ${counted(tape.undelivered, "delivery")} of sent messages are missing in this part of the run.` : "";
  return (
    <section class="deliveries" aria-labelledby="deliveries-title">
      <div class="head"><h2 id="deliveries-title">Deliveries</h2></div>
      <FilterBar tape={tape} filters={filters} change={change} />
      <p class="note" id="deliveries-note" role="status">
        {rows.length.toLocaleString("en")} of {counted(tape.deliveries.count, "delivery")}.{undelivered}
        {" "}{nodeProblem(tape, filters.node)}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Deliveries">
        <table id="deliveries">
          <Head columns={columns} order={order} reorder={reorder} />
          <tbody>
            {rows.slice(shownPage * ROWS, (shownPage + 1) * ROWS).map((each) => (
              <Row key={each} tape={tape} columns={columns} delivery={each} isSelected={each === selection} select={select} />
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && (
        <div class="tools">
          <button type="button" disabled={shownPage === 0} onClick={() => setPage(shownPage - 1)}>Previous page</button>
          <span>page {shownPage + 1} of {pages.toLocaleString("en")}</span>
          <button type="button" disabled={shownPage >= pages - 1} onClick={() => setPage(shownPage + 1)}>Next page</button>
        </div>
      )}
    </section>
  );
}

interface FilterProperties {
  tape: Tape;
  filters: Filters;
  change: (part: Partial<Filters>) => void;
}

function FilterBar({ tape, filters, change }: FilterProperties) {
  const cells = tape.header.stations > 0;
  return (
    <div class="tools">
      <label>
        {cells ? "Host or station" : "Host"}{" "}
        <input
          id="filter-node"
          size={5}
          placeholder={cells ? "h3, s1" : "h3"}
          value={filters.node}
          onInput={(event) => change({ node: event.currentTarget.value })}
        />
      </label>
      <label>
        Message{" "}
        <input
          id="filter-message"
          size={6}
          inputMode="numeric"
          value={filters.message}
          onInput={(event) => change({ message: event.currentTarget.value })}
        />
      </label>
      <label>
        Waits{" "}
        <select
          id="filter-wait"
          value={filters.wait}
          onChange={(event) => change({ wait: event.currentTarget.value as Filters["wait"] })}
        >
          <option value="">with or without</option>
          <option value="any">with a wait after the uplink</option>
          {cells && <option value="order">for order, at a station</option>}
          <option value="host">for order, at the host</option>
          {cells && <option value="uplink">for the uplink</option>}
          {cells && <option value="downlink">for the downlink</option>}
        </select>
      </label>
      <label>
        <input
          id="filter-violations"
          type="checkbox"
          checked={filters.onlyViolations}
          onChange={(event) => change({ onlyViolations: event.currentTarget.checked })}
        />
        only violations of causal order
      </label>
    </div>
  );
}

type TableColumns = [SortKey, string][];

interface HeadProperties {
  columns: TableColumns;
  order: Order;
  reorder: (order: Order) => void;
}

function Head({ columns, order, reorder }: HeadProperties) {
  return (
    <thead>
      <tr>
        {columns.map(([key, words]) => (
          <th scope="col" key={key} aria-sort={order.key === key ? (order.descending ? "descending" : "ascending") : "none"}>
            <button
              type="button"
              class="link"
              onClick={() => reorder({ key, descending: order.key === key ? !order.descending : key !== "message" })}
            >
              {words}
              {order.key === key && (order.descending ? " ▼" : " ▲")}
            </button>
          </th>
        ))}
        <th scope="col" class="words">remarks</th>
      </tr>
    </thead>
  );
}

/** Returns the columns of the table: waits are shown if the tape has any of their kind. */
function columnsOf(tape: Tape): TableColumns {
  const { waited } = tape.deliveries;
  const waits = WAIT_COLUMNS.filter(([key]) => waited[key].some((length) => length > 0));
  return [["message", "message"], ["sender", "sender"], ["receiver", "receiver"], ["delay", "delay"], ...waits];
}

interface RowProperties {
  tape: Tape;
  columns: TableColumns;
  delivery: number;
  isSelected: boolean;
  select: (delivery: number) => void;
}

function Row({ tape, columns, delivery, isSelected, select }: RowProperties) {
  const { message, host, sender, delay, waited, blocker, overtaken } = tape.deliveries;
  const length = (each: number) => (each > 0 ? duration(tape, each) : "–");
  const cells: Partial<Record<SortKey, string>> = {
    sender: nodeName(tape, sender[delivery]),
    receiver: `h${host[delivery]}`,
    delay: duration(tape, delay[delivery]),
    order: length(waited.order[delivery]),
    host: length(waited.host[delivery]),
    uplink: length(waited.uplink[delivery]),
    downlink: length(waited.downlink[delivery]),
  };
  return (
    <tr aria-current={isSelected} class={isSelected ? "selected" : ""} onClick={() => select(delivery)}>
      <td>
        <button type="button" class="link" aria-label={`Select message ${message[delivery]} to h${host[delivery]}`}>
          {message[delivery]}
        </button>
      </td>
      {columns.slice(1).map(([key]) => <td key={key}>{cells[key]}</td>)}
      <td class="words">
        {overtaken[delivery] >= 0 && <span class="alarm">✕ before message {overtaken[delivery]} </span>}
        {blocker[delivery] >= 0 && `held by message ${blocker[delivery]}`}
      </td>
    </tr>
  );
}
