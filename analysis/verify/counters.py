"""The counters of `runs`, `hosts` and a sweep's manifest, recounted from the other tables."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from analysis.summary.results_reader import Run
from analysis.sweeps.reader import recorded
from analysis.verify.checks import COUNTERS, REFERENCES, VERDICTS, RunChecks
from analysis.verify.columns import Column, read_columns
from analysis.verify.deliveries import Deliveries
from analysis.verify.messages import Messages
from mobilesim.results.quantities import RADIO_TIMES
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus, RunVerdict

_SAME: Final = ("protocol", "replication", "seed", "verdict", "version")


def check_counters(
    checks: RunChecks, run: Run, row: Mapping[str, Any], messages: Messages, deliveries: Deliveries
) -> None:
    """Check the counts in `row`, the run's row of `runs`, and in the tables of hosts and disconnections."""
    _check_messages(checks, row, messages)
    _check_deliveries(checks, row, deliveries)
    _check_hosts(checks, run, row, messages, deliveries)
    dropped = read_columns(run, "disconnections", "dropped")["dropped"]
    checks.compare("runs: dropped", row["dropped"], int(dropped.sum()))
    _one_row_each(checks, run, "stations", "station", row["stations"])
    _check_manifest(checks, run, row)
    _check_verdict(checks, run, row)


def _check_messages(checks: RunChecks, row: Mapping[str, Any], messages: Messages) -> None:
    number = messages.number[messages.early :]
    counted = len(number)
    if messages.network.windowed:
        # Messages submitted in the instant at which the window opened are in the table even if they came before it.
        submitted = messages.submitted[messages.early :]
        before = int((submitted[1:] == submitted[0]).sum()) if counted else 0
        counted -= min(max(0, counted - row["messages"]), before)
    checks.compare("runs: messages", row["messages"], counted)
    windowed = messages.network.windowed
    gaps = np.diff(number, prepend=number[0] - 1 if windowed else -1) - 1 if len(number) else number
    checks.faults(
        REFERENCES, gaps > 0, lambda index: f"message {number[index]}: {gaps[index]:,} messages before it are missing"
    )


def _check_deliveries(checks: RunChecks, row: Mapping[str, Any], deliveries: Deliveries) -> None:
    recorded, duplicates = row["deliveries"], row["duplicates"]
    counted = len(deliveries)
    checks.compare("runs: deliveries", recorded, min(max(counted, recorded), counted + duplicates))
    if row["stations"]:
        checks.compare("runs: judged", row["judged"], recorded)
    if recorded == row["judged"]:
        checks.compare("runs: causal_violations", row["causal_violations"], len(deliveries.overtook))
    checks.count(COUNTERS, 3)
    if recorded > row["judged"]:
        checks.fault(COUNTERS, f"runs: {recorded:,} deliveries, of which {row['judged']:,} were judged")
    if row["fifo_violations"] > row["causal_violations"]:
        checks.fault(COUNTERS, "runs: more violations of FIFO order than of causal order")
    if counted and deliveries.delivered.max() > row["simulated"]:
        last = deliveries.delivered.max()
        checks.fault(COUNTERS, f"runs: simulated until {row['simulated']}, but the last delivery is at {last}")


def _check_hosts(
    checks: RunChecks, run: Run, row: Mapping[str, Any], messages: Messages, deliveries: Deliveries
) -> None:
    if not _one_row_each(checks, run, "hosts", "host", row["hosts"]):
        return
    table = read_columns(run, "hosts", "host", "submitted", "delivered", "moves", "disconnected")
    hosts = messages.network.hosts
    handoffs = read_columns(run, "handoffs", "host")["host"]
    expected = {"moves": np.bincount(handoffs[(handoffs >= 0) & (handoffs < hosts)], minlength=hosts)}
    if not row["duplicates"]:
        expected["delivered"] = deliveries.by_host
    source = messages.source[messages.early :]
    if len(source) == row["messages"]:
        expected["submitted"] = np.bincount(source[(source >= 0) & (source < hosts)], minlength=hosts)
    if row["stations"]:
        expected["disconnected"] = _disconnected(run, hosts, row["simulated"])
        _check_radio_states(checks, run, row["simulated"])
    for name, counted in expected.items():
        _check_each_host(checks, name, table["host"], table[name], counted)


def _check_each_host(checks: RunChecks, name: str, host: Column, recorded: Column, counted: Column) -> None:
    checks.count(COUNTERS, len(host))
    checks.faults(
        COUNTERS,
        recorded != counted[host],
        lambda index: f"host {host[index]}: {name}: {recorded[index]:,} recorded, {counted[host[index]]:,} counted",
    )


def _check_radio_states(checks: RunChecks, run: Run, simulated: int) -> None:
    """A radio is in exactly one state at a time; `duplex` is sending while receiving."""
    table = read_columns(run, "hosts", "host", *RADIO_TIMES)
    alone = [table[name] - table["duplex"] for name in ("transmitting", "receiving")]
    negative = np.any([column < 0 for column in (*(table[name] for name in RADIO_TIMES), *alone)], axis=0)
    total = np.sum([state.counts * table[name] for name, state in RADIO_TIMES.items()], axis=0)
    checks.count(COUNTERS, len(total))
    checks.faults(
        COUNTERS,
        negative | (total != simulated),
        lambda index: (
            f"host {table['host'][index]}: the states of its radio last {total[index]:,} ns, the run {simulated:,}"
        ),
    )


def _disconnected(run: Run, hosts: int, end: int) -> Column:
    """Return how long each host was disconnected."""
    table = read_columns(run, "disconnections", "host", "left", "returned")
    known = (table["host"] >= 0) & (table["host"] < hosts)
    total = np.zeros(hosts, np.int64)
    lasted = np.where(table["returned"] < 0, end, table["returned"]) - table["left"]
    np.add.at(total, table["host"][known], lasted[known])
    return total


def _one_row_each(checks: RunChecks, run: Run, table: str, name: str, count: int) -> bool:
    """Check that every host or station has one row."""
    numbers = read_columns(run, table, name)[name]
    checks.count(REFERENCES, len(numbers))
    if np.array_equal(np.sort(numbers), np.arange(count)):
        return True
    checks.fault(REFERENCES, f"{table}: {len(numbers):,} rows do not match the {count:,} {table} of the run")
    return False


def _check_manifest(checks: RunChecks, run: Run, row: Mapping[str, Any]) -> None:
    record = recorded(run)
    if record is None:
        return
    for table, rows in record.rows.items():
        if table in TABLES:
            checks.compare(f"manifest: rows of {table}", rows, run.length(table))
    for name in _SAME:
        checks.count(COUNTERS, 1)
        if getattr(record, name) not in {None, row[name]}:
            checks.fault(COUNTERS, f"manifest: {name} is {getattr(record, name)}, but {row[name]} in 'runs'")


def _check_verdict(checks: RunChecks, run: Run, row: Mapping[str, Any]) -> None:
    """Derive the verdict from the counters. FIFO order counts only if the run claims causal order."""
    checks.count(VERDICTS, 1)
    broken = [name for name in ("lost", "duplicates") if row[name]]
    if row["claims_causal"]:
        broken += [name for name in ("causal_violations", "fifo_violations") if row[name]]
    if row["status"] == RunStatus.FAILED:
        checks.fault(VERDICTS, f"runs: the protocol failed (verdict '{row['verdict']}')")
    elif row["verdict"] == RunVerdict.OK and broken:
        checks.fault(VERDICTS, f"runs: verdict 'ok' with {broken[0]} {row[broken[0]]:,}")
    elif row["verdict"] == RunVerdict.FAULT and not (broken or row["fifo_violations"]):
        checks.fault(VERDICTS, "runs: verdict 'fault', but no counter shows one")
    elif row["verdict"] == RunVerdict.FAULT:
        checks.note(VERDICTS, f"'{run.protocol}' violated what it claims, and its verdict says so")
    elif row["verdict"] != RunVerdict.OK:
        checks.fault(VERDICTS, f"runs: verdict '{row['verdict']}' in a run that has been judged")
