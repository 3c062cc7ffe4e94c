"""Every protocol is a pair: an ordering under a placement. This is the list of those that have a name.

Tests, documentation and the command line are driven by these rows. A new ordering is one file and one row in
`ORDERINGS` (and one in `ROWS`, if it deserves a name).
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, Literal, cast

from protocols.machine import System
from protocols.ordering import Ordering, Orders
from protocols.values import value

Setting = str | int | bool
Inhibition = Literal["none", "by false dependencies only", "yes", "yes, less as k grows"]
Serves = Literal["all", "broadcasts"]


AT_MOST: Final = "at most "
HOSTS: Final = "n_h"


def plain(setting: Setting) -> str:
    """As YAML writes it."""
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


@value
class Option:
    """Its default is the first of its values, unless `preset` names another."""

    help: str
    values: tuple[Setting, ...] | range
    preset: Setting | None = None

    @property
    def default(self) -> Setting:
        return self.values[0] if self.preset is None else self.preset

    @property
    def choices(self) -> str:
        if isinstance(self.values, range):
            return f"{self.values[0]}..{self.values[-1]}"
        return "|".join(map(plain, self.values))


@value
class Claims:
    """What a protocol promises. Header integers and wired hand-off messages are formulas in n_h, n_s, k and d; a header
    that depends on what has happened is `at most` one.
    """

    causal: bool
    fifo: bool
    exactly_once: bool
    header: str
    handoff: str
    inhibition: Inhibition


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
    stamps: Literal["message", "destination"] = "message"
    """What gets a stamp: a message, the same for all destinations, or each destination its own."""
    serves: Serves = "all"
    """Which messages it can order: `broadcasts` are for all other processes."""
    options: tuple[tuple[str, Option], ...] = ()


@value
class PlacementRow:
    name: str
    module: str
    title: str
    paper: str
    handoff: str
    inhibition: Inhibition
    """What it holds back that causal order would let go, under an ordering that keeps causal order."""
    orders_at: str
    """Where a message waits for its order: at the host or at its station."""
    options: tuple[tuple[str, Option], ...]
    processes: str = HOSTS
    """How many processes there are."""
    keeps_fifo: bool = True
    """Whether FIFO between processes is FIFO between hosts: not where a host changes its process."""
    spreads: bool = False
    """Whether one packet carries all copies of a message."""
    drops: bool = True
    """Whether a station can give up a message without anything waiting for it ever after."""
    originates: bool = False
    """Whether stations can send messages of their own."""


@value
class Row:
    name: str
    placement: str
    ordering: str
    paper: str
    claims: Claims
    option_rows: tuple[tuple[str, Option], ...] = ()

    @property
    def serves(self) -> Serves:
        return ORDERINGS[self.ordering].serves

    @property
    def options(self) -> Mapping[str, Option]:
        return dict(self.option_rows)

    def build(self, stations: int, homes: tuple[int, ...], options: Mapping[str, Setting] = {}) -> System:
        """The machines of one run; host h starts in the cell of station homes[h]."""
        row = ORDERINGS[self.ordering]
        orders = cast("Callable[..., Ordering]", getattr(import_module(row.module), row.symbol))
        its = {name: value for name, value in options.items() if name in dict(row.options)}
        others = {name: value for name, value in options.items() if name not in its}
        ordering: Orders = partial(orders, **its) if its else orders
        placement: Any = import_module(PLACEMENTS[self.placement].module)
        return cast("System", placement.build(stations, homes, ordering, **others))


AB: Final = "Acharya & Badrinath 1993"
BSS: Final = "Birman, Schiper & Stephenson 1991"
AV: Final = "Alagar & Venkatesan 1994"
KS: Final = "Kshemkalyani & Singhal 1998"
PRS: Final = "Prakash, Raynal & Singhal 1997"
RST: Final = "Raynal, Schiper & Toueg 1991"
SES: Final = "Schiper, Eggli & Sandoz 1989"

LOCATION: Final = Option(
    "how a station knows where a host is: 'oracle' at no cost, 'lazy' from the answers to messages that went astray",
    ("oracle", "lazy"),
)

ACKNOWLEDGE: Final = Option(
    "how a station tells a message's origin who has it: 'each' host by itself, or all of a 'cell' in one packet",
    ("each", "cell"),
)
LOGICAL: Final = Option("how many logical stations a station is divided into", range(1, 65), 2)

HARDWARE: Final = Option("whether all copies carry the same, for links that multicast themselves", (False, True))
COMPLEMENT: Final = Option("whether a set of destinations may travel as those that are not in it", (False, True))
BARRIER: Final = Option(
    "what a send makes of a destination's barrier: 'replace' it, as printed, or keep the 'union' (the paper's figures)",
    ("replace", "union"),
)
COLLECT: Final = Option("whether tuples that are known to be delivered are dropped", (True, False))
ENCODING: Final = Option(
    "how a barrier travels: as 'tuples', or a 'bitmap' of which there are (section 7.1)", ("tuples", "bitmap")
)

ORDERINGS: Final[Mapping[str, OrderingRow]] = {
    row.name: row
    for row in (
        OrderingRow("unordered", "protocols.orderings.unordered", "Unordered", "no order", "-", "0", False, False),
        OrderingRow(
            "fifo",
            "protocols.orderings.fifo",
            "Fifo",
            "FIFO between two processes",
            "-",
            "1",
            False,
            True,
            "destination",
        ),
        OrderingRow("rst", "protocols.orderings.rst", "Rst", "matrix of sends", RST, "N^2", True, True),
        OrderingRow(
            "ses",
            "protocols.orderings.ses",
            "Ses",
            "vector time, and a pair for each destination",
            SES,
            "at most N^2 + N - 1",
            True,
            True,
        ),
        OrderingRow(
            "prs",
            "protocols.orderings.prs",
            "Prs",
            "causal barriers",
            PRS,
            "at most 2 N^2 + 2 N + 1",
            True,
            True,
            options=(("barrier", BARRIER), ("collect", COLLECT), ("encoding", ENCODING)),
        ),
        OrderingRow(
            "prs-broadcast",
            "protocols.orderings.prs_broadcast",
            "PrsBroadcast",
            "one causal barrier for all",
            f"{PRS}, section 8.2",
            "at most 2 N + 1",
            True,
            True,
            serves="broadcasts",
        ),
        OrderingRow(
            "ks",
            "protocols.orderings.ks",
            "Ks",
            "logs of what may be undelivered",
            KS,
            "at most 3 N^2",
            True,
            True,
            "destination",
            options=(("hardware", HARDWARE), ("complement", COMPLEMENT)),
        ),
        OrderingRow(
            "bss",
            "protocols.orderings.bss",
            "Bss",
            "vector of broadcasts",
            BSS,
            "N",
            True,
            True,
            serves="broadcasts",
        ),
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
            drops=False,
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
        PlacementRow(
            "station",
            "protocols.placements.station",
            "a process per station; a flush keeps order at hand-off",
            f"{AV}, section 5",
            "2 n_s + 1",
            "yes",
            "station",
            (),
            "n_s",
            keeps_fifo=False,
        ),
        PlacementRow(
            "logical",
            "protocols.placements.logical",
            "k processes per station; a flush keeps order at hand-off",
            f"{AV}, section 6",
            "2 k (n_s - 1) + 3",
            "yes, less as k grows",
            "station",
            (("k", LOGICAL),),
            "(k n_s)",
            keeps_fifo=False,
        ),
        PlacementRow(
            "flood",
            "protocols.placements.flood",
            "a copy at every station; what a host has had migrates with its process",
            f"{AB}; {PRS}, section 9",
            "2",
            "yes",
            "station",
            (("acknowledge", ACKNOWLEDGE),),
            "(n_h + n_s)",
            spreads=True,
            originates=True,
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
    if not fits(place, order):
        message = f"{ordering} orders what all other processes get; {placement} has {place.processes} for n_h hosts"
        raise ValueError(message)
    fifo = order.causal or (order.fifo and place.keeps_fifo)
    header = _header(place, order)
    claims = Claims(order.causal, fifo, True, header, place.handoff, _inhibition(place, order))
    return Row(name, placement, ordering, paper, claims, (*place.options, *order.options))


def fits(place: PlacementRow, order: OrderingRow) -> bool:
    """What orders broadcasts alone has use for processes that all get them."""
    return order.serves == "all" or place.processes == HOSTS


def pairs() -> tuple[Row, ...]:
    """All that make sense."""
    fitting = ((place, order) for place in PLACEMENTS.values() for order in ORDERINGS.values() if fits(place, order))
    return tuple([pair(place.name, order.name) for place, order in fitting])


def _header(place: PlacementRow, order: OrderingRow) -> str:
    header = order.header.removeprefix(AT_MOST)
    at_most = AT_MOST if header != order.header else ""
    header = header.replace("N", place.processes)
    if order.stamps == "destination" and place.spreads:
        header = "d" if header == "1" else f"d ({header})"
    return at_most + header


def _inhibition(place: PlacementRow, order: OrderingRow) -> Inhibition:
    """Without order there is nothing for k to divide: what is left is what hand-offs hold back."""
    if place.inhibition == "by false dependencies only" and not order.causal:
        return "none"
    if place.inhibition == "yes, less as k grows" and not order.fifo:
        return "yes"
    return place.inhibition


ROWS: Final[Mapping[str, Row]] = {
    row.name: row
    for row in (
        _row("av1", "proxy", "rst", f"{AV}, algorithm 1"),
        _row("av2", "station", "rst", f"{AV}, algorithm 2"),
        _row("av3", "logical", "rst", f"{AV}, algorithm 3"),
        _row("ab", "flood", "unordered", AB),
        _row("prs", "flood", "prs", f"{PRS}, section 9"),
        _row("rst", "resident", "rst", RST),
        _row("fifo", "proxy", "fifo", "-"),
        _row("unordered", "proxy", "unordered", "-"),
    )
}
