"""The results of the shipped studies support the statements on their pages."""

from pathlib import Path
from typing import Final

import pytest

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.statistics.estimate import Difference, difference
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.reader import read_sweep
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.experiments.sweep.task import run_job
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario import bundled
from mobilesim.scenario.sweeps.sweep_file import load
from tests.house import studies

AIR = METRICS["wireless.total"]
DELAY = METRICS["delay"]
ENERGY = METRICS["host.energy"]
HEADER = METRICS["header_bytes"]
LIFE = METRICS["host.life"]
WIRES = METRICS["wired.total"]

SHORT: Final = {"duration": "4 s", "replications": "4"}
"""Settings that shorten a study. Short studies show the same effects."""

OWN: Final = {
    "what-if/battery": {"duration": "8 s", "energy.battery": "1 J"},
    "what-if/half-bandwidth": {"duration": "8 s", "replications": "30"},
    "what-if/placement-of-headers": {"replications": "8"},
    "what-if/shorter-headers": {"duration": "3 s", "replications": "12"},
}

REPLICATIONS: Final = 10

ZERO: Final = Difference(0, 0, 0, pairs=1)

pytestmark = pytest.mark.usefixtures("spark")


def studied(name: str, directory: Path, overrides: dict[str, str]) -> SweepSummary:
    found = make_plan(load(bundled.find_study(name), overrides))
    with open_sweep(directory, found.resolved_text, found.all_runs()) as store:
        for job in found.jobs(found.rule(store)):
            assert run_job(job).complete
    return summarize_sweep(directory, report=False)


def gap(summary: SweepSummary, shown: Metric, variant: str, left: str, right: str = "", **rest: str) -> Difference:
    """Return the difference between protocol `left` of a variant and protocol `right` of the base.

    `rest`: the values of the other varied keys.
    """
    (found,) = (
        each
        for each in summary.comparisons
        if (each.variant, each.left.name, each.right.name) == (variant, left, right or left)
        and rest.items() <= dict(zip(each.keys, each.point, strict=True)).items()
    )
    return required_difference(shown, found.left, found.right)


def base_mean(summary: SweepSummary, shown: Metric, name: str, **rest: str) -> float:
    """Return the mean of a protocol in the base."""
    wanted = {"variant": "base", **rest}.items()
    (point,) = (each for at, each in summary.points if wanted <= dict(zip(summary.keys, at, strict=True)).items())
    mean = next(shown.value(each).mean for each in point.protocols if each.name == name)
    assert mean is not None
    return mean


def required_difference(shown: Metric, left: ProtocolSummary, right: ProtocolSummary) -> Difference:
    found = difference(shown.value(left), shown.value(right))
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found


def above(larger: Difference, smaller: Difference) -> bool:
    """Whether the whole interval of `larger` is above the interval of `smaller`."""
    assert larger.low is not None
    assert smaller.high is not None
    return larger.low > smaller.high


def near(found: Difference, expected: float, part: float) -> bool:
    """Whether a difference deviates from `expected` by less than the fraction `part` of `expected`."""
    return abs(found.mean - expected) < part * abs(expected)


def part_gap(found: SweepSummary, metric: str, variant: str, left: str, right: str = "", **rest: str) -> Difference:
    """Return the difference in a part of a metric, such as a delay part."""
    return gap(found, studies.part(metric), variant, left, right, **rest)


def frames_cause_the_delay(found: SweepSummary, variant: str, left: str, right: str = "", **rest: str) -> None:
    """Check that the additional delay is almost only that of wireless transmissions."""
    parts = (part_gap(found, way, variant, left, right, **rest) for way in ("uplink_air", "downlink_air"))
    assert near(gap(found, DELAY, variant, left, right, **rest), sum(each.mean for each in parts), 0.2)


def slow_wireless_channels_delay_headers(found: SweepSummary) -> None:
    stations, hosts = (gap(found, DELAY, "slow", name) for name in ("av1", "rst"))
    assert above(stations, ZERO)
    assert above(hosts, stations)
    assert above(*(gap(found, ENERGY, "slow", name) for name in ("rst", "av1")))
    for name in ("av1", "rst"):
        frames_cause_the_delay(found, "slow", name)


def half_the_bandwidth_delays_wireless_headers_most(found: SweepSummary) -> None:
    air = {name: gap(found, DELAY, "half the air", name) for name in ("av1", "rst")}
    wires = {name: gap(found, DELAY, "half the wires", name) for name in ("av1", "rst")}
    assert above(air["rst"], air["av1"])
    assert above(air["rst"], wires["rst"])
    assert all(above(each, ZERO) for each in (*air.values(), *wires.values()))
    assert air["rst"].mean > 5 * max(wires["rst"].mean, wires["av1"].mean)
    for name in ("av1", "rst"):
        frames_cause_the_delay(found, "half the air", name)
        assert near(wires[name], part_gap(found, "wired", "half the wires", name).mean, 0.2)
        assert abs(gap(found, AIR, "half the air", name).mean) < 0.01 * base_mean(found, AIR, name)
    spent = gap(found, ENERGY, "half the air", "rst")
    parts = [part_gap(found, f"energy.{part}", "half the air", "rst").mean for part in ("payload", "ordering")]
    assert above(spent, ZERO)
    assert above(ZERO, part_gap(found, "energy.idle", "half the air", "rst"))
    assert near(spent, sum(parts) / 3, 0.3)
    assert 0.005 < spent.mean / base_mean(found, ENERGY, "rst") < 0.025
    assert above(spent, gap(found, ENERGY, "half the air", "av1"))
    assert above(spent, gap(found, ENERGY, "half the wires", "rst"))


def wireless_headers_cost_more_with_more_hosts(found: SweepSummary) -> None:
    for shown in (AIR, ENERGY):
        few, some, many = (gap(found, shown, "on the hosts", "rst", "av1", hosts=hosts) for hosts in ("8", "16", "32"))
        assert above(some, ZERO)
        assert above(many, some)
        assert above(many, few)
        assert many.mean > 10 * few.mean
    few, some, many = (gap(found, AIR, "on the hosts", "rst", "av1", hosts=hosts) for hosts in ("8", "16", "32"))
    assert near(some, 4 * few.mean, 0.05)
    assert near(many, 16 * few.mean, 0.05)
    carried = [base_mean(found, AIR, "av1", hosts=hosts) for hosts in ("8", "16", "32")]
    assert max(carried) < 1.05 * min(carried)
    for hosts in ("8", "16", "32"):
        assert above(ZERO, gap(found, HEADER, "prs", "prs", "av1", hosts=hosts))
        frames_cause_the_delay(found, "on the hosts", "rst", "av1", hosts=hosts)
        assert above(ZERO, gap(found, WIRES, "on the hosts", "rst", "av1", hosts=hosts))
        assert above(ZERO, part_gap(found, "wired.handoff", "on the hosts", "rst", "av1", hosts=hosts))


def a_ring_takes_longer_and_carries_more(found: SweepSummary) -> None:
    for shown in (DELAY, WIRES):
        av1, rst, fifo = (gap(found, shown, "ring", name) for name in ("av1", "rst", "fifo"))
        assert all(above(each, ZERO) for each in (av1, rst, fifo))
    assert above(gap(found, WIRES, "ring", "av1"), gap(found, WIRES, "ring", "fifo"))
    for name, length in (("fifo", 128), ("av1", 2_428)):
        crossed = part_gap(found, "wired.payload", "ring", name).mean / 100
        assert near(part_gap(found, "wired", "ring", name), crossed * (4e6 + length * 800), 0.05)


def battery_lifetimes_depend_on_radio_times(found: SweepSummary) -> None:
    hosts = gap(found, LIFE, "on the hosts", "rst", "av1")
    awake = gap(found, LIFE, "always awake", "av1")
    assert above(ZERO, hosts)
    assert above(hosts, awake)
    assert above(gap(found, ENERGY, "on the hosts", "rst", "av1"), ZERO)
    awake_delay = gap(found, DELAY, "always awake", "av1")
    assert above(ZERO, awake_delay)
    assert near(awake_delay, part_gap(found, "downlink_queue", "always awake", "av1").mean, 0.1)
    spent = gap(found, ENERGY, "on the hosts", "rst", "av1")
    assert above(part_gap(found, "energy.ordering", "on the hosts", "rst", "av1"), ZERO)
    assert above(spent, ZERO)
    assert near(spent, part_gap(found, "energy.ordering", "on the hosts", "rst", "av1").mean, 0.25)


PRS: Final = "resident+prs"
BITS: Final = "resident+prs encoding=bitmap"


def barriers_carry_less_than_matrices(found: SweepSummary) -> None:
    shares = []
    for hosts in ("6", "12", "24"):
        for shown in (HEADER, AIR, WIRES, DELAY):
            tuples, bits = (
                gap(found, shown, variant, name, "rst", hosts=hosts)
                for variant, name in (("prs", PRS), ("prs with bits", BITS))
            )
            assert above(ZERO, tuples)
            assert above(ZERO, bits)
            assert bits.mean < tuples.mean
        for shown in (HEADER, AIR):
            assert above(ZERO, gap(found, shown, "prs at the stations", "prs", "rst", hosts=hosts))
        header = gap(found, HEADER, "prs", PRS, "rst", hosts=hosts)
        shares.append(header.mean / base_mean(found, HEADER, "rst", hosts=hosts))
    assert shares == sorted(shares, reverse=True)
    few, some, many = (
        gap(found, WIRES, "prs at the stations", "prs", "rst", hosts=hosts) for hosts in ("6", "12", "24")
    )
    assert above(few, ZERO)
    assert above(few, some)
    assert above(ZERO, many)
    copies = part_gap(found, "wired.payload", "prs at the stations", "prs", "rst", hosts="6")
    assert above(copies, ZERO)


HOLDS: Final = {
    "what-if/battery": battery_lifetimes_depend_on_radio_times,
    "what-if/slow-air": slow_wireless_channels_delay_headers,
    "what-if/half-bandwidth": half_the_bandwidth_delays_wireless_headers_most,
    "what-if/placement-of-headers": wireless_headers_cost_more_with_more_hosts,
    "what-if/ring-backbone": a_ring_takes_longer_and_carries_more,
    "what-if/shorter-headers": barriers_carry_less_than_matrices,
}


def long_frames_wait_and_are_interrupted(found: SweepSummary) -> None:
    assert above(part_gap(found, "uplink_queue", "slow", "rst"), part_gap(found, "uplink_queue", "slow", "av1"))
    assert above(gap(found, AIR, "slow", "rst"), ZERO)


def prs_carries_more_bytes_on_wired_links(found: SweepSummary) -> None:
    for hosts in ("8", "16", "32"):
        for metric in ("wired.payload", "wired.ordering", "wired.handoff", "wired.control"):
            assert above(part_gap(found, metric, "prs", "prs", "av1", hosts=hosts), ZERO)


def no_battery_lifetime_is_censored(found: SweepSummary) -> None:
    for results in read_sweep(found.directory).points.values():
        for run in results.runs:
            died = run.read("hosts", "died")["died"]
            assert not died.null_count
            assert max(died.to_pylist()) < 60e9


def barriers_have_the_documented_shares_of_matrices(found: SweepSummary) -> None:
    for hosts, tuples, bits in (("6", 0.76, 0.31), ("12", 0.48, 0.20), ("24", 0.31, 0.15)):
        matrix = base_mean(found, HEADER, "rst", hosts=hosts)
        for variant, name, share in (("prs", PRS, tuples), ("prs with bits", BITS, bits)):
            assert abs(1 + gap(found, HEADER, variant, name, "rst", hosts=hosts).mean / matrix - share) < 0.02
        for metric in ("wired.payload", "wired.handoff", "wired.control"):
            assert above(part_gap(found, metric, "prs at the stations", "prs", "rst", hosts=hosts), ZERO)


HOLDS_IN_FULL_STUDIES: Final = {
    "what-if/shorter-headers": barriers_have_the_documented_shares_of_matrices,
    "what-if/battery": no_battery_lifetime_is_censored,
    "what-if/slow-air": long_frames_wait_and_are_interrupted,
    "what-if/placement-of-headers": prs_carries_more_bytes_on_wired_links,
}
"""Statements that short studies cannot show, because their few short runs give no significant differences."""


def test_every_study_has_a_page_and_a_claim() -> None:
    assert sorted(HOLDS) == list(bundled.studies())
    assert sorted(path.stem for path in studies.PAGES.iterdir()) == [Path(name).name for name in bundled.studies()]
    for name in HOLDS:
        result, parts = studies.blocks_of_page(name)
        assert result.count("first differing event, in replication 0") >= 2
        assert [line for line in result.splitlines() if line.startswith("'")] == [
            line for line in parts.splitlines() if line.startswith("'")
        ]
        assert "## Limits" in studies.page(name).read_text(encoding="utf-8")


@pytest.mark.full
@pytest.mark.parametrize("name", HOLDS)
def test_short_studies_support_the_statements_of_their_pages(name: str, tmp_path: Path) -> None:
    HOLDS[name](studied(name, tmp_path, SHORT | OWN.get(name, {})))


@pytest.mark.slow
@pytest.mark.parametrize("name", HOLDS)
def test_studies_support_the_statements_of_their_pages(name: str, tmp_path: Path) -> None:
    found = studied(name, tmp_path, {})
    assert found.sound
    HOLDS[name](found)
    HOLDS_IN_FULL_STUDIES.get(name, HOLDS[name])(found)
    for each in found.divergences.values():
        assert len(each.by_replication) == REPLICATIONS
        assert None not in each.by_replication.values()


@pytest.mark.slow
def test_tuples_of_unicasts_become_larger_than_the_matrix_and_bitmaps_do_not(tmp_path: Path) -> None:
    unicasts = {"workload.kind": "unicast", "workload.destinations": "1", "duration": "240 s", "replications": "2"}
    found = studied("what-if/shorter-headers", tmp_path, unicasts)
    for hosts, share in (("12", 1.1), ("24", 1.3)):
        matrix = base_mean(found, HEADER, "rst", hosts=hosts)
        tuples, bits = (
            gap(found, HEADER, "prs", PRS, "rst", hosts=hosts),
            gap(found, HEADER, "prs with bits", BITS, "rst", hosts=hosts),
        )
        assert above(tuples, ZERO)
        assert abs(1 + tuples.mean / matrix - share) < 0.05
        assert above(ZERO, bits)


@pytest.mark.slow
def test_barriers_of_multicasts_stop_growing(tmp_path: Path) -> None:
    lengths = {
        duration: studied(
            "what-if/shorter-headers", tmp_path / duration[:2], {"duration": duration, "replications": "2"}
        )
        for duration in ("20 s", "60 s")
    }
    for hosts in ("6", "12"):
        short, long = (gap(found, HEADER, "prs", PRS, "rst", hosts=hosts).mean for found in lengths.values())
        matrix = base_mean(lengths["20 s"], HEADER, "rst", hosts=hosts)
        assert matrix + long < 1.1 * (matrix + short)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOLDS)
def test_pages_have_the_results_of_their_studies(name: str) -> None:
    assert studies.blocks_of_run(name) == studies.blocks_of_page(name)
