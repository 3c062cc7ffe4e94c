"""Hypothesis draws schedules of the untimed world, and shrinks the schedules that end in a fault."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, ClassVar

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import NO_CELL, Action, Bounds, SystemBuilder, UntimedWorld
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow
from tests.support.mutants.catalogue import BROKEN
from tests.support.protocol_pairs import PAIRS, placement_of
from tests.support.protocols.live_worlds import live_world

STEPS = settings(max_examples=60, stateful_step_count=60, deadline=None, derandomize=True, database=None)


class Driver(RuleBasedStateMachine):
    """A state machine that draws a schedule. At its end every host reconnects, and every packet arrives.
    `found` collects the worlds with a fault.
    """

    build: ClassVar[SystemBuilder]
    options: ClassVar[Mapping[str, OptionValue]]
    drops: ClassVar[bool]
    found: ClassVar[list[UntimedWorld]]
    world: UntimedWorld

    @initialize(stations=st.integers(2, 4), homes=st.lists(st.integers(0, 1), min_size=2, max_size=5))
    def start(self, stations: int, homes: list[int]) -> None:
        system = type(self).build(stations, tuple(homes), self.options)
        self.world = live_world(system, homes, Bounds(0, 0, drops=self.drops))

    @rule(data=st.data())
    def submit(self, data: Any) -> None:  # noqa: ANN401 - Hypothesis exports no type for it
        host, *others = data.draw(st.permutations(range(len(self.world.cells))))
        count = data.draw(st.integers(1, len(others)))
        self.apply(Action(InputKind.SUBMIT, host, tuple(sorted(others[:count]))))

    @precondition(lambda self: any(self.world.deliveries()))
    @rule(data=st.data())
    def deliver(self, data: Any) -> None:  # noqa: ANN401
        self.apply(data.draw(st.sampled_from(list(self.world.deliveries()))))

    @rule(data=st.data())
    def move(self, data: Any) -> None:  # noqa: ANN401
        host = data.draw(st.integers(0, len(self.world.cells) - 1))
        if self.world.cells[host] != NO_CELL:
            if self.drops and data.draw(st.booleans()):
                self.switch_off(host, data.draw(st.integers(0, 3)))
            self.apply(Action(InputKind.LEAVE, host))
        if data.draw(st.booleans()):
            self.apply(Action(InputKind.ENTER, host, (data.draw(st.integers(0, self.world.stations - 1)),)))

    def switch_off(self, host: int, heard: int) -> None:
        """Switch a host off. Before it leaves, its first `heard` frames arrive."""
        self.apply(Action(InputKind.SWITCH_OFF, host))
        for _ in self.world.up[host][:heard]:
            self.apply(Action(InputKind.UP, host))

    def apply(self, action: Action) -> None:
        self.world.apply(action)
        if self.world.faults:
            self.found.append(self.world)
        assert self.world.faults == []

    def teardown(self) -> None:
        if not hasattr(self, "world") or self.world.faults:
            return
        for host, cell in enumerate(self.world.cells):
            if cell == NO_CELL:
                self.apply(Action(InputKind.ENTER, host, (0,)))
        while action := next(self.world.deliveries(), None):
            self.apply(action)


def driver(
    build: SystemBuilder,
    options: Mapping[str, OptionValue],
    found: list[UntimedWorld] | None = None,
    *,
    drops: bool = False,
) -> type[Driver]:
    kept = [] if found is None else found
    known = {"build": staticmethod(build), "options": options, "drops": drops, "found": kept}
    return type("Drawn", (Driver,), known)


def option_settings(row: ProtocolRow) -> Iterator[Mapping[str, OptionValue]]:
    """Yield every combination of options, with at most three values of each option."""
    names = list(row.options)
    for values in product(*(tuple(option.values)[:3] for option in row.options.values())):
        yield dict(zip(names, values, strict=True))


CASES = [
    pytest.param(row, options, id=" ".join([row.name, *map(str, options.values())]))
    for row in PAIRS
    if row.claims.causal
    for options in option_settings(row)
]


@pytest.mark.full
@pytest.mark.parametrize(("row", "options"), CASES)
def test_hypothesis_finds_no_fault_in_causal_protocols(row: ProtocolRow, options: Mapping[str, OptionValue]) -> None:
    fewer = settings(STEPS, max_examples=30)
    run_state_machine_as_test(driver(row.build, options, drops=placement_of(row).drops), settings=fewer)


@pytest.mark.slow
@pytest.mark.parametrize(("row", "options"), CASES)
def test_hypothesis_finds_no_fault_in_longer_runs(row: ProtocolRow, options: Mapping[str, OptionValue]) -> None:
    longer = settings(STEPS, max_examples=400, stateful_step_count=150, derandomize=False)
    run_state_machine_as_test(driver(row.build, options, drops=placement_of(row).drops), settings=longer)


ORACLE = {"location": "free"}
MUTANTS = ("unordered", "no-holding", "unregistered-return", "unchecked-up", "no-answer", "single-record")


@pytest.mark.full
@pytest.mark.parametrize("name", MUTANTS)
def test_hypothesis_finds_faults_of_mutants(name: str) -> None:
    quick = settings(STEPS, max_examples=300, phases=(Phase.generate,))
    with pytest.raises(AssertionError, match="Fault"):
        run_state_machine_as_test(driver(BROKEN[name].build, ORACLE), settings=quick)


@pytest.mark.slow
def test_hypothesis_shrinks_a_counter_example_to_a_few_steps() -> None:
    found: list[UntimedWorld] = []
    with pytest.raises(AssertionError, match="Fault"):
        run_state_machine_as_test(driver(BROKEN["unregistered-return"].build, ORACLE, found), settings=STEPS)
    assert sum(found[-1].sent) <= 2
    assert found[-1].moves <= 2
