"""A tape of a finished run agrees with the tables of this run."""

import json
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.dataset as ds
import pytest

import mobilesim as ms
from mobilesim.analysis.sweeps.one_run import find_run
from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.assemble import assemble, world_of
from mobilesim.experiments.execute import play
from mobilesim.experiments.replay import WHOLE, Part, recorded_run, recorded_scenario, replay
from mobilesim.experiments.run import Run
from mobilesim.recording.recorder import RunRecorder
from mobilesim.recording.sinks import RecordBuffer
from mobilesim.results.version import __version__
from mobilesim.tape.events import Arrival, EventKind, Tape
from mobilesim.tape.exports.formats import FORMATS
from mobilesim.tape.tape_builder import TapeBuilder
from mobilesim.tape.tape_file import read_tape, write_tape

SCENARIOS = {
    "cells": """
name: cells
hosts: 8
cells: {shape: grid, rows: 2, columns: 2}
duration: 5 s
backbone: {jitter: exponential 60 ms}
processing: {hosts: {fixed: 200 us, per_integer: 1 us}}
wireless: {beacon: 50 ms}
mobility: {dwell: exponential 700 ms, disconnect: {probability: 0.2, duration: exponential 400 ms}}
workload: {interval: exponential 150 ms, kind: multicast, destinations: 2}
protocols: [av1, rst, av2, av3, prs, fifo, resident+ks]
""",
    "static": """
name: static
network: static
hosts: 6
messages: 200
links: {delay: exponential 100 ms, service: independent}
workload: {interval: exponential 100 ms, kind: multicast, destinations: 2}
protocols: [rst, resident+unordered]
""",
}
PROTOCOLS = [("cells", name) for name in ("av1", "rst", "av2", "av3", "prs", "fifo", "resident+ks")]
PROTOCOLS += [("static", name) for name in ("rst", "resident+unordered")]
AT_HOSTS = {"rst", "resident+ks", "resident+unordered"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("replayed")
    for name, text in SCENARIOS.items():
        (home / f"{name}.yaml").write_text(text)
        assert main(["run", str(home / f"{name}.yaml"), "--out", str(home / name), "--no-summary"]) == 0
    return {name: home / name for name in SCENARIOS}


def rows_of(directory: Path, table: str, protocol: str) -> list[dict[str, int]]:
    rows = ds.dataset(directory / table).to_table().to_pylist()
    return [row for row in rows if row["protocol"] == protocol]


def recorded(directory: Path, protocol: str | None, replication: int = 0) -> Mapping[str, Any]:
    return find_run(directory, protocol, replication).row


def run_of(directory: Path, protocol: str | None) -> Run:
    return recorded_run(recorded_scenario(directory), recorded(directory, protocol))


def tape_of(directory: Path, protocol: str | None, part: Part = WHOLE) -> Tape:
    return replay(run_of(directory, protocol), recorded(directory, protocol), part)


@pytest.mark.parametrize(("scenario", "protocol"), PROTOCOLS)
def test_a_tape_has_the_rows_of_the_tables(scenario: str, protocol: str, results: dict[str, Path]) -> None:
    directory = results[scenario]
    tape = tape_of(directory, protocol)
    assert messages_of(tape) == {
        (row["message"], row["source"], row["submitted"], row["payload_bytes"]): set(row["destinations"])  # type: ignore[call-overload]
        for row in rows_of(directory, "messages", protocol)
    }
    assert deliveries_of(tape) == sorted(
        (row["message"], row["destination"], row["delivered"], row["overtaken"])
        for row in rows_of(directory, "deliveries", protocol)
    )
    assert handoffs_of(tape) == {
        (row["host"], row["visit"], phase): row[phase]
        for row in rows_of(directory, "handoffs", protocol)
        for phase in ("registered", "request", "enabled", "flush_ack", "complete")
        if row[phase] is not None and not (row["inferred"] and phase == "registered")
    }
    assert_waits_and_legs(tape, rows_of(directory, "deliveries", protocol), at_stations=protocol not in AT_HOSTS)


def messages_of(tape: Tape) -> dict[tuple[int, int, int, int], set[int]]:
    found: dict[tuple[int, int, int, int], set[int]] = defaultdict(set)
    for event in tape.events():
        if event.kind is EventKind.SUBMITTED:
            source = event.node - tape.header.stations
            found[event.message, source, event.time, event.detail].add(event.host)
    return found


def deliveries_of(tape: Tape) -> list[tuple[int, int, int, int]]:
    delivered = [event for event in tape.events() if event.kind is EventKind.DELIVERED]
    assert all(event.node - tape.header.stations == event.host for event in delivered)
    return sorted((event.message, event.host, event.time, event.detail) for event in delivered)


def handoffs_of(tape: Tape) -> dict[tuple[int, int, str], int]:
    """Return the last time of each phase of each hand-off. Station and host were in one cell before the first one."""
    phases = ("registered", "request", "enabled", "flush ack", "complete")
    return {
        (event.host, event.detail, event.name.replace(" ", "_")): event.time
        for event in tape.events()
        if event.kind is EventKind.HANDOFF and event.name in phases
    }


def test_packets_of_static_networks_go_from_the_sender_to_the_receiver(results: dict[str, Path]) -> None:
    for protocol in ("rst", "resident+unordered"):
        tape = tape_of(results["static"], protocol)
        rows = rows_of(results["static"], "deliveries", protocol)
        crossed = {(each.message, each.node, each.peer) for each in tape.events() if each.kind is EventKind.PACKET}
        assert {(row["message"], row["source"], row["destination"]) for row in rows} == crossed


def assert_waits_and_legs(tape: Tape, deliveries: list[dict[str, int]], *, at_stations: bool) -> None:
    """Compare the frames and the waits of each delivered message with its times."""
    static = not tape.header.stations
    frames = {(each.message, each.peer, each.until) for each in tape.events() if each.kind is EventKind.FRAME}
    waits = {
        (each.message, each.host, each.time, each.until): each.detail
        for each in tape.events()
        if each.kind is EventKind.WAITED and each.name == ("order" if at_stations else "host")
    }
    for row in deliveries:
        if not static:
            received = row["delivered"] - row["receiver_processing"]
            node = tape.header.stations + row["destination"]
            if at_stations:
                assert (row["message"], node, received) in frames
            assert (row["message"], row["source_station"], row["accepted"]) in frames
        if at_stations and row["released"] > row["arrived"]:
            assert waits[row["message"], row["destination"], row["arrived"], row["released"]] == row["waited_for"]


@pytest.mark.parametrize("protocol", ("av1", "fifo", "av2", "prs"))
def test_a_wait_ends_when_the_message_for_which_it_waited_arrives(protocol: str, results: dict[str, Path]) -> None:
    """With a process for each host (av1, fifo), this message is for the same host, and arrives at the release. With
    processes of stations or flooded messages, it may be for other hosts; then it has arrived there by then.
    """
    rows = rows_of(results["cells"], "deliveries", protocol)
    of_copy = {(row["message"], row["destination"]): row for row in rows}
    waited = [row for row in rows if row["waited_for"] >= 0]
    assert len(waited) > 3
    for row in waited:
        assert row["released"] > row["arrived"]
        cause = of_copy.get((row["waited_for"], row["destination"]))
        if protocol in {"av1", "fifo"}:
            assert cause is not None
        if cause is not None:
            assert cause["arrived"] <= row["released"]
        if protocol == "fifo":
            assert (cause["source"], cause["arrived"]) == (row["source"], row["released"])  # type: ignore[index]


def test_a_tape_changes_nothing_in_the_records(results: dict[str, Path]) -> None:
    """A tape is recorded beside the tables, which have the same numbers with and without it."""
    for scenario, protocol in PROTOCOLS:
        run = run_of(results[scenario], protocol)
        records = []
        for tape in (None, TapeBuilder()):
            buffer = RecordBuffer()
            simulation = assemble(run, world_of(run), lambda buffer=buffer: buffer, tape)  # type: ignore[misc]
            simulation.start()
            play(simulation)
            simulation.finish()
            recorder = simulation.recorder
            assert isinstance(recorder, RunRecorder)
            records.append([buffer.deliveries.take(), *recorder.handoff_columns().values()])
        assert all(np.array_equal(one, other) for one, other in zip(*records, strict=True))


def test_a_part_of_a_run_has_the_events_of_this_part(results: dict[str, Path]) -> None:
    directory = results["cells"]
    whole, part = tape_of(directory, "av2"), tape_of(directory, "av2", Part(10**9, 2 * 10**9))
    inside = [event for event in whole.events() if event.until >= 10**9 and event.time <= 2 * 10**9]
    assert 100 < len(part) < len(whole) / 2
    # A wait is recorded at the delivery, so the last ones of a part may be missing.
    assert [event for event in part.events() if event.until < 2 * 10**9] == [
        event for event in inside if event.until < 2 * 10**9
    ]
    cells = list(whole.header.cells)
    for event in whole.events():
        if event.kind in {EventKind.LEFT, EventKind.ENTERED} and event.time < 10**9:
            cells[event.host] = event.peer if event.kind is EventKind.ENTERED else -1
    assert list(part.header.cells) == cells


def test_frames_are_lost_when_their_host_leaves(results: dict[str, Path]) -> None:
    tape = tape_of(results["cells"], "av1")
    left = {(event.host, event.time) for event in tape.events() if event.kind is EventKind.LEFT}
    lost = [each for each in tape.events() if each.kind is EventKind.FRAME and each.detail == Arrival.LOST]
    assert lost
    assert all(any(host == each.host and time <= each.until for host, time in left) for each in lost)


def test_a_tape_is_written_and_read(results: dict[str, Path], tmp_path: Path) -> None:
    tape = tape_of(results["cells"], "fifo")
    write_tape(tape, tmp_path / "one.tape")
    again = read_tape(tmp_path / "one.tape")
    assert list(again.events()) == list(tape.events())
    assert again.header == tape.header


def test_what_is_no_tape_is_refused_in_one_line(results: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no tape")
    table = next((results["cells"] / "runs").iterdir())
    for path, reason in ((tmp_path / "text", "not readable as a tape"), (table, "no tape")):
        with pytest.raises(UserError, match=reason):
            read_tape(path)


def test_a_run_with_measured_processing_times_is_refused(tmp_path: Path) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("name: m\nhosts: 4\nduration: 1 s\nprocessing: {model: measured}\nprotocols: [fifo]\n")
    assert main(["run", str(scenario), "--out", str(tmp_path / "m"), "--no-summary"]) == 0
    with pytest.raises(UserError, match="fifo: cannot be replayed: its processing times were measured"):
        tape_of(tmp_path / "m", None)


def test_a_run_of_another_version_or_scenario_is_refused(results: dict[str, Path]) -> None:
    directory = results["static"]
    scenario, row = recorded_scenario(directory), recorded(directory, "rst")
    for change, reason in (
        ({"version": "0.0.1"}, f"was made by mobilesim 0.0.1, and this is {__version__}"),
        ({"run_id": "0"}, "the copy of its scenario in the results was changed"),
    ):
        with pytest.raises(UserError, match=reason):
            recorded_run(scenario, {**row, **change})


def test_a_run_that_is_not_executed_as_before_is_refused(results: dict[str, Path]) -> None:
    directory = results["static"]
    with pytest.raises(UserError, match=r"rst: is not executed as before: events is .*, and was 7; run the scenario"):
        replay(run_of(directory, "rst"), {**recorded(directory, "rst"), "events": 7})


def test_hosts_that_join_have_names(tmp_path: Path) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        "name: j\nnetwork: static\nhosts: 3\nduration: 20 s\nprotocols: [resident+ks]\n"
        "links: {delay: exponential 50 ms, service: independent}\nworkload: {interval: exponential 300 ms}\n"
        "membership: {arrive: 2 s, stay: exponential 5 s}\n"
    )
    tape = ms.run(str(scenario)).replay()
    assert "h3" in tape.events.arrow()["node"].to_pylist()
    assert max(tape.tape.nodes) >= 3
    tracks = json.loads(FORMATS["perfetto"].text(tape.tape))["traceEvents"]
    assert "h3" in [row["args"]["name"] for row in tracks if row["ph"] == "M"]
