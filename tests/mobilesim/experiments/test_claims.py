"""Every claim of the catalogue holds, and a claim that is false does not pass."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from mobilesim.experiments.claims.av_table_1 import TABLE, Entry, entries
from mobilesim.experiments.claims.claim_run import emulate
from mobilesim.experiments.claims.findings import Finding, growing
from mobilesim.experiments.claims.findings import restless as restlessly
from mobilesim.experiments.claims.measure import Report, measure
from mobilesim.experiments.claims.scenarios import FULL, QUICK, Axis, Effort, Point, calm, choices, restless
from mobilesim.experiments.claims.station_inhibition import StationsView
from mobilesim.experiments.claims.station_probe import Tap
from mobilesim.oracle.causal_order import Oracle
from mobilesim.simulation.cells import Cells
from mobilesim.statistics.intervals import student_t
from mobilesim.world.replication import build_world
from protocols import catalogue
from protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS, OptionValue, OrderingRow, ProtocolRow, pair, pairs
from protocols.frozen_value import value
from protocols.machine import Stamp, System
from protocols.ordering import Groups, Key
from tests.support.mutants import stations
from tests.support.mutants.kinds import Breed
from tests.support.protocols.dense_rst import Dense, DenseProcess, Printed
from tests.support.simulations import emulate as traced

pytestmark = pytest.mark.full

HEADERS: Final = ["header by n_h", "header by n_s", "header, restless"]
HANDOFFS: Final = ["hand-off by n_h", "hand-off by n_s", "hand-off, restless"]
TINY: Final = Effort((4, 8), (2, 4), (1, 2), 2, "1 s")
SMALL: Final = restless(TINY, "multicast")


def measured(row: ProtocolRow, effort: Effort = TINY) -> Report:
    report = measure(row, effort, student_t, lambda _done, _total: None)
    assert report is not None
    return report


@cache
def quick(name: str) -> Report:
    return measured(ROWS[name], QUICK)


def claiming(name: str, **claims: Any) -> ProtocolRow:  # noqa: ANN401 - fields of Claims
    """A row that says something else of itself."""
    return claiming_of(ROWS[name], **claims)


def claiming_of(row: ProtocolRow, **claims: Any) -> ProtocolRow:  # noqa: ANN401 - fields of Claims
    return replace(row, claims=replace(row.claims, **claims))


def failed(report: Report) -> list[str]:
    return [finding.what for finding in report.findings if finding.holds is False]


def finding(report: Report, what: str) -> Finding:
    found = report.found(what)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_what_it_claims_to_be(name: str) -> None:
    assert failed(quick(name)) == []
    assert quick(name).holds


@pytest.mark.slow
@pytest.mark.parametrize("row", pairs(), ids=lambda row: row.name)
def test_every_pair_is_what_it_claims_to_be(row: ProtocolRow) -> None:
    assert failed(measured(row, FULL)) == []


# Claims that are false


@pytest.mark.parametrize(
    ("claim", "broken"),
    (
        ({"header": "n_h"}, HEADERS),
        ({"header": "n_h^2 + 1"}, HEADERS),
        ({"header": "16"}, HEADERS),
        ({"handoff": "3"}, HANDOFFS),
        ({"handoff": "n_s"}, HANDOFFS),
    ),
)
def test_a_false_formula_of_av1_fails_and_nothing_else_does(claim: Mapping[str, Any], broken: list[str]) -> None:
    assert failed(measured(claiming("av1", **claim))) == broken


def test_one_hand_off_of_a_restless_host_that_takes_another_number_fails() -> None:
    (claimed, *others) = [emulate(ROWS["av2"], {}, restless(TINY, "unicast"), replication) for replication in range(2)]
    assert restlessly("hand-off", "2 n_s + 1", (claimed, *others), lambda run: run.handoffs).holds
    odd = replace(claimed, handoffs=claimed.handoffs + Counter({12: 1}))
    assert restlessly("hand-off", "2 n_s + 1", (odd, *others), lambda run: run.handoffs).holds is False
    assert restlessly("hand-off", "2 n_s + 1", (), lambda run: run.handoffs).holds is False


def test_a_formula_that_is_right_at_one_point_only_fails() -> None:
    report = measured(claiming("av2", header="n_s + 12"))
    assert finding(report, "header by n_h").holds
    assert not finding(report, "header by n_s").holds


def test_inhibition_that_is_denied_is_found() -> None:
    report = measured(claiming("av1", inhibition="none"), QUICK)
    assert "inhibition, multicast" in failed(report)
    assert finding(report, "inhibition, multicast").figures["inhibited"]


def test_inhibition_by_more_than_false_dependencies_is_told_from_it() -> None:
    report = measured(claiming("av2", inhibition="by false dependencies only"))
    assert failed(report) == ["inhibition, unicast", "inhibition, multicast"]
    assert finding(report, "inhibition, unicast").figures["needless_to_stations"]


class Credulous(Dense):
    """What has arrived counts as delivered for what is stamped from then on, though it may have to wait."""

    __slots__ = ()

    def process(self, index: int) -> DenseProcess:
        return CredulousProcess(index, self.size)


class CredulousProcess(DenseProcess):
    __slots__ = ()

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        np.maximum(self.sent, stamp.sent, out=self.sent)
        return super().missing(stamp)


def test_a_host_that_orders_has_no_false_dependencies_to_excuse_it(monkeypatch: pytest.MonkeyPatch) -> None:
    credulous = OrderingRow("credulous", __name__, "Credulous", "", "-", "N^2", causal=True, fifo=True)
    monkeypatch.setattr(catalogue, "ORDERINGS", {**ORDERINGS, "credulous": credulous})
    row = pair("resident", "credulous")
    report = measured(replace(row, claims=replace(row.claims, inhibition="by false dependencies only")), QUICK)
    assert failed(report) == ["inhibition, multicast", "inhibition, multicast, location=lazy"]


def test_inhibition_that_is_claimed_must_be_there() -> None:
    assert failed(measured(claiming("rst", inhibition="yes"))) == [
        "inhibition, unicast",
        "inhibition, multicast",
        "inhibition, multicast, location=lazy",
    ]


def test_inhibition_that_does_not_fall_with_k_is_found() -> None:
    row = pair("logical", "unordered")
    planted = replace(row, claims=replace(row.claims, inhibition="yes, less as k grows"))
    assert "inhibition by k" in failed(measured(planted))


@pytest.mark.parametrize("claim", ("causal", "fifo"))
def test_an_order_that_is_not_kept_is_found(claim: str) -> None:
    name = {"causal": "causal order", "fifo": "FIFO order"}[claim]
    assert finding(quick("unordered"), name).holds is None
    assert failed(measured(claiming("unordered", **{claim: True}), QUICK)) == [name]


@value
class Bred(ProtocolRow):
    """A row with machines of its own."""

    breed: Breed = Breed()

    def build(
        self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue] = {}, groups: Groups = ()
    ) -> System:
        assert not groups
        return self.breed.build(stations, homes, options)


def bred(breed: Breed) -> ProtocolRow:
    row = ROWS["av1"]
    return Bred(row.name, row.placement_row, row.ordering_row, row.paper, row.claims, row.option_rows, breed)


def test_messages_that_are_lost_are_found() -> None:
    report = measured(bred(Breed(stations.Dropping)), QUICK)
    assert "exactly once" in failed(report)
    assert not finding(report, "exactly once").measured.startswith("0 lost")


def test_what_a_machine_raises_fails_its_row_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = OrderingRow("broken", "tests.support.broken_ordering", "Broken", "", "-", "0", causal=False, fifo=False)
    monkeypatch.setattr(catalogue, "ORDERINGS", {**ORDERINGS, "broken": broken})
    report = measured(pair("proxy", "broken"))
    assert finding(report, "runs without a fault").measured == "the third delivery cannot happen (n_h = 4, n_s = 4 #0)"
    assert not report.holds


# What is measured


def counted(*counters: Counter[int]) -> Finding:
    """Hand-offs at 2 and 4 stations, of which 2 messages each are claimed."""
    axis = Axis("n_s", (Point(2, 2, None), Point(2, 4, None)))
    return growing("hand-off", "2", axis, counters, student_t)


def test_each_hand_off_counts_not_the_mean_of_all() -> None:
    assert counted(Counter({2: 9}), Counter({2: 9})).holds
    mixed = counted(Counter({2: 9}), Counter({1: 1, 2: 9, 3: 1}))
    assert not mixed.holds
    assert mixed.measured == "2 1..3"


def test_a_point_without_any_hand_off_shows_nothing_and_fails() -> None:
    nothing = counted(Counter({2: 9}), Counter())
    assert (nothing.holds, nothing.measured, nothing.grows) == (False, "2 none", None)


def test_a_run_does_not_notice_that_it_is_tapped() -> None:
    def played(*, tapped: bool) -> tuple[int, int, int]:
        world = build_world(SMALL, 0)
        system = ROWS["av2"].build(world.stations, world.starting_cells)
        if tapped:
            system = System(Tap().on(system.stations), system.hosts)
        simulation = Cells(world, system, Oracle(SMALL.hosts), None, at_host=False)
        while simulation.advance(1000):
            pass
        return simulation.engine.processed, simulation.engine.time, simulation.delivered_copies

    assert played(tapped=True) == played(tapped=False)


def test_what_stays_in_a_cell_is_no_message_of_the_hand_off() -> None:
    """Logical stations of one cell talk to each other in the hand-offs of `av3`."""
    seen = emulate(ROWS["av3"], choices(ROWS["av3"], 8), calm(Point(4, 2, 8)))
    assert set(seen.handoffs) == {2 * 8 * (2 - 1) + 3}


def test_calm_hand_offs_all_count_and_some_messages_are_forwarded() -> None:
    report = quick("av2")
    assert report.handoffs > 100
    assert 0 < report.forwarded < report.handoffs


def test_what_is_forwarded_is_told_by_the_packets_and_not_by_the_stations(tmp_path: Path) -> None:
    """A proxy forwards to another station, always; the tables have its own word for it."""
    forwarded = emulate(ROWS["av1"], choices(ROWS["av1"]), SMALL).forwarded
    assert forwarded == sum(row["forwarded"] for row in traced(SMALL, tmp_path).rows("handoffs")) > 0


def test_the_restless_world_has_what_it_is_there_for() -> None:
    report = quick("unordered")
    assert "broken by 0 " not in finding(report, "causal order").measured
    assert "broken by 0 " not in finding(report, "FIFO order").measured


@pytest.mark.parametrize("name", ("av1", "av2", "av3", "ab", "fifo", "unordered"))
def test_the_stations_view_counts_every_message_once(name: str) -> None:
    class Counting(StationsView):
        def __init__(self, *words: Any) -> None:  # noqa: ANN401 - as its parent's
            super().__init__(*words)
            views.append(self)

    views: list[Counting] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mobilesim.experiments.claims.claim_run.StationsView", Counting)
        seen = emulate(claiming(name, inhibition="by false dependencies only"), choices(ROWS[name]), SMALL)
    assert [view.lowerings for view in views] == [seen.deliveries]
    assert (seen.needless == 0) == (PLACEMENTS[ROWS[name].placement].name == "proxy")


def test_who_stops_gets_no_report() -> None:
    told: list[tuple[int, int]] = []
    assert measure(ROWS["av1"], TINY, student_t, lambda *tally: told.append(tally), lambda: len(told) > 2) is None
    assert [done for done, _ in told] == [0, 1, 2]


def test_progress_ends_with_all_runs_done() -> None:
    told: list[tuple[int, int]] = []
    report = measure(ROWS["rst"], TINY, student_t, lambda *tally: told.append(tally))
    assert report is not None
    assert told[-1] == (report.runs, report.runs)
    assert [done for done, _ in told] == list(range(report.runs + 1))


# Table 1


def table() -> list[Entry]:
    return list(entries([quick(name) for name in TABLE]))


def test_table_1_comes_out_as_printed() -> None:
    assert [entry for entry in table() if not entry.holds] == []
    assert [(entry.protocol, entry.what, entry.measured) for entry in table() if entry.what != "inhibition"] == [
        ("av1", "header", "n_h^2, n_s^0"),
        ("av1", "hand-off", "n_h^0, n_s^0"),
        ("av2", "header", "n_h^0, n_s^2"),
        ("av2", "hand-off", "n_h^0, n_s^1"),
        ("av3", "header", "n_h^0, n_s^2, k^2"),
        ("av3", "hand-off", "n_h^0, n_s^1, k^1"),
    ]


def test_inhibition_falls_with_k_where_hosts_stay() -> None:
    waits = finding(quick("av3"), "inhibition by k").figures["mean_ms"]
    assert isinstance(waits, list)
    assert waits == sorted(waits, reverse=True)


def test_an_inhibition_that_is_not_what_it_should_be_anywhere_fails_in_table_1_too() -> None:
    report = quick("av1")
    wrong = [replace(each, holds=each.holds and each.what != "inhibition, multicast") for each in report.findings]
    (*_, inhibited) = entries([replace(report, findings=tuple(wrong))])
    assert (inhibited.what, inhibited.holds) == ("inhibition", False)


def test_an_algorithm_that_grows_otherwise_does_not_pass_for_table_1() -> None:
    posing = replace(quick("fifo"), row=ROWS["av1"])
    (header, handoff, _) = entries([posing])
    assert (header.holds, handoff.holds) == (False, True)


def test_only_what_was_measured_stands_in_table_1() -> None:
    assert {entry.protocol for entry in entries([quick("av1"), quick("fifo")])} == {"av1"}
