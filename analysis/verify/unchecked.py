"""The columns that verification cannot check to the last digit, with the reasons. `docs/verify.md` shows this list.

A column is in the list if a small change of a value may remain unnoticed, even if the whole run was measured. A value
outside of the bounds that a reason names is a fault.
"""

from collections.abc import Mapping
from typing import Final

_PATH: Final = "no other column has the path of a message"
_FRAMES: Final = "no other table has the frames of the wireless channel"
_STATE: Final = "no other table has the state of stations"
_PHASE: Final = "only bounds: it is between the phases before and after it"
_ON_A_BUS: Final = "on a bus, several hosts receive the same packet, and no other table has the receivers"
_UNITS: Final = "the paper of each ordering counts its own units"
_CLOCK: Final = "no other table has the integers of a clock"

UNCHECKED: Final[Mapping[str, Mapping[str, str]]] = {
    "runs": {
        "python": "the runs of a directory may have been made by several versions of Python",
        "status": "a run that was interrupted need not have messages in transit",
        "overload": "no other table has the work that links and stations were given",
        "free": "the scenario and its prices are in no table",
        "ended": "only bounds: it is not after the end of the simulation",
        "simulated": "only bounds: nothing occurs after it; a shorter measurement window would also end before it",
        "measured_from": "in a static network only bounds: all rows are in the measurement window",
        "events": "no other table counts the events of the simulation",
        "wall_seconds": "no other table has times on the wall clock",
    },
    "messages": {
        "group": "only whether there are groups: no table has their members",
        "header_integers": "without any header of several bytes, the bytes of an integer are unknown",
        "header_units": f"only bounds: no delivery has more; {_UNITS}",
        "payload_bytes": "no other table repeats it if the message was never delivered",
        "submitted": "only bounds if the message was never delivered: messages are in order",
    },
    "deliveries": {
        "header_units": f"only bounds: not more than in its message; {_UNITS}",
        "sent": "only bounds: the parts of `processing` at the two stations are unknown",
        "control_from": "only bounds: no table has the control messages of orderings",
        "waited_for": "only bounds: the messages that arrived at stations are in no table",
        "stations_passed": _PATH,
        "forwards": "only bounds: in total, not more than the messages that stations forwarded",
        "retransmissions": _FRAMES,
    },
    "handoffs": {
        "left": "only bounds: between the entry into the old cell and `entered`",
        "entered": f"{_PHASE}, unless the host reconnected",
        "registered": _PHASE,
        "request": _PHASE,
        "enabled": _PHASE,
        "flush_ack": _PHASE,
        "complete": _PHASE,
        "buffered": _STATE,
        "forwarded": "only bounds: not less than the forwards of all deliveries",
        "retransmitted": _FRAMES,
        "backlog": "only bounds: the moment at which a host notices its new cell is unknown",
    },
    "disconnections": {
        "from_station": "no other row has the cell of a host that neither moved, sent nor received anything",
        "waiting": "only bounds: the moment at which a host notices its return is unknown",
    },
    "links": {
        "queue_peak": "no other table has queues",
        "lost_packets": _FRAMES,
        "lost_bytes": f"{_FRAMES}; on downlinks, the sum is checked",
        "shared_bytes": "no other table has transmissions for several hosts",
        "busy": "the bandwidths of links are unknown; on uplinks, the sum is checked",
    },
    "stations": {
        "pending_peak": _STATE,
        "packets": "no other table has the ends of the routes of packets",
        "searches": "no other table has messages to hosts of other cells before they are found",
        "search_packets": "no other table has the ends of the routes of packets",
        "location_updates": "no other table has the ends of the routes of packets",
        "processing": "the processing time of a packet is unknown",
        "state_peak": _STATE,
        "copies_peak": _STATE,
        "copies_end": f"only bounds: not above its peak; {_STATE}",
        "tombstones_peak": _STATE,
        "tombstones_end": f"only bounds: not above its peak; {_STATE}",
        "state_mean": f"only bounds: not above its peak; {_STATE}",
    },
    "hosts": {
        **{
            f"received_{purpose}_bytes": _ON_A_BUS
            for purpose in ("ordering", "handoff", "location", "control", "ack", "framing")
        },
        "returns": "only a returned disconnection is in a table, and not a return after a gap",
        "cut_offs": "no other table has the frames that were given up",
        "state_mean": f"only bounds: not above its peak; {_STATE}",
        "state_peak": _STATE,
        "wake_ups": "no other column has them, if a wake-up needs no energy",
        "unreachable": "only bounds: returns to the same cell are in no table",
        "battery": "the energy of a full battery is unknown; an empty one has none",
        "joined": "only bounds: only members send and deliver messages",
        "left": "only bounds: only members send and deliver messages",
        "view_packets": "no other table has the packets of the membership service",
        "view_bytes": "no other table has the packets of the membership service",
    },
    "clocks": {
        "exact_sets": "compared between protocols only, since links may differ between replications",
        "kept_mean": f"only bounds: not above the maximum; {_CLOCK}",
        "kept_max": _CLOCK,
        "integers": f"only bounds: at most `integers_max` on each copy; {_CLOCK}",
        "integers_max": _CLOCK,
    },
}
"""By table and column."""


def unchecked_table() -> str:
    """Return the list as a table in Markdown."""
    rows = [
        f"| `{table}` | `{column}` | {reason} |\n"
        for table, columns in UNCHECKED.items()
        for column, reason in columns.items()
    ]
    return "| table | column | reason |\n|---|---|---|\n" + "".join(rows)
