"""Clocks of the catalogue in random executions, in the order of arrivals that they need."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any, Final

from mobilesim.protocols.catalogue_rows import OptionValue
from mobilesim.protocols.clocks.catalogue import CLOCKS, ClockRow, Errors
from mobilesim.protocols.clocks.logical_clock import CausalRelation, ClockSystem, Network, PhysicalTime
from mobilesim.protocols.frozen_value import value
from tests.support.clocks.execution import Chooses, Execution, fifo, in_any_order, in_causal_order
from tests.support.clocks.graphs import random_links

Builds = Callable[[Network], ClockSystem[Any]]
Wrong = tuple[CausalRelation, CausalRelation]

ORDERS: Final[Mapping[str, Chooses]] = {"any": in_any_order, "FIFO": fifo, "causal": in_causal_order}

BEFORE, AFTER, CONCURRENT = CausalRelation
MISSED: Final = {(BEFORE, CONCURRENT), (AFTER, CONCURRENT)}
SPURIOUS: Final = {(CONCURRENT, BEFORE), (CONCURRENT, AFTER)}
REVERSED: Final = {(BEFORE, AFTER), (AFTER, BEFORE)}
ADMITTED: Final[Mapping[Errors, set[Wrong]]] = {Errors.NONE: set(), Errors.MISSED: MISSED, Errors.SPURIOUS: SPURIOUS}


@value
class Variant:
    """A clock of the catalogue with options."""

    row: ClockRow
    options: dict[str, OptionValue]

    @property
    def errors(self) -> Errors:
        return self.row.errors_with(self.options)

    @property
    def text(self) -> str:
        return " ".join([self.row.name, *(f"{key}={setting}" for key, setting in self.options.items())])

    def build(self, network: Network) -> ClockSystem[Any]:
        return self.row.clocks(network, self.options)


def variants() -> Iterator[Variant]:
    """Yield every clock with its default options and with other values of each option."""
    for row in CLOCKS.values():
        yield Variant(row, {})
        for name, option in row.options:
            for setting in option.examples[:2]:
                if setting != option.default:
                    yield Variant(row, {name: setting})
    yield Variant(CLOCKS["plausible"], {"entries": 3, "scalar": True})
    yield Variant(CLOCKS["bloom"], {"counters": 3, "hashes": 3})
    yield Variant(CLOCKS["hybrid"], {"offset": 50})


def random_execution(seed: int, build: Builds, arrivals: Chooses, steps: int = 40) -> Execution:
    random = Random(seed)
    links, physical = random_links(random), PhysicalTime()
    execution = Execution(links, [build(Network(links, physical))], physical)
    execution.live(random, steps, arrivals)
    return execution


def kinds_of_wrong_answers(build: Builds, arrivals: Chooses, seeds: Iterable[int]) -> set[Wrong]:
    """Return the pairs of a true relation and a wrong answer that occur in random executions."""
    return {wrong for seed in seeds for wrong in random_execution(seed, build, arrivals).wrong_answers(0)}
