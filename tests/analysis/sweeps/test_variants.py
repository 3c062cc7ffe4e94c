"""Comparisons of variants with the base, from synthetic summaries, and first differing events, from real runs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from mobilesim.analysis.pipeline.summarize import find_divergences
from mobilesim.analysis.report.sweep_page import page
from mobilesim.analysis.statistics.estimate import Difference
from mobilesim.analysis.summary.formatting import Unit
from mobilesim.analysis.summary.metrics import METRICS
from mobilesim.analysis.summary.model import Summary
from mobilesim.analysis.summary.results_reader import Run
from mobilesim.analysis.sweeps.axes import Settings, axes
from mobilesim.analysis.sweeps.divergence import DivergenceEvent, Divergences, first_divergence
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.reader import read_sweep
from mobilesim.analysis.sweeps.tables import tables
from mobilesim.analysis.sweeps.variants import Comparison, comparisons, difference_text
from mobilesim.api.text_tables import indented
from mobilesim.scenario.loader import loads
from tests.support import made_sweeps, summaries
from tests.support.summaries import MS, estimate, protocol

pytestmark = pytest.mark.full

DELAYS = estimate(50.0 * MS, 1.0 * MS, (49.0 * MS, 51.0 * MS))

SCENARIO = "{hosts: 6, cells: 4, messages: 150, seed: 5, protocols: [av1, rst], mobility: {dwell: exponential 1 s}}"
MILLISECOND = Unit("ms", MS)


def study(points: Mapping[Any, Summary], keys: tuple[str, ...] = ("variant",)) -> SweepSummary:
    return SweepSummary(Path("results/here"), keys, tuple(points.items()), ())


@pytest.mark.parametrize(
    ("gap", "text"),
    (
        (Difference(3 * MS, 2 * MS, 4 * MS, pairs=5), "+3.0 [+2.0, +4.0]"),
        (Difference(-3 * MS, -4 * MS, -2 * MS, pairs=5), "-3.0 [-4.0, -2.0]"),
        (Difference(3 * MS, -1 * MS, 7 * MS, pairs=5), "+3.0 [-1.0, +7.0], not significant"),
        (Difference(0, 0, 0, pairs=5), "identical in all pairs"),
        (Difference(3 * MS, pairs=1), "+3, one pair of runs"),
    ),
)
def test_a_difference_is_not_significant_if_its_interval_contains_zero(gap: Difference, text: str) -> None:
    assert difference_text(gap, MILLISECOND) == text


def test_a_protocol_is_compared_with_itself_or_with_all_of_a_base_without_it() -> None:
    points = {
        ("base",): summaries.summary(protocol("av1"), protocol("rst")),
        ("fast",): summaries.summary(protocol("av1"), protocol("rst")),
        ("two",): summaries.summary(protocol("av2"), protocol("av1")),
    }
    found = [(each.variant, each.left.name, each.right.name) for each in study(points).comparisons]
    assert found == [
        ("fast", "av1", "av1"),
        ("fast", "rst", "rst"),
        ("two", "av2", "av1"),
        ("two", "av2", "rst"),
        ("two", "av1", "av1"),
    ]


def test_variants_are_compared_with_the_base_at_equal_other_keys() -> None:
    points = {
        (variant, hosts): summaries.summary(protocol("av1", scale=scale))
        for variant, scale in (("base", 1.0), ("slow", 2.0))
        for hosts in ("5", "10")
    }
    summary = study(points, ("variant", "hosts"))
    assert [each.title for each in summary.comparisons] == [
        "'slow' against 'base', av1, at hosts 5",
        "'slow' against 'base', av1, at hosts 10",
    ]
    rows = tables(summary)["differences"].to_pylist()
    delays = [row for row in rows if row["metric"] == "delay"]
    assert [(row["vary.variant"], row["vary.hosts"], row["against"]) for row in delays] == [
        ("slow", "5", "base"),
        ("slow", "10", "base"),
    ]
    assert [(row["difference_mean"], row["ratio_mean"]) for row in delays] == [(55 * MS, 2)] * 2


def test_the_base_comes_first_and_variants_have_no_scale() -> None:
    (axis,) = axes(("variant",), [("2",), ("a",), ("base",), ("10",)])
    assert axis.values[0] == ("base",)
    (axis,) = axes(("variant",), [("10",), ("2",)])
    assert axis.numbers is None


def test_a_sweep_without_variants_has_no_column_against() -> None:

    empty = study({}, ("hosts",))
    assert "against" not in tables(empty)["differences"].column_names
    assert "against" in tables(replace(empty, keys=("hosts", "variant")))["differences"].column_names
    assert list(comparisons(("hosts",), [(("5",), summaries.summary(protocol("av1")))])) == []


def test_text_and_page_have_the_same_differences() -> None:
    points = {
        ("base",): summaries.summary(protocol("av1")),
        ("slow",): summaries.summary(protocol("av1", scale=2.0)),
    }
    summary = study(points)
    lines = list(summary.lines(indented))
    at = lines.index("'slow' against 'base', av1")
    assert " ".join(lines[at + 2].split()) == "mean delay (ms) 55.0 ± 1.0 110.0 ± 1.0 +55 [+42, +68] x 2"
    assert "<td>+55 [+42, +68]</td><td>x 2</td>" in page(summary)


def test_a_study_without_complete_variants_is_reported() -> None:
    lines = study({("base",): summaries.summary(protocol("av1"))}).lines(indented)
    assert any(line.startswith("no variant is compared with the base: ") for line in lines)


def test_a_mean_without_values_has_no_row() -> None:
    points = {
        ("base",): summaries.summary(protocol("av1")),
        ("slow",): summaries.summary(protocol("av1")),
    }
    (found,) = study(points).comparisons
    assert not [row for row in found.rows() if row[0].startswith("messages waiting")]


def test_zero_on_both_sides_is_a_row_except_wireless_metrics_of_static_networks() -> None:
    points = {("base",): summaries.mesh(summaries.linked()), ("slow",): summaries.mesh(summaries.linked())}
    none = {
        metric: summaries.estimate(0.0, 0.0, (0.0, 0.0)) for metric in ("inhibition", "wireless.total", "host.energy")
    }
    points = {
        at: replace(each, protocols=tuple(replace(one, estimates={**one.estimates, **none}) for one in each.protocols))
        for at, each in points.items()
    }
    (found,) = study(points).comparisons
    rows = {row[0].partition(" (")[0]: row[3] for row in found.rows()}
    assert rows["inhibition"] == "identical in all pairs"
    assert not rows.keys() & {"bytes per delivery, wireless", "energy per delivery"}


def test_an_empty_battery_is_an_event(tmp_path: Path) -> None:
    """When the battery of a host is empty, the host also disconnects."""
    for name, battery in (("base", "1 J"), ("more", "2 J")):
        made_sweeps.run_point(tmp_path, {"variant": name}, loads(SCENARIO, overrides={"energy.battery": battery}))
    base, more = runs(tmp_path, "base")["av1"], runs(tmp_path, "more")["av1"]
    found = first_divergence(more, base)
    assert found is not None
    died = min((row["died"], row["host"]) for row in base.read("hosts", "host", "died").to_pylist())
    assert died[0] in base.read("disconnections", "left")["left"].to_pylist()
    assert found.right == DivergenceEvent(died[0], f"the battery of host {died[1]} is empty")
    endless = replace(found, left=DivergenceEvent(None, found.right.text))
    assert endless.text("full", "base").endswith(f"the battery of host {died[1]} is empty; not in 'full'")


def test_an_event_in_a_static_network_has_a_host_instead_of_a_station(tmp_path: Path) -> None:
    scenario = "{hosts: 4, network: static, messages: 20, protocols: [rst]}"
    for name, delay in (("base", "10 ms"), ("slow", "20 ms")):
        made_sweeps.run_point(tmp_path, {"variant": name}, loads(scenario, overrides={"links.delay": delay}))
    found = first_divergence(runs(tmp_path, "slow")["rst"], runs(tmp_path, "base")["rst"])
    assert found is not None
    assert found.right.text.endswith(" arrives at that host")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("study")
    variants = {
        "base": {},
        "slow": {"wireless.bandwidth": "256 kbit/s"},
        "long": {"messages": "170"},
        "large": {"workload.payload": "900 B"},
        "still": {"mobility.dwell": "exponential 5 s"},
        "alike": {"workload.selectivity": "1"},
        "crowded": {"hosts": "8"},
    }
    for name, changes in variants.items():
        made_sweeps.run_point(made, {"variant": name}, loads(SCENARIO, overrides=changes))
    return made


def runs(directory: Path, variant: str) -> dict[str, Run]:
    return {run.protocol: run for run in read_sweep(directory).points[variant,].runs}


def events(run: Run) -> dict[tuple[Any, ...], int]:
    """Return every event of the tables with its time, as a simple reference."""
    found: dict[tuple[Any, ...], int] = {}
    for row in run.read("messages").to_pylist():
        sent = row["message"], row["source"], *row["destinations"], row["payload_bytes"]
        found["submitted", *sent] = row["submitted"]
    for row in run.read("handoffs").to_pylist():
        for stamp in ("left", "entered", "registered", "request", "enabled", "flush_ack", "complete"):
            if row[stamp] is not None:
                found[stamp, row["host"], row["visit"], row["from_station"], row["to_station"]] = row[stamp]
    for row in run.read("deliveries").to_pylist():
        for stamp in ("uplink_started", "accepted", "sent", "arrived", "released", "downlink_started", "delivered"):
            found[stamp, row["message"], row["destination"]] = row[stamp]
    return found


def reference_divergence_time(left: Run, right: Run) -> int | None:
    ours, theirs = events(left), events(right)
    both = ours.keys() | theirs.keys()
    return min(
        (min(side[key] for side in (ours, theirs) if key in side) for key in both if ours.get(key) != theirs.get(key)),
        default=None,
    )


@pytest.mark.parametrize("variant", ("slow", "long", "large", "still", "alike", "crowded"))
@pytest.mark.parametrize("name", ("av1", "rst"))
def test_the_first_divergence_has_the_same_time_as_in_the_reference(directory: Path, variant: str, name: str) -> None:
    base, other = runs(directory, "base")[name], runs(directory, variant)[name]
    found = first_divergence(other, base)
    assert found is not None
    assert found.at == reference_divergence_time(other, base)


def test_a_run_has_no_divergence_from_itself(directory: Path) -> None:
    run = runs(directory, "base")["av1"]
    assert first_divergence(run, run) is None


def test_the_text_of_a_divergence_has_the_events_of_both_runs(directory: Path, spark: SparkSession) -> None:
    found = read_sweep(directory)
    points: dict[Settings, Summary] = {
        point: summaries.summary(*(protocol(name) for name in ("av1", "rst"))) for point in found.points
    }
    compared = list(comparisons(found.keys, list(points.items())))
    shown: list[str] = []
    divergences = find_divergences(spark, found, compared, shown.append)
    assert shown[-1] == f"looking for first differing events: {len(shown)} of {len(shown)} pairs of runs"
    lines = {(each.variant, each.left.name): each.divergence_lines(divergences)[0] for each in compared}
    slow = lines["slow", "av1"]
    assert slow.startswith("first differing event, in replication 0: in 'base', at 0.")
    assert "; in 'slow' at 0." in slow
    assert "(100 B); in 'base', at" in lines["large", "av1"] or "(900 B); in 'base', at" in lines["large", "av1"]
    assert "; not in 'base'" in lines["long", "rst"]
    assert " submits message " in lines["alike", "av1"]
    assert any(word in lines["still", "av1"] for word in ("leaves the cell", "enters the cell", "is requested from"))


def test_a_base_without_batteries_has_no_hosts_out_of_battery() -> None:
    died = estimate(3.0, runs=(2.0, 4.0))
    with_batteries = protocol("av1", estimates={**protocol("av1").estimates, "host.died": died, "delay": DELAYS})
    without = protocol("av1", estimates={**protocol("av1").estimates, "delay": DELAYS})
    each = Comparison(("variant",), ("mortal",), with_batteries, without)
    (row,) = each.rows([METRICS["host.died"]])
    assert row[:3] == ["hosts out of battery (per run)", "0", "3"]
    assert not list(Comparison(("variant",), ("other",), without, without).rows([METRICS["host.died"]]))


def test_the_number_of_replications_that_differ_is_reported(directory: Path) -> None:
    base, other = runs(directory, "base")["av1"], runs(directory, "slow")["av1"]
    apart = first_divergence(other, base)
    assert apart is not None
    early, late = (
        replace(apart, left=DivergenceEvent(at, ""), right=DivergenceEvent(None, "")) for at in (1_000_000, 3_000_000)
    )
    cases = (
        (Divergences({0: apart}), None),
        (Divergences({0: None, 1: None}), None),
        (Divergences({0: None, 1: early}), "they differ in 1 of 2 replications"),
        (
            Divergences({0: late, 1: early, 2: None, 3: late, 4: late}),
            "they differ in 4 of 5 replications: first at 0.001 s, median 0.003 s, last at 0.003 s",
        ),
        (
            Divergences({0: late, 1: early}),
            "they differ in both replications: first at 0.001 s, median 0.001 s, last at 0.003 s",
        ),
    )
    assert [divergences.frequency for divergences, _ in cases] == [text for _, text in cases]
    assert Divergences({0: None, 3: early, 4: late}).first == early
