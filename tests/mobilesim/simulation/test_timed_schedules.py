"""Random scenarios of the timed simulation: every protocol keeps its claims with jitter, frequent moves, and uplinks so
slow that hosts leave before their registrations arrive.
"""

from collections import Counter
from random import Random

import pytest

from mobilesim.explorer.untimed_world import SystemBuilder, build_system
from mobilesim.oracle.causal_order import Oracle
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.protocols.catalogue import ROWS, pairs
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.recording.null_recorder import Recorder
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.cells import CellularSimulation
from mobilesim.world.replication import build_world
from tests.support.mutants.catalogue import BROKEN
from tests.support.protocol_pairs import first_finding, placement_of, with_seeds
from tests.support.timed_schedules import MEDIA, ScheduleRun, random_scenario, with_medium

STEPS = 100_000


def run_scenario(row: ProtocolRow, seed: int, build: SystemBuilder | None = None) -> ScheduleRun:
    """Run a random scenario that the row accepts. `build` creates other machines than those of the row."""
    return simulated(random_scenario(Random(seed), row), row, build)


def simulated(scenario: Scenario, row: ProtocolRow, build: SystemBuilder | None = None) -> ScheduleRun:
    world = build_world(scenario, 0)
    options = dict(scenario.protocols[0].options)
    system = build_system(build or row.build, world.stations, world.starting_cells, options, world.groups)
    oracle = Oracle(scenario.hosts + world.stations)
    simulation = CellularSimulation(world, system, oracle, Recorder(), at_host=placement_of(row).orders_at == "host")
    simulation.start()
    more = simulation.advance(STEPS)
    return ScheduleRun(scenario, simulation, oracle, not more)


@pytest.mark.full
def test_timed_schedules_contain_every_kind_of_setting() -> None:
    """Each of these properties holds for some of 300 scenarios and not for others."""
    runs = [run_scenario(ROWS["av1"], seed) for seed in range(300)]
    seen: Counter[str] = Counter()
    for run in runs:
        mobility = run.scenario.mobility
        policy = mobility.disconnect.policy if mobility.disconnect.probability else "never"
        seen[policy] += 1
        seen["dropped"] += run.oracle.dropped_copies > 0
        seen["dropped, though all is stored"] += run.oracle.dropped_copies > 0 and policy != "drop"
        seen["many moves"] += sum(radio.entries for radio in run.simulation.air.radios) > 10 * run.scenario.hosts
        seen["multicast"] += run.scenario.workload.kind == "multicast"
    least = {"never": 60, "store": 60, "drop": 60, "dropped": 40, "many moves": 40, "multicast": 100}
    assert {name: seen[name] for name in least if not least[name] <= seen[name] <= 240} == {}
    assert seen["dropped, though all is stored"] == 0


def test_schedules_of_restricted_orderings_send_accepted_messages() -> None:
    seen: Counter[str] = Counter()
    for row in pairs():
        runs = [random_scenario(Random(seed), row) for seed in range(30)] if row.serves != "all" else []
        assert row.serves != "unicasts" or {run.workload.kind for run in runs} == {"unicast"}
        assert row.serves != "broadcasts" or {run.workload.destinations for run in runs} == {"all"}
        groups = [build_world(run, 0).groups for run in runs]
        assert all(map(bool, groups)) == (row.serves == "groups" or not runs)
        seen["overlap"] += sum(len(set().union(*each)) < sum(map(len, each)) for each in groups)
        seen["alone"] += sum(len(each) == 1 for each in groups)
    assert seen["overlap"] > 60
    assert seen["alone"] > 5


@pytest.mark.full
@with_seeds
def test_a_protocol_keeps_its_claims_in_timed_schedules(row: ProtocolRow, seeds: range) -> None:
    claims = row.claims
    assert (
        first_finding(seeds, lambda seed: run_scenario(row, seed).findings(causal=claims.causal, fifo=claims.fifo))
        is None
    )


@pytest.mark.full
@with_seeds
def test_a_protocol_keeps_its_claims_on_every_medium(row: ProtocolRow, seeds: range) -> None:
    claims = row.claims

    def findings(seed: int) -> Counter[str]:
        scenario = with_medium(random_scenario(Random(seed), row), MEDIA[seed % len(MEDIA)])
        return simulated(scenario, row).findings(causal=claims.causal, fifo=claims.fifo)

    assert first_finding(seeds, findings) is None


@pytest.mark.parametrize(
    "name", ("unordered", "no-forwarding", "uplink-before-state", "no-holding", "single-record", "unregistered-return")
)
def test_timed_schedules_find_the_faults_of_mutants(name: str) -> None:
    """There is one mutant for each kind of fault."""
    assert any(findings_of(name, seed) for seed in range(200))


def findings_of(name: str, seed: int) -> Counter[str]:
    try:
        return run_scenario(ROWS["av1"], seed, BROKEN[name].build).findings(causal=True, fifo=True)
    except Exception as error:
        if protocols_fault(error) is None:
            raise
        return Counter([type(error).__name__])
