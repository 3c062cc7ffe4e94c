"""The runs of a scenario: their order, how they end, and their rows in the table of runs."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.execute import dry_run, execute
from mobilesim.experiments.run import Run, runs
from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import OrderingRow
from mobilesim.protocols.handoff.wireless_hop import MobileHost
from mobilesim.protocols.packets import RoutedPacket
from mobilesim.protocols.placements.proxy import ProxyStation
from mobilesim.recording.message_timeline import MessageTimeline
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.results.run_directory import prepare_directory
from mobilesim.results.schema import TABLES
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import record
from mobilesim.simulation.links.wired import WiredLinks
from mobilesim.simulation.simulation import Simulation
from tests.support.simulations import FinishedRun, KeepSimulation, simulate

SMALL: Final[dict[str, Any]] = {
    "hosts": 6,
    "cells": 4,
    "duration": "2 s",
    "backbone": {"jitter": "exponential 40 ms"},
    "mobility": {"dwell": "exponential 500 ms"},
    "workload": {"interval": "exponential 20 ms"},
}


def small(**settings: Any) -> Scenario:  # noqa: ANN401 - settings
    return Scenario.model_validate({**SMALL, **settings})


def add_ordering(monkeypatch: pytest.MonkeyPatch, **row: Any) -> None:  # noqa: ANN401 - the fields of OrderingRow
    """Add an ordering to the catalogue during a test."""
    known = {"title": "-", "paper": "-", "header": "0", "causal": True, "fifo": True}
    ordering = OrderingRow(**{**known, **row})
    monkeypatch.setattr(catalogue, "ORDERINGS", {**catalogue.ORDERINGS, ordering.name: ordering})


def test_runs_are_ordered_by_replication_and_then_protocol() -> None:
    scenario = small(protocols=("av1", "fifo"), replications=2)
    order = [(run.replication, run.choice.label) for run in runs(scenario)]
    assert order == [(0, "av1"), (0, "fifo"), (1, "av1"), (1, "fifo")]


def test_the_id_of_a_run_depends_only_on_what_affects_its_results() -> None:
    ids = {run.id for run in runs(small(protocols=("av1", {"name": "av1", "location": "lazy"}), replications=3))}
    assert len(ids) == 6
    (one,) = runs(small())
    assert one.id == next(runs(small(name="another name", trace=False))).id
    assert one.id != next(runs(small(seed=2))).id


def test_a_run_does_not_depend_on_other_runs(tmp_path: Path) -> None:
    alone = simulate(small(), tmp_path / "alone")
    among = simulate(small(protocols=("fifo", "av1"), replications=3), tmp_path / "among", index=1)
    assert among.outcome.run.id == alone.outcome.run.id
    assert among.table("runs")["scenario_hash"] == alone.table("runs")["scenario_hash"]
    for table in set(TABLES) - {"runs"}:
        assert among.table(table).equals(alone.table(table))


@pytest.mark.parametrize(
    ("given", "short"),
    (
        ({}, (5, 1000)),
        ({"duration": "2 s"}, (2, 1000)),
        ({"duration": None, "messages": 50}, (5, 50)),
        ({"duration": "60 s", "messages": 5000}, (5, 1000)),
        ({"duration": "60 s", "quick_duration": "40 s"}, (40, None)),
        ({"duration": "30 s", "messages": 5000, "quick_duration": "40 s"}, (30, 5000)),
        ({"network": "static", "messages": 5000, "quick_duration": "2 min"}, (120, 5000)),
    ),
)
def test_the_short_form_ends_at_the_first_limit(given: dict[str, Any], short: tuple[int, int | None]) -> None:
    scenario = Scenario.model_validate(given).shortened()
    assert scenario.duration is not None
    assert (scenario.duration // 10**9, scenario.messages) == short


def test_the_duration_of_the_short_form_changes_no_run(tmp_path: Path) -> None:
    plain, output = (
        Scenario.model_validate({"name": "x", "hosts": 4, **more}) for more in ({}, {"quick_duration": "40 s"})
    )
    assert "quick_duration" not in plain.model_dump(mode="json")
    assert output.normal_form() == plain.normal_form()
    again = loads(record(output).text, str(tmp_path / "scenario.yaml"))
    assert (again, again.quick_duration) == (output, 40 * 10**9)


def test_the_row_of_a_run_has_its_scenario_protocol_and_counters(tmp_path: Path) -> None:
    scenario = small(protocols=({"name": "av1", "location": "lazy"},), name="little", seed=4)
    run = simulate(scenario, tmp_path)
    (row,) = run.rows("runs")
    output = {
        key: row[key] for key in ("scenario", "scenario_hash", "seed", "protocol", "placement", "ordering", "point")
    }
    assert output == {
        "scenario": "little",
        "scenario_hash": scenario.hash,
        "seed": 4,
        "protocol": "av1 location=lazy",
        "placement": "proxy",
        "ordering": "rst",
        "point": "{}",
    }
    assert json.loads(row["options"]) == {"location": "lazy", "area": 0}
    assert row["description"] == "matrix of sends; a process per host, at its station; its state migrates"
    assert row["paper"] == "Alagar & Venkatesan 1994, algorithm 1"
    assert (row["hosts"], row["stations"], row["claims_causal"]) == (6, 4, True)
    assert row["simulated"] == run.simulation.engine.time > 1_900_000_000
    assert row["events"] == run.simulation.engine.processed > 1000
    assert run.table("deliveries").schema.metadata[b"scenario_hash"].decode() == scenario.hash


@pytest.mark.parametrize(("ordering", "paper"), (("ks", "Kshemkalyani & Singhal 1998"), ("fifo", "")))
def test_the_paper_of_a_pair_without_a_paper_is_that_of_its_ordering(ordering: str, paper: str, tmp_path: Path) -> None:
    run = simulate(small(protocols=({"placement": "proxy", "ordering": ordering},), messages=1), tmp_path)
    assert [row["paper"] for row in run.rows("runs")] == [paper]


def test_a_run_ends_after_its_messages_or_its_duration(tmp_path: Path) -> None:
    run = simulate(small(duration=None, messages=33), tmp_path)
    assert run.simulation.sent == len(run.deliveries) == 33
    assert run.simulation.progress == 1.0


def test_a_run_without_a_trace_writes_only_its_row(tmp_path: Path) -> None:
    run = simulate(small(trace=False), tmp_path)
    assert {path.parent.name for path in tmp_path.glob("*/*.parquet")} == {"runs"}
    (row,) = run.rows("runs")
    assert (row["verdict"], row["deliveries"]) == ("ok", run.simulation.delivered_copies)


def test_a_run_without_an_oracle_is_not_judged(tmp_path: Path) -> None:
    (row,) = simulate(small(oracle=False, protocols=("unordered",)), tmp_path).rows("runs")
    assert (row["verdict"], row["causal_violations"], row["status"]) == ("unjudged", 0, "complete")


def test_the_unordered_protocol_violates_both_orders_but_no_claim(tmp_path: Path) -> None:
    (row,) = simulate(small(protocols=("unordered",)), tmp_path).rows("runs")
    assert row["causal_violations"] > row["fifo_violations"] > 0
    assert row["verdict"] == "ok"


@pytest.mark.parametrize(
    ("claims", "verdict"),
    (
        ({"causal": True, "fifo": False}, "fault"),
        ({"causal": False, "fifo": False, "short_chains": True}, "fault"),
        ({"causal": False, "fifo": True}, "fault"),
        ({"causal": False, "fifo": False}, "ok"),
    ),
)
def test_a_violation_is_a_fault_if_the_protocol_claims_the_order(
    claims: dict[str, bool], verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_ordering(
        monkeypatch, name="overclaiming", module="mobilesim.protocols.orderings.unordered", symbol="Unordered", **claims
    )
    run = simulate(small(protocols=({"placement": "proxy", "ordering": "overclaiming"},)), tmp_path)
    assert run.outcome.verdict == verdict


def failing(monkeypatch: pytest.MonkeyPatch, directory: Path) -> FinishedRun:
    add_ordering(monkeypatch, name="broken", module="tests.support.broken_ordering", symbol="Broken")
    return simulate(small(protocols=({"placement": "proxy", "ordering": "broken"},)), directory)


def test_a_run_with_a_failing_protocol_writes_its_tables_up_to_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = failing(monkeypatch, tmp_path)
    (row,) = run.rows("runs")
    assert (row["status"], row["verdict"], row["deliveries"]) == ("failed", "fault", len(run.deliveries))
    assert run.outcome.fault == "the third delivery cannot happen"
    assert len(run.rows("messages")) == run.simulation.sent


def raise_key_error(self: object, *_: object) -> None:
    raise KeyError(type(self).__name__)


PLACE: Final = f"(test_run.py:{raise_key_error.__code__.co_firstlineno + 1}, in raise_key_error)"

INPUTS: Final = (
    *((ProxyStation, method) for method in ("receive", "receive_frame")),
    *((MobileHost, method) for method in ("submit", "attach", "detach", "receive_frame")),
)


@pytest.mark.interpreted
@pytest.mark.full
@pytest.mark.parametrize("model", ("fixed", "measured"))
@pytest.mark.parametrize(("machine", "method"), INPUTS)
def test_an_exception_of_a_machine_is_the_protocols_fault(
    machine: type, method: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, method, raise_key_error)
    run = simulate(small(processing={"model": model}), tmp_path)
    (row,) = run.rows("runs")
    assert (row["status"], row["verdict"]) == ("failed", "fault")
    assert run.outcome.fault == f"KeyError: '{machine.__name__}' {PLACE}"


@pytest.mark.interpreted
def test_an_exception_of_a_packet_is_the_protocols_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RoutedPacket, "header", property(raise_key_error))
    assert simulate(small(), tmp_path).outcome.fault == f"KeyError: 'RoutedPacket' {PLACE}"


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("part", "method"), ((WiredLinks, "send"), (Oracle, "delivered"), (MessageTimeline, "submitted"))
)
def test_an_exception_of_the_simulator_is_a_crash_even_in_a_machines_call(
    part: type, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise AssertionError("our own")

    monkeypatch.setattr(part, method, crash)
    with pytest.raises(AssertionError, match=r"^our own$"):
        simulate(small(), tmp_path)


@pytest.mark.interpreted
def test_a_memory_error_is_not_the_protocols_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhaust(self: object, *_: object) -> None:
        raise MemoryError(self)

    monkeypatch.setattr(ProxyStation, "receive", exhaust)
    with pytest.raises(MemoryError):
        simulate(small(), tmp_path)


class Stopping(KeepSimulation):
    """An observer that requests a stop after the first delivery."""

    asked = False

    def advanced(self, simulation: Simulation) -> None:
        super().advanced(simulation)
        self.asked = simulation.delivered_copies > 0

    def __call__(self) -> bool:
        return self.asked


def stopped(directory: Path) -> FinishedRun:
    scenario = small(duration="1000 s")
    prepare_directory(directory)
    progress = Stopping()
    outcome = execute(Run(scenario, scenario.protocols[0], 0), directory, progress, progress)
    return FinishedRun(outcome, progress.simulation, directory)


@pytest.mark.full
def test_a_stopped_run_writes_its_tables_marked_interrupted(tmp_path: Path) -> None:
    run = stopped(tmp_path)
    (row,) = run.rows("runs")
    assert (row["status"], row["verdict"], row["lost"]) == ("interrupted", "ok", 0)
    assert 0 < len(run.deliveries) == row["deliveries"] < row["messages"] + 1
    assert len(run.rows("messages")) == row["messages"]
    assert all(sum(delivery[part] for part in DELAY_PARTS) == delivery["delay"] for delivery in run.deliveries)
    assert {path.parent.name for path in tmp_path.glob("*/*.parquet")} == set(TABLES)


class Raising(KeepSimulation):
    """An observer that raises KeyboardInterrupt at once, like a second Ctrl-C."""

    def advanced(self, simulation: Simulation) -> None:
        raise KeyboardInterrupt


def test_a_run_that_ends_by_a_second_ctrl_c_leaves_no_tables(tmp_path: Path) -> None:
    scenario = small(duration="1000 s")
    prepare_directory(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        execute(Run(scenario, scenario.protocols[0], 0), tmp_path, Raising())
    assert {path.name for path in tmp_path.rglob("*")} == set(TABLES)


def test_results_removed_during_a_run_cause_one_error_line(tmp_path: Path) -> None:
    scenario = small()
    with pytest.raises(UserError, match=rf"^{tmp_path}/nowhere: cannot be written: No such file or directory$"):
        execute(Run(scenario, scenario.protocols[0], 0), tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("changes", "warned"),
    (
        ({}, ["protocols[1]: resident+ks"]),
        ({"workload": {"kind": "unicast"}}, []),
        ({"network": "static"}, []),
    ),
)
def test_a_frame_with_a_header_for_each_copy_is_reported(changes: dict[str, Any], warned: list[str]) -> None:
    """Only if hosts send frames with several copies, and an option lets the copies share a header."""
    protocols = ["rst", "resident+ks", {"placement": "resident", "ordering": "ks", "hardware": True}]
    values: dict[str, Any] = {"hosts": 4, "messages": 5, "workload": {"kind": "multicast", "destinations": 3}}
    if "network" not in changes:
        values["cells"] = 4
        protocols.append("proxy+ks")
    warnings = dry_run(Scenario.model_validate({"protocols": protocols, **values, **changes}))
    assert [warning.partition(": an uplink frame carries")[0] for warning in warnings] == warned
