"""Random schedules: every protocol keeps its claims, and the schedules contain all difficult events."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

import pytest

from mobilesim.conformance.random_schedules import Drawn, Sizes, random_schedule
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.machine_driver import Effect, InputKind, LiveDriver, Sent
from mobilesim.explorer.untimed_world import SystemBuilder
from mobilesim.oracle.verdicts import Fault, FaultKind, tolerated_faults
from mobilesim.protocols.catalogue import ROWS, pair
from mobilesim.protocols.catalogue_rows import Claims, ProtocolRow
from mobilesim.protocols.handoff.visits import HandoffStation, VisitState
from mobilesim.protocols.machine import Phase, System
from mobilesim.protocols.packets import RoutedPacket
from tests.support.mutants.builders import ProxyBuilder
from tests.support.mutants.orderings import NumberedOnly
from tests.support.protocol_pairs import SLOW_SEEDS, first_finding, options, with_seeds
from tests.support.protocols.live_worlds import live_world
from tests.support.protocols.recording import ObservedMachines
from tests.support.protocols.script import FREE
from tests.support.protocols.variants import VARIANTS, Variant

LOCATED = [row for row in ROWS.values() if "location" in row.options]
LOCATIONS = ("free", "lazy", "home", "paging")
DESTINATIONS = {"all": (1, 11), "groups": (1, 11), "unicasts": (1, 1), "broadcasts": (11, 11)}
FLUSHES = {Phase.ENABLED, Phase.FLUSH_ACK, Phase.FORWARDED}
CAUSAL = [variant for variant in VARIANTS if variant.row.claims.causal]
causal = pytest.mark.parametrize("variant", CAUSAL, ids=lambda variant: variant.name)
located = pytest.mark.parametrize("location", LOCATIONS)


def drawn(row: ProtocolRow, location: str, seed: int) -> Drawn:
    return random_schedule(row.build, Random(seed), {"location": location})


def crowded(row: ProtocolRow, seed: int) -> Drawn:
    """Return a larger schedule with all inputs that the placement accepts. Unclaimed violations do not end it."""
    random, able = Random(seed), row.placement_row
    sizes = Sizes(
        stations=(2, 6),
        hosts=(2, 12),
        moves=(0, 16),
        destinations=DESTINATIONS[row.serves],
        drops=able.drops and seed % 2 == 0,
        stores=seed % 4 == 1,
        originates=able.originates and seed % 3 == 0,
        groups=(1, 6) if row.serves == "groups" else (0, 0),
    )
    return random_schedule(row.build, random, options(row, random), sizes, tolerated=tolerated_faults(row.claims))


@pytest.mark.full
@with_seeds
def test_every_placement_keeps_its_claims_in_crowded_schedules(row: ProtocolRow, seeds: range) -> None:
    assert first_finding(seeds, lambda seed: crowded(row, seed).world.faults) is None


@pytest.mark.full
def test_crowded_schedules_contain_every_kind_of_event() -> None:
    seen: Counter[str] = Counter()
    for seed in range(100):
        run = crowded(pair("flood", "rst"), seed)
        assert isinstance(run.world.driver, LiveDriver)
        hosts = len(run.homes)
        seen["stations send"] += any(
            action.kind is InputKind.SUBMIT and action.index >= hosts for action in run.schedule
        )
        seen["switched off"] += any(action.kind is InputKind.SWITCH_OFF for action in run.schedule)
        seen["dropped"] += run.world.driver.oracle.dropped_copies > 0
        seen["many hosts"] += hosts > 8
    least = {"stations send": 25, "switched off": 35, "dropped": 15, "many hosts": 25}
    assert {name: seen[name] for name in least if not least[name] <= seen[name] <= 60} == {}


def faults(variant: Variant, seed: int) -> Sequence[Fault]:
    return random_schedule(variant.row.build, Random(seed), variant.options).world.faults


@pytest.mark.full
@causal
def test_random_schedules_have_no_fault(variant: Variant) -> None:
    """For comparison: each broken variant of tests/support/mutants has a fault in one of its first 160 schedules."""
    start, count = first_seeds(variant)
    assert first_finding(range(start, start + count), partial(faults, variant)) is None


def first_seeds(variant: Variant) -> tuple[int, int]:
    """Return the first seed of a variant in `make test`, and the number of seeds: 400 for all variants of a row."""
    variants = sum(each.row.name == variant.row.name for each in VARIANTS)
    return (0 if variant.options.get("location") == "lazy" else 2_500), min(200, max(40, 400 // variants))


@pytest.mark.slow
@causal
def test_ten_thousand_other_random_schedules_have_no_fault(variant: Variant) -> None:
    start, count = first_seeds(variant)
    assert first_finding((*range(start + count, start + 2_500), *SLOW_SEEDS), partial(faults, variant)) is None


@pytest.mark.full
@located
@pytest.mark.parametrize("name", ("unordered", "fifo"))
def test_random_schedules_find_violations_of_causal_order(name: str, location: str) -> None:
    faults = [fault for seed in range(300) for fault in drawn(ROWS[name], location, seed).world.faults]
    expected = {FaultKind.OVERTAKES} if ROWS[name].claims.fifo else {FaultKind.OVERTAKES, FaultKind.OUT_OF_TURN}
    assert {fault.kind for fault in faults} == expected


def claimed(build: SystemBuilder, claims: Claims, seed: int) -> Drawn:
    """Return a schedule that continues after violations of orders that the protocol does not claim."""
    return random_schedule(build, Random(seed), {"location": LOCATIONS[seed % 4]}, tolerated=tolerated_faults(claims))


@pytest.mark.full
@pytest.mark.parametrize("row", [row for row in LOCATED if not row.claims.causal], ids=lambda row: row.name)
def test_a_protocol_without_causal_order_keeps_its_other_claims(row: ProtocolRow) -> None:
    """Some of these schedules violate causal order, and none has another fault."""
    broken = 0
    for seed in range(500):
        run = claimed(row.build, row.claims, seed)
        assert (seed, run.world.faults) == (seed, [])
        assert isinstance(run.world.driver, LiveDriver)
        assert run.world.driver.oracle.fifo == 0 or not row.claims.fifo
        broken += run.world.driver.oracle.causal > 0
    assert broken > 10


def test_an_ordering_that_never_waits_violates_fifo() -> None:
    build = ProxyBuilder(ordering=NumberedOnly).build
    runs = [claimed(build, ROWS["fifo"].claims, seed) for seed in range(100)]
    faults = [fault for run in runs for fault in run.world.faults]
    assert {fault.kind for fault in faults} == {FaultKind.OUT_OF_TURN}
    assert len(faults) > 50


class EventCounter(ObservedMachines):
    """A driver that counts the messages that stations hold for moving hosts or forward to them."""

    __slots__ = ("seen",)

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.seen: Counter[str] = Counter()

    def feed(self, machine: int, kind: InputKind, item: object) -> Sequence[Effect]:
        player = self.machines[machine]
        if isinstance(player, HandoffStation) and isinstance(item, RoutedPacket):
            states = {player.newest[target].state for target in item.copy.targets}
            self.seen["held"] += bool(states & {VisitState.AWAITING, VisitState.PASSING})
        effects = super().feed(machine, kind, item)
        forwarded = [
            effect for effect in effects if isinstance(effect, Sent) and isinstance(effect.packet, RoutedPacket)
        ]
        self.seen["forwarded"] += isinstance(item, RoutedPacket) and bool(forwarded)
        return effects


def difficult_events(run: Drawn) -> set[str]:
    """Return the names of the difficult events that occur in a schedule."""
    driver = run.world.driver
    assert isinstance(driver, EventCounter)
    seen = {name for name, count in driver.seen.items() if count}
    seen |= {"inferred visit" for milestone in driver.milestones if milestone.inferred}
    seen |= {"multicast" for action in run.schedule if action.kind is InputKind.SUBMIT and len(action.targets) > 1}
    seen |= {"FIFO channels" if run.world.bounds.fifo else "channels without order"}
    return seen | set(_movements(run))


def _movements(run: Drawn) -> Iterator[str]:
    paths = {host: [home] for host, home in enumerate(run.homes)}
    left: dict[int, int] = {}
    for step, action in enumerate(run.schedule):
        match action.kind:
            case InputKind.LEAVE:
                left[action.index] = step
            case InputKind.SUBMIT if action.index in left:
                yield "sent while away"
            case InputKind.ENTER:
                paths[action.index] += action.targets
                yield from _entry(paths[action.index][-3:], step - left.pop(action.index))


def _entry(path: list[int], absence: int) -> Iterator[str]:
    if path[-2] == path[-1]:
        yield "same cell"
    elif path[0] == path[-1]:
        yield "to and fro"
    if absence > 20:
        yield "long absence"


@pytest.mark.full
def test_random_schedules_contain_difficult_movements() -> None:
    counts: Counter[str] = Counter()
    for seed in range(500):
        options = {"location": LOCATIONS[seed % 4]}
        counts.update(difficult_events(random_schedule(ROWS["av1"].build, Random(seed), options, driver=EventCounter)))
    least = {
        "inferred visit": 250,
        "held": 250,
        "forwarded": 150,
        "same cell": 250,
        "to and fro": 250,
        "long absence": 120,
        "sent while away": 150,
        "multicast": 250,
        "FIFO channels": 80,
        "channels without order": 250,
    }
    assert {name: counts[name] for name in least if counts[name] < least[name]} == {}


@pytest.mark.full
@pytest.mark.parametrize(("placement", "absent"), (("station", set()), ("logical", set()), ("flood", FLUSHES)))
def test_every_milestone_of_a_hand_off_is_reached_many_times(placement: str, absent: set[Phase]) -> None:
    seen: Counter[Phase] = Counter()
    for seed in range(200):
        driver = random_schedule(pair(placement, "rst").build, Random(seed), driver=ObservedMachines).world.driver
        assert isinstance(driver, ObservedMachines)
        seen.update({milestone.phase for milestone in driver.milestones})
    assert {phase for phase in Phase if not seen[phase]} == absent
    assert [phase for phase in set(Phase) - absent if seen[phase] < 40] == []


@pytest.mark.full
def test_schedules_have_the_requested_sizes() -> None:
    runs = [drawn(ROWS["rst"], "free", seed) for seed in range(200)]
    assert {len(run.homes) for run in runs} == set(range(2, 9))
    assert {run.world.stations for run in runs} == {2, 3, 4, 5}
    assert {5, 40} <= {run.world.bounds.messages for run in runs} <= set(range(5, 41))
    assert all(sum(run.world.sent) == run.world.bounds.messages for run in runs)


def test_the_same_seed_draws_the_same_schedule() -> None:
    assert drawn(ROWS["av1"], "lazy", 7).schedule == drawn(ROWS["av1"], "lazy", 7).schedule
    assert drawn(ROWS["av1"], "lazy", 7).schedule != drawn(ROWS["av1"], "lazy", 8).schedule


def test_every_packet_has_arrived_at_the_end() -> None:
    for seed in range(100):
        world = drawn(ROWS["av1"], "free", seed).world
        assert world.quiet
        assert list(world.deliveries()) == []


def test_a_schedule_with_a_fault_can_be_replayed_and_printed() -> None:
    run = next(run for seed in range(50) if (run := drawn(ROWS["unordered"], "free", seed)).world.faults)
    world, row = run.world, ROWS["unordered"]
    again = live_world(row.build(world.stations, run.homes, FREE), run.homes, world.bounds)
    for action in run.schedule:
        assert again.faults == []
        again.apply(action)
    assert again.faults == world.faults
    *steps, last = listing(row.build(world.stations, run.homes, FREE), run.homes, world.bounds, run.schedule)
    assert len(steps) == len(run.schedule)
    assert last.startswith("fault: host ")
