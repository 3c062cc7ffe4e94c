"""Which orderings and placements are compatible, and what a pair claims."""

from protocols.catalogue_rows import AT_MOST, Claims, Inhibition, OrderingRow, PlacementRow, ProtocolRow


def incompatibility(place: PlacementRow, order: OrderingRow) -> str | None:
    """Return why an ordering and a placement are incompatible, or None."""
    if order.serves == "broadcasts" and not place.hosts_alone:
        return f"{order.name} orders what all other processes get; {place.name} has {place.processes} for n_h hosts"
    if order.serves == "groups" and not place.hosts_first:
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
