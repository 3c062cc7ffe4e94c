"""The studies that come with mobilesim: what their pages say of them holds, with its intervals."""

from pathlib import Path
from typing import Final

import pytest

from analysis.compare import Difference, difference
from analysis.model import Protocol
from analysis.sweep_means import AIR, DELAY, ENERGY, HEADER, LIFE, WIRES, Shown
from analysis.sweep_model import SweepSummary
from analysis.sweeps import summarise
from mobilesim import shipped
from mobilesim.scenario.sweep import load
from mobilesim.sweep.plan import plan
from mobilesim.sweep.store import opened
from mobilesim.sweep.task import play
from tests.house import studies

SHORT: Final = {"duration": "4 s", "replications": "4"}
"""Enough to tell what is said of it."""

SMALLER: Final = {"what-if/battery": {"duration": "8 s", "energy.battery": "1 J"}}

NOTHING: Final = Difference(0, 0, 0, 1)

pytestmark = pytest.mark.usefixtures("spark")


def studied(name: str, directory: Path, overrides: dict[str, str]) -> SweepSummary:
    found = plan(load(shipped.find_study(name), overrides))
    with opened(directory, found.settled, found.possible(), fresh=False) as store:
        for job in found.jobs(store, set(), lambda _: 0.0):
            assert play(job).complete
    return summarise(directory, report=False)


def gap(summary: SweepSummary, shown: Shown, variant: str, left: str, right: str = "", **rest: str) -> Difference:
    """Of a variant's protocol and the base's, where all else is like that."""
    (found,) = (
        each
        for each in summary.comparisons
        if (each.variant, each.left.name, each.right.name) == (variant, left, right or left)
        and rest.items() <= dict(zip(each.keys, each.point, strict=True)).items()
    )
    return known(shown, found.left, found.right)


def known(shown: Shown, left: Protocol, right: Protocol) -> Difference:
    found = difference(shown.of(left), shown.of(right))
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    return found


def above(larger: Difference, smaller: Difference) -> bool:
    """Their intervals do not touch."""
    assert larger.low is not None
    assert smaller.high is not None
    return larger.low > smaller.high


def slow_air_slows_headers_down(found: SweepSummary) -> None:
    stations, hosts = (gap(found, DELAY, "slow", name) for name in ("av1", "rst"))
    assert above(stations, NOTHING)
    assert above(hosts, stations)
    assert above(*(gap(found, ENERGY, "slow", name) for name in ("rst", "av1")))


def half_the_air_is_worse_for_headers_on_it(found: SweepSummary) -> None:
    air = {name: gap(found, DELAY, "half the air", name) for name in ("av1", "rst")}
    wires = {name: gap(found, DELAY, "half the wires", name) for name in ("av1", "rst")}
    assert above(air["rst"], air["av1"])
    assert above(air["rst"], wires["rst"])
    assert all(above(each, NOTHING) for each in (*air.values(), *wires.values()))


def headers_on_the_air_cost_more_as_hosts_grow(found: SweepSummary) -> None:
    for shown in (AIR, ENERGY):
        few, some, many = (gap(found, shown, "on the hosts", "rst", "av1", hosts=hosts) for hosts in ("8", "16", "32"))
        assert above(some, NOTHING)
        assert above(many, some)
        assert above(many, few)
    for hosts in ("8", "16", "32"):
        assert above(NOTHING, gap(found, HEADER, "prs", "prs", "av1", hosts=hosts))
    assert above(gap(found, WIRES, "prs", "prs", "av1", hosts="8"), NOTHING)


def a_ring_takes_longer_and_carries_more(found: SweepSummary) -> None:
    for shown in (DELAY, WIRES):
        av1, rst, fifo = (gap(found, shown, "ring", name) for name in ("av1", "rst", "fifo"))
        assert all(above(each, NOTHING) for each in (av1, rst, fifo))
    assert above(gap(found, WIRES, "ring", "av1"), gap(found, WIRES, "ring", "fifo"))


def batteries_last_by_the_time_that_radios_are_on(found: SweepSummary) -> None:
    hosts = gap(found, LIFE, "on the hosts", "rst", "av1")
    awake = gap(found, LIFE, "always awake", "av1")
    assert above(NOTHING, hosts)
    assert above(hosts, awake)
    assert above(gap(found, ENERGY, "on the hosts", "rst", "av1"), NOTHING)
    assert above(NOTHING, gap(found, DELAY, "always awake", "av1"))


HOLDS: Final = {
    "what-if/battery": batteries_last_by_the_time_that_radios_are_on,
    "what-if/slow-air": slow_air_slows_headers_down,
    "what-if/half-bandwidth": half_the_air_is_worse_for_headers_on_it,
    "what-if/placement-of-headers": headers_on_the_air_cost_more_as_hosts_grow,
    "what-if/ring-backbone": a_ring_takes_longer_and_carries_more,
}


def test_every_study_has_a_page_and_a_claim() -> None:
    assert sorted(HOLDS) == list(shipped.studies())
    assert sorted(path.stem for path in studies.PAGES.iterdir()) == [Path(name).name for name in shipped.studies()]
    assert all(studies.kept(name).count("the histories part in replication 0") >= 2 for name in HOLDS)


@pytest.mark.parametrize("name", HOLDS)
def test_what_a_study_shows_holds_in_a_short_form_too(name: str, tmp_path: Path) -> None:
    HOLDS[name](studied(name, tmp_path, SHORT | SMALLER.get(name, {})))


@pytest.mark.slow
@pytest.mark.parametrize("name", HOLDS)
def test_what_a_study_shows_holds(name: str, tmp_path: Path) -> None:
    found = studied(name, tmp_path, {})
    assert found.sound
    HOLDS[name](found)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOLDS)
def test_a_page_has_what_its_study_says(name: str) -> None:
    assert studies.said(name) == studies.kept(name)
