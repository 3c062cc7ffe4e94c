"""When no packet is in transit at the end of a schedule: which station serves a host, and what stations store."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from mobilesim.conformance.random_schedules import Drawn, Sizes, random_schedule
from mobilesim.explorer.machine_driver import LiveDriver
from mobilesim.oracle.verdicts import tolerated_faults
from mobilesim.protocols.catalogue import PLACEMENTS, pair
from mobilesim.protocols.handoff.visits import SERVING, HandoffStation, Visit
from mobilesim.protocols.machine import Host, Station
from mobilesim.protocols.placements.flood import FloodStation
from mobilesim.protocols.placements.logical import LogicalStation
from tests.support.protocols.variants import Variant, variants

pytestmark = pytest.mark.full

TRIED = [
    variant
    for placement in PLACEMENTS
    for ordering in ("rst", "unordered")
    for variant in variants(pair(placement, ordering))
]


def variants_under(*placements: str) -> pytest.MarkDecorator:
    tried = [variant for variant in TRIED if variant.row.placement in placements]
    return pytest.mark.parametrize("variant", tried, ids=lambda variant: variant.name)


@cache
def runs(variant: Variant) -> list[Drawn]:
    return list(_drawn(variant))


def _drawn(variant: Variant) -> Iterator[Drawn]:
    able = PLACEMENTS[variant.row.placement]
    for seed in range(60):
        sizes = Sizes(drops=able.drops and seed % 2 == 0, originates=able.originates and seed % 3 == 0)
        broken = tolerated_faults(variant.row.claims)
        run = random_schedule(variant.row.build, Random(seed), variant.options, sizes, tolerated=broken)
        assert run.world.faults == []
        yield run


def machines(run: Drawn) -> list[Host | Station]:
    assert isinstance(run.world.driver, LiveDriver)
    return run.world.driver.machines


def stations(run: Drawn) -> Iterator[HandoffStation[Visit]]:
    for machine in machines(run):
        if isinstance(machine, HandoffStation):
            yield machine


@variants_under(*PLACEMENTS)
def test_only_the_station_of_the_cell_serves_a_host(variant: Variant) -> None:
    for run in runs(variant):
        for place, station in enumerate(stations(run)):
            serving = {host for host, visit in station.newest.items() if visit.state is SERVING}
            assert serving == {host for host, cell in enumerate(run.world.cells) if cell == place}
            assert station.older == {}


@variants_under(*PLACEMENTS)
def test_no_message_waits_or_is_stored_at_the_end(variant: Variant) -> None:
    for run in runs(variant):
        for station in stations(run):
            assert (station.pending, station.stored) == (0, (0, 0))
            assert [visit.queue for visit in station.newest.values() if visit.state is SERVING and visit.queue] == []


@variants_under("flood")
def test_a_flood_keeps_no_copies_at_the_end(variant: Variant) -> None:
    for run in runs(variant):
        for station in stations(run):
            assert isinstance(station, FloodStation)
            assert (station.due, station.store.queues, station.awaiting, station.unreported) == ({}, {}, {}, {})
            assert station.store.origins[station.index].floor == station.sent


@variants_under("station", "logical")
def test_after_flushed_hand_offs_stations_keep_no_records_of_past_visits(variant: Variant) -> None:
    for run in runs(variant):
        loads = 0
        for station in stations(run):
            assert isinstance(station, LogicalStation)
            assert {visit.state for visit in station.newest.values()} <= {SERVING}
            assert [known.ahead for known in station.locations if known.ahead] == []
            loads += sum(station.loads)
        assert loads == len(run.homes)
