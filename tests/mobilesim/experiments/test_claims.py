"""Every claim of the catalogue holds, and false claims fail."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from mobilesim.experiments.claims.check import TABLE, ClaimReport, TableEntry, check_claims, table_entries
from mobilesim.experiments.claims.claim_results import ClaimResult, formula_at_high_mobility, formula_over_sizes
from mobilesim.experiments.claims.claim_run import simulate
from mobilesim.experiments.claims.scenarios import (
    FULL,
    QUICK,
    NetworkSize,
    SizeAxis,
    high_mobility,
    low_mobility,
    option_values,
)
from mobilesim.experiments.claims.station_probe import StationInhibition, StationProbe
from mobilesim.experiments.executors import never
from mobilesim.experiments.sweep.engine import RunCounter
from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS, pair, pairs
from mobilesim.protocols.catalogue_rows import OptionValue, OrderingRow, ProtocolRow
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups, Key
from mobilesim.protocols.packets import Stamp
from mobilesim.recording.null_recorder import Recorder
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.world.replication import build_world
from tests.support.claims import HEADERS, TINY, claiming_of, failed, measured
from tests.support.mutants import stations
from tests.support.mutants.builders import ProxyBuilder
from tests.support.protocols.dense_rst import Dense, DenseProcess, Printed
from tests.support.simulations import simulate as traced

pytestmark = pytest.mark.full

HANDOFFS: Final = ["hand-off by n_h", "hand-off by n_s", "hand-off, high mobility"]
SMALL: Final = high_mobility(TINY, "multicast")


SHORT: Final = replace(QUICK, hosts=(4, 8, 16), stations=(2, 4, 8), replications=3)


@cache
def quick(name: str) -> ClaimReport:
    return measured(ROWS[name], SHORT)


def claiming(name: str, **claims: Any) -> ProtocolRow:  # noqa: ANN401 - fields of Claims
    """Return the row of a protocol with changed claims."""
    return claiming_of(ROWS[name], **claims)


def result_of(report: ClaimReport, what: str) -> ClaimResult:
    found = report.result(what)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ROWS)
def test_every_named_protocol_fulfils_its_claims(name: str) -> None:
    assert failed(quick(name)) == []
    assert quick(name).holds


@pytest.mark.slow
@pytest.mark.parametrize("row", pairs(), ids=lambda row: row.name)
def test_every_pair_fulfils_its_claims(row: ProtocolRow) -> None:
    assert failed(measured(row, FULL)) == []


# False claims


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
def test_only_the_false_formula_of_a_protocol_fails(claim: Mapping[str, Any], broken: list[str]) -> None:
    assert failed(measured(claiming("av1", **claim))) == broken


def test_one_hand_off_with_another_number_of_packets_fails() -> None:
    (claimed, *others) = [
        simulate(ROWS["av2"], {}, high_mobility(TINY, "unicast"), replication) for replication in range(2)
    ]
    assert formula_at_high_mobility("hand-off", "2 n_s + 1", (claimed, *others), lambda run: run.handoffs).holds
    odd = replace(claimed, handoffs=claimed.handoffs + Counter({12: 1}))
    assert formula_at_high_mobility("hand-off", "2 n_s + 1", (odd, *others), lambda run: run.handoffs).holds is False
    assert formula_at_high_mobility("hand-off", "2 n_s + 1", (), lambda run: run.handoffs).holds is False


def test_a_formula_that_is_correct_at_only_one_point_fails() -> None:
    report = measured(claiming("av2", header="n_s + 12"))
    assert result_of(report, "header by n_h").holds
    assert not result_of(report, "header by n_s").holds


def test_unclaimed_inhibition_is_found() -> None:
    report = measured(claiming("av1", inhibition="none"), SHORT)
    assert "inhibition, multicast" in failed(report)
    assert result_of(report, "inhibition, multicast").numbers["inhibited"]


def test_inhibition_beyond_false_dependencies_is_found() -> None:
    report = measured(claiming("av2", inhibition="by false dependencies only"))
    assert failed(report) == ["inhibition, unicast", "inhibition, multicast"]
    assert result_of(report, "inhibition, unicast").numbers["avoidable_at_stations"]


class StampsBeforeDelivery(Dense):
    """An ordering with stamps that count arrived messages as delivered, although these messages may still wait."""

    __slots__ = ()

    def process(self, index: int) -> DenseProcess:
        return StampsBeforeDeliveryProcess(index, self.size)


class StampsBeforeDeliveryProcess(DenseProcess):
    __slots__ = ()

    def missing(self, stamp: Stamp) -> Key | None:
        assert isinstance(stamp, Printed)
        np.maximum(self.sent, stamp.sent, out=self.sent)
        return super().missing(stamp)


def test_inhibition_on_hosts_is_never_a_false_dependency(monkeypatch: pytest.MonkeyPatch) -> None:
    stamping_early = OrderingRow("stamps-early", "", "-", "N^2", module=__name__, symbol="StampsBeforeDelivery")
    monkeypatch.setattr(catalogue, "ORDERINGS", {**ORDERINGS, "stamps-early": stamping_early})
    row = pair("resident", "stamps-early")
    report = measured(replace(row, claims=replace(row.claims, inhibition="by false dependencies only")), QUICK)
    failures = failed(report)  # It depends on the schedules whether stamps are early under other locations, too.
    assert "inhibition, multicast" in failures
    assert {failure.partition(", location=")[0] for failure in failures} == {"inhibition, multicast"}


def test_claimed_inhibition_must_occur_with_default_options() -> None:
    report = measured(claiming("rst", inhibition="yes"))
    assert failed(report) == ["inhibition, unicast", "inhibition, multicast"]
    assert result_of(report, "inhibition, multicast, location=lazy").holds is None


def test_inhibition_that_does_not_decrease_with_k_is_found() -> None:
    row = pair("logical", "unordered")
    planted = replace(row, claims=replace(row.claims, inhibition="yes, less as k grows"))
    assert "inhibition by k" in failed(measured(planted))


@pytest.mark.parametrize("claim", ("causal", "fifo"))
def test_a_violated_order_is_found(claim: str) -> None:
    name = {"causal": "causal order", "fifo": "FIFO order"}[claim]
    assert result_of(quick("unordered"), name).holds is None
    assert failed(measured(claiming("unordered", **{claim: True}), SHORT)) == [name]


@value
class BuilderRow(ProtocolRow):
    """A row with machines that `builder` builds."""

    builder: ProxyBuilder = ProxyBuilder()

    def build(
        self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue] = {}, groups: Groups = ()
    ) -> System:
        assert not groups
        return self.builder.build(stations, homes, options)


def row_built_by(builder: ProxyBuilder) -> ProtocolRow:
    row = ROWS["av1"]
    return BuilderRow(row.name, row.placement_row, row.ordering_row, row.paper, row.claims, builder)


def test_lost_messages_are_found() -> None:
    report = measured(row_built_by(ProxyBuilder(stations.NoForwarding)), SHORT)
    assert "exactly once" in failed(report)
    assert not result_of(report, "exactly once").measured.startswith("0 lost")


def test_an_exception_of_a_machine_fails_its_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = OrderingRow("broken", "", "-", "0", causal=False, fifo=False, module="tests.support.broken_ordering")
    monkeypatch.setattr(catalogue, "ORDERINGS", {**ORDERINGS, "broken": broken})
    report = measured(pair("proxy", "broken"))
    assert (
        result_of(report, "runs without a fault").measured == "the third delivery cannot happen (n_h = 4, n_s = 4 #0)"
    )
    assert not report.holds


# Measurements


def counted(*counters: Counter[int]) -> ClaimResult:
    """Return the result for hand-offs at 2 and 4 stations with a claim of 2 packets each."""
    axis = SizeAxis("n_s", (NetworkSize(2, 2, None), NetworkSize(2, 4, None)))
    return formula_over_sizes("hand-off", "2", axis, counters)


def test_each_hand_off_must_fulfil_the_formula() -> None:
    assert counted(Counter({2: 9}), Counter({2: 9})).holds
    mixed = counted(Counter({2: 9}), Counter({1: 1, 2: 9, 3: 1}))
    assert not mixed.holds
    assert mixed.measured == "2 1..3"


def test_a_point_without_hand_offs_fails() -> None:
    nothing = counted(Counter({2: 9}), Counter())
    assert (nothing.holds, nothing.measured, nothing.growth) == (False, "2 none", None)


def test_probing_does_not_change_a_run() -> None:
    def played(*, probed: bool) -> tuple[int, int, int]:
        world = build_world(SMALL, 0)
        system = ROWS["av2"].build(world.stations, world.starting_cells)
        if probed:
            system = System(StationProbe().attach(system.stations), system.hosts)
        simulation = CellularSimulation(world, system, Oracle(SMALL.hosts), Recorder(), at_host=False)
        simulation.start()
        while simulation.advance(1000):
            pass
        return simulation.engine.processed, simulation.engine.time, simulation.delivered_copies

    assert played(probed=True) == played(probed=False)


def test_packets_within_a_cell_do_not_count_for_the_hand_off() -> None:
    """In a hand-off of `av3`, the logical stations of one cell also exchange packets, which cross no link."""
    counts = simulate(ROWS["av3"], option_values(ROWS["av3"], k=8), low_mobility(NetworkSize(4, 2, 8)))
    assert set(counts.handoffs) == {2 * 8 * (2 - 1) + 3}


def test_a_report_counts_the_hand_offs_and_the_forwarded_packets() -> None:
    report = quick("av2")
    assert report.handoffs > 100
    assert 0 < report.forwarded < report.handoffs


def test_forwarded_packets_are_counted_by_packet(tmp_path: Path) -> None:
    """The table of hand-offs counts forwarded messages. A proxy forwards each message in one packet."""
    forwarded = simulate(ROWS["av1"], option_values(ROWS["av1"]), SMALL).forwarded
    assert forwarded == sum(row["forwarded"] for row in traced(SMALL, tmp_path).rows("handoffs")) > 0


def test_at_high_mobility_the_unordered_protocol_violates_both_orders() -> None:
    report = quick("unordered")
    assert "violated by 0 " not in result_of(report, "causal order").measured
    assert "violated by 0 " not in result_of(report, "FIFO order").measured


@pytest.mark.parametrize("name", ("av1", "av2", "av3", "ab", "fifo", "unordered"))
def test_inhibition_at_stations_counts_every_message_once(name: str) -> None:
    class Counting(StationInhibition):
        def __init__(self, *arguments: Any) -> None:  # noqa: ANN401 - the parameters of StationInhibition
            super().__init__(*arguments)
            counters.append(self)

    counters: list[Counting] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mobilesim.experiments.claims.claim_run.StationInhibition", Counting)
        counts = simulate(claiming(name, inhibition="by false dependencies only"), option_values(ROWS[name]), SMALL)
    assert [counter.transmissions for counter in counters] == [counts.deliveries]
    assert (counts.avoidable == 0) == (PLACEMENTS[ROWS[name].placement].name == "proxy")


class Counting:
    """Counts the announced and the finished runs."""

    def __init__(self) -> None:
        self.total = self.done = 0

    @contextmanager
    def count_runs(self, title: str, total: int) -> Iterator[RunCounter]:
        assert title == "this row"
        self.total = total
        yield self

    def __call__(self, *, failed: bool = False) -> None:
        assert not failed
        self.done += 1

    def show_stage(self, line: str) -> None: ...


def test_an_interrupted_check_has_no_report() -> None:
    display = Counting()
    row = ROWS["av1"]
    assert check_claims(row, TINY, title="this row", stop=lambda: display.done > 2, display=display) is None
    assert display.done == 3


def test_progress_ends_with_all_runs_done() -> None:
    display = Counting()
    report = check_claims(ROWS["rst"], TINY, title="this row", stop=never, display=display)
    assert report is not None
    assert display.done == display.total == report.runs


# Table 1


def table() -> list[TableEntry]:
    return list(table_entries([quick(name) for name in TABLE]))


def test_measurements_agree_with_the_printed_table_1() -> None:
    assert [entry for entry in table() if not entry.holds] == []
    assert [(entry.protocol, entry.what, entry.measured) for entry in table() if entry.what != "inhibition"] == [
        ("av1", "header", "n_h^2, n_s^0"),
        ("av1", "hand-off", "n_h^0, n_s^0"),
        ("av2", "header", "n_h^0, n_s^2"),
        ("av2", "hand-off", "n_h^0, n_s^1"),
        ("av3", "header", "n_h^0, n_s^2, k^2"),
        ("av3", "hand-off", "n_h^0, n_s^1, k^1"),
    ]


def test_inhibition_decreases_with_k_for_static_hosts() -> None:
    waits = result_of(quick("av3"), "inhibition by k").numbers["mean_ms"]
    assert isinstance(waits, list)
    assert waits == sorted(waits, reverse=True)


def test_a_wrong_inhibition_also_fails_in_table_1() -> None:
    report = quick("av1")
    wrong = [replace(each, holds=each.holds and each.what != "inhibition, multicast") for each in report.results]
    (*_, inhibited) = table_entries([replace(report, results=tuple(wrong))])
    assert (inhibited.what, inhibited.holds) == ("inhibition", False)


def test_an_algorithm_with_a_different_growth_fails_in_table_1() -> None:
    posing = replace(quick("fifo"), row=ROWS["av1"])
    (header, handoff, _) = table_entries([posing])
    assert (header.holds, handoff.holds) == (False, True)


def test_table_1_has_only_measured_algorithms() -> None:
    assert {entry.protocol for entry in table_entries([quick("av1"), quick("fifo")])} == {"av1"}
