"""The catalogue of logical clocks. Scenarios, commands, tests and documents read these rows.

A new clock needs one file and one row.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from importlib import import_module
from typing import Any, Final, Literal, cast

from mobilesim.protocols.catalogue_rows import Option, Options, OptionValue
from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network
from mobilesim.protocols.frozen_value import value

MSV: Final = "Meldal, Sankar & Vera 1991"

Arrivals = Literal["any", "FIFO", "causal"]


class Errors(Enum):
    """The wrong answers that a clock may give if messages arrive in the order that it needs."""

    NONE = "none"
    MISSED = "ordered messages as concurrent"
    SPURIOUS = "concurrent messages as ordered"


@value
class ClockRow:
    """`integers`: the size of a message's timestamp, for N processes. `arrivals`: the order in which messages must
    arrive; in another order, other answers may be wrong, too. `with_options`: the errors with values of options, if
    they are not `errors`. `allocation`: for clocks of known links, the number of their allocation, and 0 for vectors.
    """

    name: str
    title: str
    paper: str
    integers: str
    errors: Errors
    options: Options = ()
    arrivals: Arrivals = "any"
    with_options: tuple[tuple[str, OptionValue, Errors], ...] = ()
    allocation: int | None = None

    def errors_with(self, options: Mapping[str, OptionValue]) -> Errors:
        for name, setting, errors in self.with_options:
            if options.get(name) == setting:
                return errors
        return self.errors

    def clocks(self, network: Network, options: Mapping[str, OptionValue] = {}) -> ClockSystem[Any]:
        """Return the clocks of all processes of a network. Modules of other clocks are not loaded."""
        return self._load()(network, **options)

    def _load(self) -> Callable[..., ClockSystem[Any]]:
        if self.allocation is not None:
            module = import_module("mobilesim.protocols.clocks.known_links.allocated_clocks")
            found = module.builder(self.allocation)
        else:
            found = import_module(f"mobilesim.protocols.clocks.{self.name.replace('-', '_')}").build
        return cast("Callable[..., ClockSystem[Any]]", found)


_TITLES: Final = (
    "the clocks of processes on paths between senders",
    "the clocks of processes on acyclic paths between senders",
    "as allocation 2; a message carries what its receiver needs",
    "as allocation 3; gateways record arrival times",
    "as allocation 3 or 4 for each receiver, the smaller one",
)
_WITH_GATEWAYS: Final = (4, 5)
_KEPT: Final = Option("arrival times that a gateway stores per link, for the comparison of costs", range(10_001), 1)
_DETERMINATION: Final = Option(
    "the algorithm that compares: 1 by the vectors, 2 by the links first and by the vectors if a path exists", (1, 2)
)
_ANSWERS: Final = Option(
    "'rebuilt': the receiver rebuilds the vector of each message; 'carried': it compares what messages carry",
    ("rebuilt", "carried"),
)

CLOCKS: Final[Mapping[str, ClockRow]] = {
    row.name: row
    for row in (
        ClockRow(
            "FM",
            "vector clock",
            "Fidge 1988; Mattern 1988",
            "N",
            Errors.NONE,
            options=(("determination", _DETERMINATION),),
            allocation=0,
        ),
        *(
            ClockRow(
                f"allocation {number}",
                title,
                MSV,
                "at most N",
                Errors.NONE,
                options=(("kept", _KEPT),) if number == len(_TITLES) else (),
                arrivals="causal" if number in _WITH_GATEWAYS else "any",
                allocation=number,
            )
            for number, title in enumerate(_TITLES, 1)
        ),
        ClockRow(
            "differential",
            "differential vector clock: the entries that have changed",
            "Singhal & Kshemkalyani 1992",
            "at most 2 N",
            Errors.NONE,
            options=(("answers", _ANSWERS),),
            arrivals="FIFO",
            with_options=(("answers", "carried", Errors.MISSED),),
        ),
        ClockRow(
            "encoded",
            "encoded vector clock (EVC): a product of primes",
            "Kshemkalyani, Khokhar & Shen 2018",
            "sum of log2(prime) / 32 over past events",
            Errors.NONE,
        ),
        ClockRow(
            "interval-tree",
            "interval tree clock (ITC): counters over a divided interval",
            "Almeida, Baquero & Fonte 2008",
            "at most 2.1 N",
            Errors.NONE,
        ),
        ClockRow(
            "plausible",
            "plausible clock (REV): a vector with shared entries",
            "Torres-Rojas & Ahamad 1999",
            "entries",
            Errors.SPURIOUS,
            options=(
                ("entries", Option("the number R of entries; process p has entry p mod R", range(1, 1_001), 4)),
                ("scalar", Option("whether Lamport's clock is combined with it: one more integer", (False, True))),
            ),
        ),
        ClockRow(
            "bloom",
            "Bloom clock: a counting Bloom filter of past events",
            "Ramabaja 2019",
            "counters",
            Errors.SPURIOUS,
            options=(
                ("counters", Option("the number m of counters", range(1, 1_001), 8)),
                ("hashes", Option("the number k of counters that an event increments", range(1, 65), 2)),
            ),
        ),
        ClockRow(
            "hybrid",
            "hybrid logical clock (HLC): physical time and a counter",
            "Kulkarni, Demirbas, Madappa, Avva & Leone 2014",
            "2",
            Errors.SPURIOUS,
            options=(("offset", Option("the largest offset of a physical clock in milliseconds", range(3_600_001))),),
        ),
        ClockRow("lamport", "Lamport's scalar clock", "Lamport 1978", "1", Errors.SPURIOUS),
    )
}
