"""The catalogue: orderings, placements, and the pairs of the two that have a name.

Tests, documentation and the command line are driven by these rows. A new ordering is one file and one row in
`ORDERINGS` (and one in `ROWS` to name a pair).
"""

from collections.abc import Mapping
from typing import Final

from protocols.catalogue_rows import AT_MOST, HOSTS, Claims, Inhibition, Option, OrderingRow, PlacementRow, ProtocolRow

AB: Final = "Acharya & Badrinath 1993"
BSS: Final = "Birman, Schiper & Stephenson 1991"
AV: Final = "Alagar & Venkatesan 1994"
MF: Final = "Mattern & Fünfrocken 1995"
MR: Final = "Mostefaoui & Raynal 1993"
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
BARRIERS: Final = (("barrier", BARRIER), ("collect", COLLECT), ("encoding", ENCODING))

PHASES: Final = Option(
    "which groups a stamp has: 'all', or the 'fewest', the sender's own, if groups form no cycle", ("all", "fewest")
)

RESYNCH_DELAY: Final = Option(
    "for how many milliseconds a host keeps a resynchronisation to itself, as its next message may say the same",
    range(10_001),
)

ORDERINGS: Final[Mapping[str, OrderingRow]] = {
    row.name: row
    for row in (
        OrderingRow("unordered", "no order", "-", "0", causal=False, fifo=False),
        OrderingRow("fifo", "FIFO between two processes", "-", "1", causal=False, stamps="destination"),
        OrderingRow("rst", "matrix of sends", RST, "N^2"),
        OrderingRow("ses", "vector time, and a pair for each destination", SES, "at most N^2 + N - 1"),
        OrderingRow("prs", "causal barriers", PRS, "at most 2 N^2 + 2 N + 1", options=BARRIERS),
        OrderingRow(
            "prs-broadcast", "one causal barrier for all", f"{PRS}, section 8.2", "at most 2 N + 1", serves="broadcasts"
        ),
        OrderingRow(
            "ks",
            "logs of what may be undelivered",
            KS,
            "at most 3 N^2",
            stamps="destination",
            options=(("hardware", HARDWARE), ("complement", COMPLEMENT)),
        ),
        OrderingRow("bss", "vector of broadcasts", BSS, "N", serves="broadcasts"),
        OrderingRow("isis", "a vector for every group", BSS, "m", serves="groups"),
        OrderingRow(
            "mr",
            "phases of overlapping groups",
            MR,
            "at most g + 1",
            serves="groups",
            options=(("phases", PHASES), ("resynch_delay", RESYNCH_DELAY)),
            sends_control=True,
            inhibits=True,
        ),
        OrderingRow(
            "transport",
            "one message out at a time, each answered by a packet; nothing to carry",
            f"{MF}; {KS}, section 7.1",
            "0",
            serves="unicasts",
            sends_control=True,
            inhibits=True,
        ),
        OrderingRow(
            "ks-serialised",
            "sends in turn; the latest to each destination",
            f"{KS}, section 7.1",
            "2 N + 1",
            sends_control=True,
            inhibits=True,
        ),
        OrderingRow(
            "ks-serialised-broadcast",
            "broadcasts in turn; the latest of all",
            f"{KS}, section 7.1",
            "at most 3",
            serves="broadcasts",
            sends_control=True,
            inhibits=True,
            module="protocols.orderings.ks_serialised",
        ),
        OrderingRow(
            "prs-stations",
            "causal barriers of a flood's own numbers",
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
            "a process per host, on the host; headers travel on the air",
            f"{AV}, section 1.1",
            "2",
            "none",
            "host",
            (("location", LOCATION),),
            drops=False,
            carries_control=True,
        ),
        PlacementRow(
            "proxy",
            "a process per host, at its station; its state migrates",
            f"{AV}, section 4",
            "2",
            "by false dependencies only",
            options=(("location", LOCATION),),
            carries_control=True,
        ),
        PlacementRow(
            "station",
            "a process per station; a flush keeps order at hand-off",
            f"{AV}, section 5",
            "2 n_s + 1",
            "yes",
            processes="n_s",
            keeps_fifo=False,
        ),
        PlacementRow(
            "logical",
            "k processes per station; a flush keeps order at hand-off",
            f"{AV}, section 6",
            "2 k (n_s - 1) + 3",
            "yes, less as k grows",
            options=(("k", LOGICAL),),
            processes="(k n_s)",
            keeps_fifo=False,
        ),
        PlacementRow(
            "flood",
            "a copy at every station; what a host has had migrates with its process",
            f"{AB}; {PRS}, section 9",
            "2",
            "yes",
            options=(("acknowledge", ACKNOWLEDGE),),
            processes="(n_h + n_s)",
            floods=True,
            originates=True,
            numbers_origins=True,
        ),
    )
}


def incompatibility(place: PlacementRow, order: OrderingRow) -> str | None:
    """Return why an ordering and a placement are incompatible, or None."""
    if order.serves == "broadcasts" and place.processes != HOSTS:
        return f"{order.name} orders what all other processes get; {place.name} has {place.processes} for n_h hosts"
    if order.serves == "groups" and HOSTS not in place.processes:
        return (
            f"{order.name} orders among groups of hosts; {place.name} has {place.processes} processes, none of a host"
        )
    if order.sends_control and not place.carries_control:
        return f"the processes of {order.name} send each other control messages; {place.name} carries messages only"
    if order.numbered_by == "origin" and not place.numbers_origins:
        return f"{order.name} names messages by the stations that number them; those of {place.name} number none"
    return None


def protocol_row(name: str, place: PlacementRow, order: OrderingRow, paper: str) -> ProtocolRow:
    if (reason := incompatibility(place, order)) is not None:
        raise ValueError(reason)
    fifo = order.causal or (order.fifo and place.keeps_fifo)
    claims = Claims(order.causal, fifo, True, _header(place, order), place.handoff, _inhibition(place, order))
    return ProtocolRow(name, place, order, paper, claims, (*place.options, *order.options))


def _header(place: PlacementRow, order: OrderingRow) -> str:
    header = order.header.removeprefix(AT_MOST)
    at_most = AT_MOST if header != order.header else ""
    header = header.replace("N", place.processes)
    if order.stamps == "destination" and place.floods:
        header = "d" if header == "1" else f"d ({header})"
    return at_most + header


def _inhibition(place: PlacementRow, order: OrderingRow) -> Inhibition:
    # Without causal order there are no false dependencies; without any, only hand-offs hold messages back, for any k.
    if order.inhibits:
        return "yes"
    if place.inhibition == "by false dependencies only" and not order.causal:
        return "none"
    if place.inhibition == "yes, less as k grows" and not order.fifo:
        return "yes"
    return place.inhibition


def pair(placement: str, ordering: str) -> ProtocolRow:
    """Return the row of a pair; one without a name is called `placement+ordering`."""
    for row in ROWS.values():
        if (row.placement, row.ordering) == (placement, ordering):
            return row
    return _row(f"{placement}+{ordering}", placement, ordering, "-")


def _row(name: str, placement: str, ordering: str, paper: str) -> ProtocolRow:
    if placement not in PLACEMENTS:
        raise ValueError(f"there is no placement {placement!r}; there are {', '.join(PLACEMENTS)}")
    if ordering not in ORDERINGS:
        raise ValueError(f"there is no ordering {ordering!r}; there are {', '.join(ORDERINGS)}")
    return protocol_row(name, PLACEMENTS[placement], ORDERINGS[ordering], paper)


def pairs() -> tuple[ProtocolRow, ...]:
    every = ((place, order) for place in PLACEMENTS.values() for order in ORDERINGS.values())
    return tuple([pair(place.name, order.name) for place, order in every if incompatibility(place, order) is None])


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
