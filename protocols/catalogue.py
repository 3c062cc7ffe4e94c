"""The catalogue: orderings, placements, and the pairs of a placement and an ordering that have a name.

A placement assigns the processes of an ordering to stations or hosts, and moves their state in a hand-off.
Tests, documentation and the command line read these rows. A new ordering needs one file and one row in `ORDERINGS`. A
new pair with a name needs one row in `ROWS`.
"""

from collections.abc import Mapping
from itertools import product
from typing import Final

from mobilesim.protocols.catalogue_rows import (
    Option,
    OrderingRow,
    PlacementRow,
    ProtocolRow,
    incompatibility,
    protocol_row,
)

AB: Final = "Acharya & Badrinath 1993"
BSS: Final = "Birman, Schiper & Stephenson 1991"
AV: Final = "Alagar & Venkatesan 1994"
KS: Final = "Kshemkalyani & Singhal 1998"
MR: Final = "Mostefaoui & Raynal 1993"
PRS: Final = "Prakash, Raynal & Singhal 1997"
RST: Final = "Raynal, Schiper & Toueg 1991"
SES: Final = "Schiper, Eggli & Sandoz 1989"
SK: Final = "Singhal & Kshemkalyani 1992"

HIERARCHY: Final = "mobilesim.protocols.orderings.hierarchy"
DIFFERENTIAL: Final = "mobilesim.protocols.orderings.vectors.differential"

LOCATIONS: Final = (
    (
        "location",
        Option(
            "how a station learns in which cell a host is: it asks the host's 'home' station, which is informed of all "
            "moves; or it asks all stations of the host's area ('paging'); or from hand-offs and from answers to "
            "misdirected messages ('lazy'); or at no cost ('free')",
            ("home", "paging", "lazy", "free"),
        ),
    ),
    (
        "area",
        Option(
            "the number of stations of an area of 'paging'; 0 if all stations are in one area",
            range(10_001),
            needs=("location", "paging"),
        ),
    ),
)
ACKNOWLEDGE: Final = Option(
    "whether a station sends the origin of a message one acknowledgement for 'each' host, or one for the whole 'cell'",
    ("each", "cell"),
)
SHARED_HEADER: Final = "hardware"
"""The option with which all copies of a message have the same header."""
LOGS: Final = (
    (
        SHARED_HEADER,
        Option(
            "whether all copies share one header, shorter where one frame carries them all, as from a host in a cell; "
            "otherwise each copy has its own header, which is shorter on wires",
            (False, True),
        ),
    ),
    ("complement", Option("whether a set of destinations may be sent as its complement", (False, True))),
)
BARRIERS: Final = (
    (
        "barrier",
        Option(
            "whether a send replaces a destination's barrier ('replace', as printed), or adds a tuple to it ('union') "
            "as in the paper's figures",
            ("replace", "union"),
        ),
    ),
    ("collect", Option("whether tuples of known deliveries are removed from barriers", (True, False))),
    ("encoding", Option("encoding of a barrier: 'tuples' or a 'bitmap' (section 7.1)", ("tuples", "bitmap"))),
    (
        "units",
        Option(
            "which tuples are counted: those that are 'sent' with a message, or those 'stored' by the send",
            ("sent", "stored"),
        ),
    ),
    (
        "delivered",
        Option(
            "whether the processes at a 'station' share the matrix Delivered, which then does not migrate (section "
            "9.2), or each 'process' has its own",
            ("station", "process"),
            floods_only=True,
        ),
    ),
)
REPRESENTATIVES: Final = (
    ("representatives", Option("the number of representatives at the top, which are the first hosts", range(1, 65), 3)),
    ("children", Option("the number of hosts that a host represents, directly below it", range(1, 65), 4)),
    ("among", Option("the ordering of messages among the representatives at the top", ("ks", "rst", "ses", "prs"))),
)
CHANGING_GROUPS: Final = "its paper leaves joining and leaving as future work"
PHASES: Final = Option(
    "groups in a stamp: 'all', or the 'fewest': only the sender's groups, if groups form no cycle", ("all", "fewest")
)
NUMBERED: Final = Option(
    "whether stamps to a group are numbered; if not, a stamp has one integer less, but channels must be FIFO",
    (True, False),
)
RESYNCH_DELAY: Final = Option(
    "the delay of a resynchronisation in milliseconds; a message to its group in this time replaces it", range(10_001)
)

ORDERINGS: Final[Mapping[str, OrderingRow]] = {
    row.name: row
    for row in (
        OrderingRow("unordered", "no order", "-", "0", causal=False, fifo=False, membership=()),
        OrderingRow("fifo", "FIFO between two processes", "-", "1", causal=False, stamps="destination", membership=()),
        OrderingRow("rst", "matrix of sends", RST, "N^2", shares_memory=True),
        OrderingRow(
            "ses",
            "vector time, and a pair for each destination",
            SES,
            "at most N^2 + N - 1",
            shares_memory=True,
        ),
        OrderingRow("prs", "causal barriers", PRS, "at most 2 N^2 + 2 N + 1", options=BARRIERS),
        OrderingRow(
            "prs-broadcast",
            "one causal barrier for all destinations",
            f"{PRS}, section 8.2",
            "at most 2 N + 1",
            serves="broadcasts",
        ),
        OrderingRow(
            "ks",
            "logs of possibly undelivered messages",
            KS,
            "at most 3 N^2",
            stamps="destination",
            options=LOGS,
            membership=((SHARED_HEADER, False), ("complement", False)),
        ),
        OrderingRow(
            "ks-short-chains",
            "latest messages; causal order along chains of two messages only",
            f"{KS}, lemma 8",
            "2 N",
            causal=False,
            short_chains=True,
            stamps="destination",
        ),
        OrderingRow(
            "bss",
            "vector of broadcasts",
            BSS,
            "N",
            serves="broadcasts",
            membership=(),
            views="flushed",
            family="vectors",
        ),
        OrderingRow(
            "isis",
            "a vector for every group",
            BSS,
            "m",
            serves="groups",
            fixed_because="overlapping groups change by a flush of several groups",
            family="vectors",
        ),
        OrderingRow(
            "bss-differential",
            "vector of broadcasts; a message carries the changed entries",
            f"{BSS}; {SK}",
            "at most 2 N",
            serves="broadcasts",
            module=DIFFERENTIAL,
        ),
        OrderingRow(
            "isis-differential",
            "a vector for every group; a message carries the changed entries",
            f"{BSS}; {SK}",
            "at most 2 m",
            stamps="destination",
            serves="groups",
            module=DIFFERENTIAL,
        ),
        OrderingRow(
            "mr",
            "phases of overlapping groups",
            MR,
            "at most g + 1",
            serves="groups",
            fixed_because=CHANGING_GROUPS,
            options=(("phases", PHASES), ("numbered", NUMBERED), ("resynch_delay", RESYNCH_DELAY)),
            needs_fifo=(("numbered", False),),
            sends_control=True,
            inhibits=True,
        ),
        OrderingRow(
            "mr-one-phase",
            "one phase for all overlapping groups",
            f"{MR}, section 5.2",
            "at most 2",
            serves="groups",
            fixed_because=CHANGING_GROUPS,
            options=(("numbered", NUMBERED), ("resynch_delay", RESYNCH_DELAY)),
            needs_fifo=(("numbered", False),),
            sends_control=True,
            inhibits=True,
        ),
        OrderingRow(
            "transport",
            "one message in transit at a time; an acknowledgement for each",
            f"Mattern & Fünfrocken 1995; {KS}, section 7.1",
            "0",
            serves="unicasts",
            sends_control=True,
            inhibits=True,
            family="synchronised",
        ),
        OrderingRow(
            "ks-serialised",
            "serialised sends; a stamp has the latest send to each destination",
            f"{KS}, section 7.1",
            "2 N + 1",
            sends_control=True,
            inhibits=True,
            family="synchronised",
        ),
        OrderingRow(
            "ks-serialised-broadcast",
            "serialised broadcasts; a stamp has the latest broadcast",
            f"{KS}, section 7.1",
            "at most 3",
            serves="broadcasts",
            sends_control=True,
            inhibits=True,
            module="mobilesim.protocols.orderings.synchronised.ks_serialised",
        ),
        OrderingRow(
            "central",
            "all messages through process 0",
            f"{KS}, section 7.1",
            "at most d + 1",
            stamps="destination",
            sends_control=True,
            relays=True,
            inhibits=True,
            module=HIERARCHY,
        ),
        OrderingRow(
            "hierarchy",
            "messages through the representatives of the sender and of the destinations",
            f"{KS}, section 7.1",
            "at most d + 3 representatives^2",
            stamps="destination",
            options=REPRESENTATIVES,
            sends_control=True,
            relays=True,
            inhibits=True,
            shares_memory=True,
        ),
        OrderingRow(
            "prs-stations",
            "causal barriers with the numbers of a flood",
            f"{PRS}, section 9",
            "at most 2 n_h n_s + 2 n_h",
            options=BARRIERS,
            numbered_by="origin",
        ),
    )
}

PLACEMENTS: Final[Mapping[str, PlacementRow]] = {
    row.name: row
    for row in (
        PlacementRow(
            "resident",
            "a process per host, on the host; headers cross the wireless channel",
            f"{AV}, section 1.1",
            "2",
            "none",
            "host",
            LOCATIONS,
            drops=False,
            carries_control=True,
            relays=True,
        ),
        PlacementRow(
            "proxy",
            "a process per host, at its station; its state migrates",
            f"{AV}, section 4",
            "2",
            "by false dependencies only",
            options=LOCATIONS,
            carries_control=True,
            relays=True,
        ),
        PlacementRow(
            "station",
            "a process per station; a flush keeps order at hand-off",
            f"{AV}, section 5",
            "2 n_s + 1",
            "yes",
            processes="n_s",
        ),
        PlacementRow(
            "logical",
            "k processes per station; a flush keeps order at hand-off",
            f"{AV}, section 6",
            "2 k (n_s - 1) + 3",
            "yes, less as k grows",
            options=(("k", Option("the number of logical stations in each cell", range(1, 65), 2)),),
            processes="(k n_s)",
        ),
        PlacementRow(
            "flood",
            "a copy at every station; the host's delivery record moves with its process",
            f"{AB}; {PRS}, section 9",
            "2",
            "yes",
            options=(("acknowledge", ACKNOWLEDGE),),
            processes="(n_h + n_s)",
            floods=True,
            originates=True,
        ),
    )
}


OUTSIDE_ORDERINGS: Final[dict[str, OrderingRow]] = {}
OUTSIDE_PLACEMENTS: Final[dict[str, PlacementRow]] = {}
"""The rows that other packages declare and that this process uses, by the names that the user has written."""


def ordering_row(name: str) -> OrderingRow:
    """Return the row of an ordering of the catalogue or of another package."""
    return ORDERINGS[name] if name in ORDERINGS else OUTSIDE_ORDERINGS[name]


def placement_row(name: str) -> PlacementRow:
    """Return the row of a placement of the catalogue or of another package."""
    return PLACEMENTS[name] if name in PLACEMENTS else OUTSIDE_PLACEMENTS[name]


def pair(placement: str, ordering: str) -> ProtocolRow:
    """Return the row of a pair. The name of a pair without a row in `ROWS` is `placement+ordering`."""
    for row in ROWS.values():
        if (row.placement, row.ordering) == (placement, ordering):
            return row
    return _row(f"{placement}+{ordering}", placement, ordering, "-")


def _row(name: str, placement: str, ordering: str, paper: str) -> ProtocolRow:
    if placement not in PLACEMENTS and placement not in OUTSIDE_PLACEMENTS:
        raise ValueError(f"there is no placement {placement!r}; there are {', '.join(PLACEMENTS)}")
    if ordering not in ORDERINGS and ordering not in OUTSIDE_ORDERINGS:
        raise ValueError(f"there is no ordering {ordering!r}; there are {', '.join(ORDERINGS)}")
    return protocol_row(name, placement_row(placement), ordering_row(ordering), paper)


def pairs() -> tuple[ProtocolRow, ...]:
    parts = product(PLACEMENTS.values(), ORDERINGS.values())
    return tuple([pair(place.name, order.name) for place, order in parts if incompatibility(place, order) is None])


ROWS: Final[Mapping[str, ProtocolRow]] = {
    row.name: row
    for row in (
        _row("av1", "proxy", "rst", f"{AV}, algorithm 1"),
        _row("av2", "station", "rst", f"{AV}, algorithm 2"),
        _row("av3", "logical", "rst", f"{AV}, algorithm 3"),
        _row("ab", "flood", "unordered", AB),
        _row("prs", "flood", "prs", f"{PRS}, section 9"),
        _row("prs-stations", "flood", "prs-stations", f"{PRS}, section 9, by station and number"),
        _row("rst", "resident", "rst", RST),
        _row("fifo", "proxy", "fifo", "-"),
        _row("unordered", "proxy", "unordered", "-"),
    )
}
