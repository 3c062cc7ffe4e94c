"""Links and hosts of a static network at the end of a run, one row each; stations it has none."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mobilesim.recording.link_counters import Tally, total
from mobilesim.recording.recorder import Watch
from mobilesim.results.quantities import BYTE_PURPOSES, RADIO_ENERGIES

if TYPE_CHECKING:
    from mobilesim.simulation.static_network import Mesh

Row = dict[str, object]

# There is no radio, and nobody moves.
_NONE: Final = dict.fromkeys(
    (
        *("moves", "transmitting", "receiving", "duplex", "idle", "dozing", "disconnected", "unreachable", "wake_ups"),
        *(f"energy_{part}" for part in RADIO_ENERGIES),
    ),
    0,
)


def links(mesh: "Mesh") -> list[Row]:
    """Every direction of every link that carried something."""
    return [
        {"kind": "wired", "source": source, "target": target, **tally.row()}
        for (source, target), tally in sorted(mesh.measured_tallies.items())
    ]


def hosts(mesh: "Mesh", watch: Watch) -> list[Row]:
    count = len(mesh.mailboxes)
    submitted, delivered = mesh.measured_hosts or (watch.submitted, watch.delivered)
    sent: list[list[Tally]] = [[] for _ in range(count)]
    received: list[list[Tally]] = [[] for _ in range(count)]
    for (source, target), tally in mesh.measured_tallies.items():
        sent[source].append(tally)
        received[target].append(tally)
    return [
        {
            "host": host,
            "submitted": submitted[host],
            "delivered": delivered[host],
            **_bytes("sent", total(sent[host])),
            **_bytes("received", total(received[host])),
            **_NONE,
        }
        for host in range(count)
    ]


def _bytes(verb: str, tally: Tally) -> Mapping[str, object]:
    return {f"{verb}_{purpose}_bytes": getattr(tally, purpose) for purpose in BYTE_PURPOSES}
