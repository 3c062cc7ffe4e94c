"""Every protocol is a pair: an ordering under a placement. This is the list of those that have a name.

Tests, documentation and the command line are driven by these rows. A new ordering is one file and one row in
`ORDERINGS` (and one in `ROWS`, if it deserves a name).
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, cast

from protocols.machine import System
from protocols.ordering import Ordering
from protocols.values import value

Setting = str | int | bool


@value
class Option:
    help: str
    values: tuple[Setting, ...]

    @property
    def default(self) -> Setting:
        return self.values[0]


@value
class Claims:
    """What a protocol promises. Header integers and wired hand-off messages are formulas in n_h, n_s and k."""

    causal: bool
    fifo: bool
    exactly_once: bool
    header: str
    handoff: str
    inhibition: str


@value
class OrderingRow:
    name: str
    module: str
    symbol: str
    title: str
    paper: str
    header: str
    causal: bool
    fifo: bool


@value
class PlacementRow:
    name: str
    module: str
    title: str
    paper: str
    handoff: str
    inhibition: str
    """What it holds back that causal order would let go, under an ordering that keeps causal order."""
    orders_at: str
    """Where a message waits for its order: at the host or at its station."""
    options: tuple[tuple[str, Option], ...]


@value
class Row:
    name: str
    placement: str
    ordering: str
    paper: str
    claims: Claims
    option_rows: tuple[tuple[str, Option], ...] = ()

    @property
    def options(self) -> Mapping[str, Option]:
        return dict(self.option_rows)

    def build(self, stations: int, homes: tuple[int, ...], options: Mapping[str, Setting] = {}) -> System:
        """The machines of one run; host h starts in the cell of station homes[h]."""
        symbol = ORDERINGS[self.ordering]
        ordering = cast("type[Ordering]", getattr(import_module(symbol.module), symbol.symbol))
        placement: Any = import_module(PLACEMENTS[self.placement].module)
        return cast("System", placement.build(stations, homes, ordering, **options))


AV: Final = "Alagar & Venkatesan 1994"
RST: Final = "Raynal, Schiper & Toueg 1991"

LOCATION: Final = Option(
    "how a station knows where a host is: 'oracle' at no cost, 'lazy' from the answers to messages that went astray",
    ("oracle", "lazy"),
)

ORDERINGS: Final[Mapping[str, OrderingRow]] = {
    row.name: row
    for row in (
        OrderingRow("unordered", "protocols.orderings.unordered", "Unordered", "no order", "-", "0", False, False),
        OrderingRow("fifo", "protocols.orderings.fifo", "Fifo", "FIFO between two processes", "-", "1", False, True),
        OrderingRow("rst", "protocols.orderings.rst", "Rst", "matrix of sends", RST, "N^2", True, True),
    )
}

PLACEMENTS: Final[Mapping[str, PlacementRow]] = {
    row.name: row
    for row in (
        PlacementRow(
            "resident",
            "protocols.placements.resident",
            "a process per host, on the host; headers travel on the air",
            f"{AV}, section 1.1",
            "2",
            "none",
            "host",
            (("location", LOCATION),),
        ),
        PlacementRow(
            "proxy",
            "protocols.placements.proxy",
            "a process per host, at its station; its state migrates",
            f"{AV}, section 4",
            "2",
            "by false dependencies only",
            "station",
            (("location", LOCATION),),
        ),
    )
}


def pair(placement: str, ordering: str) -> Row:
    """The row of any pair; one that has no name of its own is called `placement+ordering`."""
    for row in ROWS.values():
        if (row.placement, row.ordering) == (placement, ordering):
            return row
    return _row(f"{placement}+{ordering}", placement, ordering, "-")


def _row(name: str, placement: str, ordering: str, paper: str) -> Row:
    if placement not in PLACEMENTS:
        raise ValueError(f"there is no placement {placement!r}; there are {', '.join(PLACEMENTS)}")
    if ordering not in ORDERINGS:
        raise ValueError(f"there is no ordering {ordering!r}; there are {', '.join(ORDERINGS)}")
    place, order = PLACEMENTS[placement], ORDERINGS[ordering]
    inhibition = place.inhibition if order.causal else "none"
    header = order.header.replace("N", "n_h")
    claims = Claims(order.causal, order.fifo, True, header, place.handoff, inhibition)
    return Row(name, placement, ordering, paper, claims, place.options)


ROWS: Final[Mapping[str, Row]] = {
    row.name: row
    for row in (
        _row("av1", "proxy", "rst", f"{AV}, algorithm 1"),
        _row("rst", "resident", "rst", RST),
        _row("fifo", "proxy", "fifo", "-"),
        _row("unordered", "proxy", "unordered", "-"),
    )
}
