"""What `runs`, `hosts` and a sweep's manifest count, counted again."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from analysis.summary.results_reader import Run
from analysis.sweeps.reader import manifest
from analysis.verify.columns import Numbers, whole
from analysis.verify.deliveries import Deliveries
from analysis.verify.findings import COUNTERS, REFERENCES, VERDICTS, Findings
from analysis.verify.messages import Messages
from mobilesim.results.schema import TABLES

_STATES: Final = ("transmitting", "receiving", "duplex", "idle", "dozing", "disconnected")
_SAME: Final = ("protocol", "replication", "seed", "verdict", "version")


def counters(findings: Findings, run: Run, row: Mapping[str, Any], sent: Messages, made: Deliveries) -> None:
    _of_messages(findings, row, sent)
    _of_deliveries(findings, row, made)
    _of_hosts(findings, run, row, sent, made)
    _of_disconnections(findings, run, row)
    _everybody(findings, run, "stations", "station", row["stations"])
    _of_manifest(findings, run, row)
    _verdict(findings, run, row)


def _of_messages(findings: Findings, row: Mapping[str, Any], sent: Messages) -> None:
    number = sent.number[sent.early :]
    counted = len(number)
    if sent.network.windowed:
        # Those that were sent in the moment in which the window opened are there, though some came just before it.
        moments = sent.submitted[sent.early :]
        counted -= min(max(0, counted - row["messages"]), int((moments[1:] == moments[0]).sum()) if counted else 0)
    findings.equal("runs: messages", row["messages"], counted)
    holes = np.diff(number, prepend=number[0] - 1 if sent.network.windowed else -1) - 1 if len(number) else number
    findings.faults(
        REFERENCES, holes > 0, lambda place: f"message {number[place]}: {holes[place]:,} messages before it are missing"
    )


def _of_deliveries(findings: Findings, row: Mapping[str, Any], made: Deliveries) -> None:
    said, again = row["deliveries"], row["duplicates"]
    findings.equal("runs: deliveries", said, min(max(len(made), said), len(made) + again))
    if row["stations"]:
        findings.equal("runs: judged", row["judged"], said)
    if row["deliveries"] == row["judged"]:
        findings.equal("runs: causal_violations", row["causal_violations"], len(made.overtook))
    findings.looked(COUNTERS, 3)
    if row["deliveries"] > row["judged"]:
        findings.fault(COUNTERS, f"runs: {row['deliveries']:,} deliveries, of which {row['judged']:,} were judged")
    if row["fifo_violations"] > row["causal_violations"]:
        findings.fault(COUNTERS, "runs: more violations of FIFO order than of causal order")
    if len(made) and made.delivered.max() > row["emulated"]:
        findings.fault(COUNTERS, f"runs: emulated until {row['emulated']}, and delivered at {made.delivered.max()}")


def _of_hosts(findings: Findings, run: Run, row: Mapping[str, Any], sent: Messages, made: Deliveries) -> None:
    if not _everybody(findings, run, "hosts", "host", row["hosts"]):
        return
    at = whole(run, "hosts", "host", "submitted", "delivered", "moves", "disconnected")
    hosts = sent.network.hosts
    handoffs = whole(run, "handoffs", "host")["host"]
    wanted = {"moves": np.bincount(handoffs[(handoffs >= 0) & (handoffs < hosts)], minlength=hosts)}
    if not row["duplicates"]:
        wanted["delivered"] = made.by_host
    source = sent.source[sent.early :]
    if len(source) == row["messages"]:
        wanted["submitted"] = np.bincount(source[(source >= 0) & (source < hosts)], minlength=hosts)
    if row["stations"]:
        wanted["disconnected"] = _away(run, hosts, row["emulated"])
        _states(findings, run, row["emulated"])
    for name, counted in wanted.items():
        _each(findings, name, at["host"], at[name], counted)


def _each(findings: Findings, name: str, host: Numbers, said: Numbers, counted: Numbers) -> None:
    findings.looked(COUNTERS, len(host))
    findings.faults(
        COUNTERS,
        said != counted[host],
        lambda place: f"host {host[place]}: {name}: {said[place]:,} said, {counted[host[place]]:,} counted",
    )


def _states(findings: Findings, run: Run, emulated: int) -> None:
    """A radio is in one state at a time, of which sending and receiving at once is one."""
    at = whole(run, "hosts", "host", *_STATES)
    times = {name: at[name] for name in _STATES}
    sends, gets = at["transmitting"] - at["duplex"], at["receiving"] - at["duplex"]
    negative = np.any([column < 0 for column in (*times.values(), sends, gets)], axis=0)
    total = sends + gets + at["duplex"] + at["idle"] + at["dozing"] + at["disconnected"]
    findings.looked(COUNTERS, len(total))
    findings.faults(
        COUNTERS,
        negative | (total != emulated),
        lambda place: f"host {at['host'][place]}: its radio's states last {total[place]:,} ns, the run {emulated:,}",
    )


def _away(run: Run, hosts: int, now: int) -> Numbers:
    at = whole(run, "disconnections", "host", "left", "returned")
    inside = (at["host"] >= 0) & (at["host"] < hosts)
    away = np.zeros(hosts, np.int64)
    lasted = np.where(at["returned"] < 0, now, at["returned"]) - at["left"]
    np.add.at(away, at["host"][inside], lasted[inside])
    return away


def _of_disconnections(findings: Findings, run: Run, row: Mapping[str, Any]) -> None:
    dropped = whole(run, "disconnections", "dropped")["dropped"]
    findings.equal("runs: dropped", row["dropped"], int(dropped.sum()))


def _everybody(findings: Findings, run: Run, table: str, name: str, many: int) -> bool:
    """Each has one row."""
    numbers = whole(run, table, name)[name]
    findings.looked(REFERENCES, len(numbers))
    if np.array_equal(np.sort(numbers), np.arange(many)):
        return True
    findings.fault(REFERENCES, f"{table}: {len(numbers):,} rows, which are not those of {many:,} {table}")
    return False


def _of_manifest(findings: Findings, run: Run, row: Mapping[str, Any]) -> None:
    """A sweep says beside the tables what came out of its runs."""
    said = manifest(run)
    if said is None:
        return
    for table, rows in (said.get("rows") or {}).items():
        if table in TABLES:
            findings.equal(f"manifest: rows of {table}", rows, run.length(table))
    for name in _SAME:
        findings.looked(COUNTERS, 1)
        if name in said and said[name] != row[name]:
            findings.fault(COUNTERS, f"manifest: {name} is {said[name]}, and {row[name]} in 'runs'")


def _verdict(findings: Findings, run: Run, row: Mapping[str, Any]) -> None:
    """It follows from what was counted; of FIFO order only where the run claims causal order."""
    findings.looked(VERDICTS, 1)
    broken = [name for name in ("lost", "duplicates") if row[name]]
    broken += ["causal_violations"] if row["claims_causal"] and row["causal_violations"] else []
    broken += ["fifo_violations"] if row["claims_causal"] and row["fifo_violations"] else []
    if row["status"] == "failed":
        findings.fault(VERDICTS, f"runs: the protocol failed (verdict '{row['verdict']}')")
    elif row["verdict"] == "ok" and broken:
        findings.fault(VERDICTS, f"runs: verdict 'ok' with {broken[0]} {row[broken[0]]:,}")
    elif row["verdict"] == "fault" and not (broken or row["fifo_violations"]):
        findings.fault(VERDICTS, "runs: verdict 'fault', and nothing that was counted is one")
    elif row["verdict"] == "fault":
        findings.note(VERDICTS, f"'{run.protocol}' broke what it claims, and says so")
    elif row["verdict"] != "ok":
        findings.fault(VERDICTS, f"runs: verdict '{row['verdict']}' in a run that has been judged")
