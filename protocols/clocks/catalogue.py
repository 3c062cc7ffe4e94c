"""The catalogue of logical clocks. Scenarios, commands, tests and documents read these rows.

A new clock needs one file and one row.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import Any, Final, Literal

from mobilesim.protocols.catalogue_rows import Option, Options, OptionValue
from mobilesim.protocols.clocks import bloom, differential, encoded, hybrid, interval_tree, lamport, plausible
from mobilesim.protocols.clocks.known_links import allocated_clocks
from mobilesim.protocols.clocks.known_links.allocation import ALLOCATIONS
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
    arrive; in another order, answers of every kind may be wrong. `with_options`: the errors with values of options, if
    they are not `errors`. `allocation`: the number of the allocation of known links, or None.
    """

    name: str
    title: str
    paper: str
    integers: str
    errors: Errors
    build: Callable[..., ClockSystem[Any]]
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
        """Return the clocks of all processes of a network."""
        return self.build(network, **options)


_TITLES: Final = (
    "the clocks of processes on paths between senders",
    "the clocks of processes on acyclic paths between senders",
    "as allocation 2; a message carries what its receiver needs",
    "as allocation 3; gateways record arrival times",
    "as allocation 3 or 4 for each receiver, the smaller one",
)
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
            allocated_clocks.build_vectors,
            options=(("determination", _DETERMINATION),),
            allocation=allocated_clocks.VECTORS,
        ),
        *(
            ClockRow(
                f"allocation {number}",
                title,
                MSV,
                "at most N",
                Errors.NONE,
                partial(allocated_clocks.build, number=number),
                options=(("kept", _KEPT),) if number == ALLOCATIONS[-1] else (),
                arrivals="causal" if number > ALLOCATIONS[2] else "any",
                allocation=number,
            )
            for number, title in zip(ALLOCATIONS, _TITLES, strict=True)
        ),
        ClockRow(
            "differential",
            "the entries of a vector clock that have changed",
            "Singhal & Kshemkalyani 1992",
            "at most 2 N",
            Errors.NONE,
            differential.build,
            options=(("answers", _ANSWERS),),
            arrivals="FIFO",
            with_options=(("answers", "carried", Errors.MISSED),),
        ),
        ClockRow(
            "encoded",
            "a vector clock as a product of primes",
            "Kshemkalyani, Khokhar & Shen 2018",
            "sum of log2(prime) / 32 over past events",
            Errors.NONE,
            encoded.build,
        ),
        ClockRow(
            "interval-tree",
            "a tree of counters over a divided interval",
            "Almeida, Baquero & Fonte 2008",
            "at most 2.1 N",
            Errors.NONE,
            interval_tree.build,
        ),
        ClockRow(
            "plausible",
            "a vector clock with shared entries (REV)",
            "Torres-Rojas & Ahamad 1999",
            "entries",
            Errors.SPURIOUS,
            plausible.build,
            options=(
                ("entries", Option("the number R of entries; process p has entry p mod R", range(1, 1_001), 4)),
                ("scalar", Option("whether Lamport's clock is combined with it: one more integer", (False, True))),
            ),
        ),
        ClockRow(
            "bloom",
            "a counting Bloom filter of past events",
            "Ramabaja 2019",
            "counters",
            Errors.SPURIOUS,
            bloom.build,
            options=(
                ("counters", Option("the number m of counters", range(1, 1_001), 8)),
                ("hashes", Option("the number k of counters that an event increments", range(1, 65), 2)),
            ),
        ),
        ClockRow(
            "hybrid",
            "physical time and a counter",
            "Kulkarni, Demirbas, Madappa, Avva & Leone 2014",
            "2",
            Errors.SPURIOUS,
            hybrid.build,
            options=(("offset", Option("the largest offset of a physical clock in milliseconds", range(3_600_001))),),
        ),
        ClockRow("lamport", "a scalar clock", "Lamport 1978", "1", Errors.SPURIOUS, lamport.build),
    )
}
