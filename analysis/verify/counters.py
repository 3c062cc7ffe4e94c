"""The counters of `runs`, `hosts` and a sweep's manifest, recounted from the other tables."""

from typing import Final

import numpy as np

from mobilesim.analysis.sweeps.reader import find_record
from mobilesim.analysis.verify.checks import COUNTERS, REFERENCES, VERDICTS, RunChecks
from mobilesim.analysis.verify.columns import read_columns, sums
from mobilesim.analysis.verify.deliveries import Deliveries
from mobilesim.analysis.verify.messages import Messages
from mobilesim.results.quantities import RADIO_TIMES
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus, RunVerdict
from mobilesim.statistics.proportions import Proportion

_WINDOWED: Final = {"messages": "submitted", "deliveries": "delivered", "handoffs": "left", "disconnections": "left"}
"""The time by which a row of each table belongs to the measurement window."""


def check_counters(checks: RunChecks, messages: Messages, deliveries: Deliveries) -> None:
    """Check the counts in the run's row of `runs`, and in the tables of hosts and disconnections."""
    run, row = checks.run, checks.row
    _check_messages(checks, messages)
    _check_deliveries(checks, deliveries, windowed=messages.network.windowed)
    if _one_row_each(checks, "hosts", "host", row["hosts"]):
        _check_hosts(checks, messages, deliveries)
    if not messages.network.windowed:
        dropped = read_columns(run, "disconnections", "dropped")["dropped"]
        checks.compare("runs: dropped", row["dropped"], int(dropped.sum()))
    _check_window(checks)
    _one_row_each(checks, "stations", "station", row["stations"])
    _check_manifest(checks)
    _check_verdict(checks)


def _check_messages(checks: RunChecks, messages: Messages) -> None:
    windowed, recorded = messages.network.windowed, checks.row["messages"]
    number = messages.number[messages.early :]
    checks.compare("runs: messages", recorded, len(number))
    gaps = np.diff(number, prepend=number[0] - 1 if windowed else -1) - 1 if len(number) else number
    checks.faults(
        REFERENCES, gaps > 0, lambda index: f"message {number[index]}: {gaps[index]:,} messages before it are missing"
    )


def _check_window(checks: RunChecks) -> None:
    """Check that every row belongs to the measurement window."""
    row = checks.row
    begin, end = row["measured_from"], row["measured_to"]
    checks.count(COUNTERS, 1 + len(_WINDOWED))
    if row["ended"] > row["simulated"] or row["ended"] < 0:
        checks.fault(COUNTERS, f"runs: ended at {row['ended']:,}, but simulated until {row['simulated']:,}")
    if not 0 <= begin <= end <= row["simulated"]:
        checks.fault(COUNTERS, f"runs: the window is from {begin:,} to {end:,}, the run ended at {row['simulated']:,}")
    for table, name in _WINDOWED.items():
        outside = 0
        for batch in checks.run.batches(table, name):
            moments = batch.column(0).to_numpy()
            outside += int(((moments < begin) | (moments > end)).sum())
        if outside:
            checks.fault(COUNTERS, f"{table}: {outside:,} rows are outside of the measurement window", outside)


def _check_deliveries(checks: RunChecks, deliveries: Deliveries, *, windowed: bool) -> None:
    row, counted = checks.row, len(deliveries)
    recorded, judged, violations = row["deliveries"], row["judged"], row["causal_violations"]
    checks.compare("runs: deliveries", recorded, min(max(counted, recorded), counted + row["duplicates"]))
    if not windowed:
        checks.compare("runs: judged", judged, recorded)
    if recorded == judged:
        checks.compare("runs: causal_violations", violations, len(deliveries.overtook))
    checks.count(COUNTERS, 3)
    if recorded > judged:
        checks.fault(COUNTERS, f"runs: {recorded:,} deliveries, of which {judged:,} were judged")
    if row["fifo_violations"] > violations:
        checks.fault(COUNTERS, "runs: more violations of FIFO order than of causal order")
    if row["short_chain_violations"] > (violations if row["claims_short_chains"] else 0):
        checks.fault(COUNTERS, "runs: more violations along short chains than of causal order, or than are counted")
    if counted and (last := deliveries.delivered.max()) > row["simulated"]:
        checks.fault(COUNTERS, f"runs: simulated until {row['simulated']}, but the last delivery is at {last}")


def _check_hosts(checks: RunChecks, messages: Messages, deliveries: Deliveries) -> None:
    run, row, hosts = checks.run, checks.row, messages.network.hosts
    expected = {"moves": sums(read_columns(run, "handoffs", "host")["host"], 1, hosts)}
    if not row["duplicates"]:
        expected["delivered"] = deliveries.by_host
    source = messages.source[messages.early :]
    if len(source) == row["messages"]:
        expected["submitted"] = sums(source, 1, hosts)
    if row["stations"]:
        if not messages.network.windowed:  # disconnections that began before the window are not in the table
            away = read_columns(run, "disconnections", "host", "left", "returned")
            lasted = np.where(away["returned"] < 0, row["simulated"], away["returned"]) - away["left"]
            expected["disconnected"] = sums(away["host"], lasted, hosts)
        _check_radio_states(checks)
    table = read_columns(run, "hosts", "host", *expected)
    for name, counted in expected.items():
        checks.count(COUNTERS, len(table["host"]))
        checks.each_host(COUNTERS, name, table, counted)


def _check_radio_states(checks: RunChecks) -> None:
    """Check that the times of radio states add up to the window. `duplex` is the time of sending while receiving."""
    measured = checks.row["measured_to"] - checks.row["measured_from"]
    table = read_columns(checks.run, "hosts", "host", *RADIO_TIMES)
    alone = [table[name] - table["duplex"] for name in ("transmitting", "receiving")]
    negative = np.any([column < 0 for column in (*(table[name] for name in RADIO_TIMES), *alone)], axis=0)
    total = np.sum([state.counts * table[name] for name, state in RADIO_TIMES.items()], axis=0)
    checks.count(COUNTERS, len(total))
    checks.faults(
        COUNTERS,
        negative | (total != measured),
        lambda index: (
            f"host {table['host'][index]}: the states of its radio last {total[index]:,} ns, the run {measured:,}"
        ),
    )


def _one_row_each(checks: RunChecks, table: str, name: str, count: int) -> bool:
    """Check that every host or station has one row."""
    numbers = read_columns(checks.run, table, name)[name]
    checks.count(REFERENCES, len(numbers))
    if np.array_equal(np.sort(numbers), np.arange(count)):
        return True
    checks.fault(REFERENCES, f"{table}: {len(numbers):,} rows do not match the {count:,} {table} of the run")
    return False


def _check_manifest(checks: RunChecks) -> None:
    record, row = find_record(checks.run), checks.row
    if record is None:
        return
    for table, rows in record.rows.items():
        if table in TABLES:
            checks.compare(f"manifest: rows of {table}", rows, len(checks.run.rows(table)))
    for name in ("protocol", "replication", "seed", "verdict", "version"):
        checks.count(COUNTERS, 1)
        if getattr(record, name) not in {None, row[name]}:
            checks.fault(COUNTERS, f"manifest: {name} is {getattr(record, name)}, but {row[name]} in 'runs'")


def _check_verdict(checks: RunChecks) -> None:
    """Check that the verdict agrees with the counters. Violations of an order count if the protocol claims it, and
    causal violations also if they exceed a promised rate.
    """
    row, verdict = checks.row, checks.row["verdict"]
    checks.count(VERDICTS, 1)
    broken = [name for name in ("lost", "duplicates") if row[name]]
    claims = {
        "causal_violations": row["claims_causal"],
        "fifo_violations": row["claims_fifo"],
        "short_chain_violations": row["claims_short_chains"],
    }
    broken += [name for name, is_claimed in claims.items() if is_claimed and row[name]]
    promised = row["claims_violation_rate"]
    if promised is not None and Proportion(row["causal_violations"], row["judged"]).exceeds(promised):
        broken.append("causal_violations")
    if row["status"] == RunStatus.FAILED:
        checks.fault(VERDICTS, f"runs: the protocol failed (verdict '{verdict}')")
    elif verdict == RunVerdict.OK and broken:
        checks.fault(VERDICTS, f"runs: verdict 'ok' with {broken[0]} {row[broken[0]]:,}")
    elif verdict == RunVerdict.FAULT and not broken:
        checks.fault(VERDICTS, "runs: verdict 'fault', but no counter shows one")
    elif verdict == RunVerdict.FAULT:
        checks.note(VERDICTS, f"{checks.run.protocol} violated its claims, and its verdict says so")
    elif verdict != RunVerdict.OK:
        checks.fault(VERDICTS, f"runs: verdict '{verdict}' in a run that was judged")
