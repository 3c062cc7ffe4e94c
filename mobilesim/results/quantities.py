"""The measured quantities: parts of the delay, purposes of bytes, states of the radio, stages of hand-offs, and so on.

Schemas, recording, verification, summaries, figures, reports and documentation use these definitions. Times are in
nanoseconds (`ns`), sizes in bytes (`B`), and energies in joules (`J`). Counts have no unit.

A hue has the same meaning in all figures of a page: blue is the uplink, indigo the downlink, grey the wired network and
its stations, violet the processors of hosts, teal mobility, orange causal order, dark red inhibition, brown the
payload, khaki the link layer, and green a radio without traffic. Quantities of the same hue differ in lightness.
"""

from dataclasses import dataclass
from typing import Final, TypeVar


@dataclass(frozen=True, slots=True)
class Quantity:
    """`label`: the name in reports. `definition`: one sentence. `colour`: the colour in all figures."""

    name: str
    label: str
    definition: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class DelayPart(Quantity):
    """A part of a delivery's delay. All parts are times, none is negative, and they add up to the delay exactly."""

    before_arrival: bool = False
    """Whether the part ends before `arrived`."""
    static_definition: str = ""
    """The definition in a static network, which has no stations; '' if the definition is the same."""

    def defined(self, *, stations: bool) -> str:
        """Return the definition in a network with or without stations."""
        return self.definition if stations else self.static_definition or self.definition


@dataclass(frozen=True, slots=True)
class RadioState(Quantity):
    """A state of a host's radio, or of its processor, which counts nothing in the sum.

    `name`: the column with the time in this state, '' for a state without duration. `energy`: the name of its energy,
    '' if the state uses no energy. The times, multiplied by `counts`, add up to the simulated time.
    """

    energy: str = ""
    bytes: str = ""
    """`sent` or `received`: the energy is divided among the purposes of these bytes; '' for a state without bytes."""
    counts: int = 1
    power: str = ""
    """The key of the power in `energy`, if it is not the name of the energy."""


@dataclass(frozen=True, slots=True)
class HandoffStage(Quantity):
    """A stage of a hand-off."""

    @property
    def phase(self) -> str:
        """The column of the time at which the stage ends."""
        return self.name.removeprefix("to_")


Q = TypeVar("Q", bound=Quantity)


def _by_name(*rows: Q) -> dict[str, Q]:
    return {row.name: row for row in rows}


MARGIN: Final = 0.01
"""The share of a mean up to which differences do not count in comparisons of protocols."""

RUN_PERCENTILES: Final = (50, 90, 95, 99)
"""The percentiles of each run that have intervals over replications."""

DELAY_PARTS: Final = _by_name(
    DelayPart(
        "sender_away",
        "sender away",
        "The sender is switched off, between two cells, or not registered at a station.",
        "#3f8f7f",
        before_arrival=True,
    ),
    DelayPart(
        "sender_processing",
        "sender processing",
        "The processor of the sender works on the frame, or on earlier ones.",
        "#c3a0db",
        before_arrival=True,
    ),
    DelayPart(
        "uplink_queue",
        "uplink queue",
        "The message waits at the sender for the uplink, which is busy or has lost an earlier frame of the message.",
        "#a6d8f0",
        before_arrival=True,
        static_definition="The packet waits at its sender until the link is free.",
    ),
    DelayPart(
        "uplink_air",
        "uplink transmission",
        "The message is transmitted from the sender to the station of its cell.",
        "#2c7fb8",
        before_arrival=True,
    ),
    DelayPart(
        "source_hold",
        "sender in hand-off",
        "The message waits at the station of the sender, because the state of the sender has not arrived there yet.",
        "#c9ece0",
        before_arrival=True,
    ),
    DelayPart(
        "search",
        "search for receiver",
        "The station of the sender asks other stations in which cell the receiver is, and waits for the answer.",
        "#7fae3f",
        before_arrival=True,
    ),
    DelayPart(
        "processing",
        "station processing",
        "Stations process the packet and its integers, or the packet waits for a busy station.",
        "#5b616b",
        before_arrival=True,
    ),
    DelayPart(
        "wired",
        "wired network",
        "The packet is queued or transmitted on the wired links between stations.",
        "#c4c8ce",
        before_arrival=True,
        static_definition="The packet is on its link.",
    ),
    DelayPart(
        "detour",
        "forwarding",
        "The message is forwarded to the new station of the receiver, which has left the cell.",
        "#868c96",
        before_arrival=True,
    ),
    DelayPart(
        "unreachable",
        "receiver unreachable",
        "The receiver is disconnected, between two cells, or in hand-off.",
        "#8fd6c4",
    ),
    DelayPart(
        "causal_wait",
        "causal wait",
        "Necessary delay: a message that causally precedes this one has not been released at the receiver yet, also "
        "in an ideal order, which holds back no message longer than necessary.",
        "#ee8a33",
    ),
    DelayPart(
        "inhibition",
        "inhibition",
        "Unnecessary delay (false dependency): the protocol holds the message although all causal predecessors have "
        "been released at the receiver, or the message waits in a send queue at its source.",
        "#a3123a",
    ),
    DelayPart(
        "knock_on",
        "knock-on of inhibition",
        "Unnecessary delay: a causal predecessor was released later than in an ideal order, or the receiver became "
        "unreachable before the message was released.",
        "#d9627f",
    ),
    DelayPart(
        "downlink_queue", "downlink queue", "The message waits at the station until the downlink is free.", "#c5cdf2"
    ),
    DelayPart(
        "downlink_air",
        "downlink transmission",
        "The message is transmitted from the station to the receiver.",
        "#4353b0",
    ),
    DelayPart(
        "receiver_processing",
        "receiver processing",
        "The processor of the receiver works on the frame, or on earlier ones.",
        "#9b62c4",
    ),
)
"""The delay parts in the order of a message's path."""

BYTE_PURPOSES: Final = _by_name(
    Quantity("payload", "payload", "Payload of the applications.", "#7a5230"),
    Quantity("ordering", "ordering headers", "Headers and control messages of the ordering.", "#ee8a33"),
    Quantity("handoff", "hand-offs", "Packets of hand-offs, registrations and disconnections.", "#8fd6c4"),
    Quantity("location", "location", "Packets by which stations learn in which cell a host is.", "#3f5e1a"),
    Quantity("control", "control", "Sequence numbers and addresses.", "#8a7a2e"),
    Quantity("ack", "acknowledgements", "Acknowledgements of frames.", "#e3d38a"),
    Quantity("framing", "framing", "The fixed header of each packet.", "#6b6128"),
)
"""The purposes of the bytes of a packet; they add up to its length."""

RADIO_STATES: Final = (
    RadioState("transmitting", "transmitting", "The radio sends.", energy="transmit", bytes="sent"),
    RadioState("receiving", "receiving", "The radio receives.", energy="receive", bytes="received"),
    RadioState("duplex", "duplex", "The radio sends and receives at the same time.", counts=-1),
    RadioState(
        "beacon",
        "beacons",
        "The radio receives a beacon, and sends nothing.",
        "#86a84a",
        energy="beacon",
        power="receive",
    ),
    RadioState("idle", "idle listening", "The radio listens and receives nothing.", "#cfe59b", energy="idle"),
    RadioState("dozing", "dozing", "The radio dozes.", "#5f8a22", energy="doze"),
    RadioState("disconnected", "disconnected", "The radio is off."),
    RadioState("", "waking up", "The radio wakes up from dozing.", "#a5cf57", energy="switch"),
    RadioState("computing", "computing", "The processor works on frames.", "#8a56ac", energy="compute", counts=0),
)

RADIO_TIMES: Final = {state.name: state for state in RADIO_STATES if state.name}
RADIO_ENERGIES: Final = {state.energy: state for state in RADIO_STATES if state.energy}

ENERGY_USES: Final[dict[str, Quantity]] = {
    **BYTE_PURPOSES,
    **{name: state for name, state in RADIO_ENERGIES.items() if not state.bytes},
}
"""The uses of a host's energy: the purposes of the bytes sent and received, and the states without bytes."""

HANDOFF_STAGES: Final = _by_name(
    HandoffStage(
        "to_registered", "until registered at the new station", "The new station receives the registration.", "#cdeee4"
    ),
    HandoffStage(
        "to_request", "until requested from the old station", "The old station receives the request.", "#2a8570"
    ),
    HandoffStage(
        "to_enabled",
        "until unacknowledged messages may be sent",
        "The new station has the unacknowledged messages, and may send the host these and forwarded messages.",
        "#86cdbb",
    ),
    HandoffStage(
        "to_flush_ack",
        "until the flush is complete",
        "All stations have confirmed that they send the old station no more messages for the host.",
        "#0f5a48",
    ),
    HandoffStage(
        "to_complete", "until the hand-off is complete", "The new station may send the host any message.", "#4fae96"
    ),
)
"""Each stage begins with the latest earlier phase that occurred. The stages add up to the duration of the hand-off."""

HANDOFF_PACKETS: Final = _by_name(
    Quantity("request", "request", "The new station requests the host's state."),
    Quantity("notify", "notification", "All stations are notified of the host's new station."),
    Quantity("flush_ack", "flush acknowledgement", "Stations acknowledge the notification."),
    Quantity("state_transfer", "state transfer", "The host's state is transferred."),
    Quantity("complete", "completion", "The hand-off is completed."),
)

MEDIA: Final = ("wired", "wireless")

RUN_COUNTS: Final = _by_name(
    Quantity("messages", "messages", "Messages sent."),
    Quantity("judged", "checked deliveries", "Deliveries that the oracle has checked."),
    Quantity("lost", "lost", "Deliveries that were not made, although no message was in transit any more."),
    Quantity("stranded", "undeliverable", "Deliveries not made because a host's battery was empty."),
    Quantity("away_at_end", "away at the end", "Deliveries not made because a host stayed away at the end."),
    Quantity("dropped", "dropped", "Deliveries discarded because their host had requested this when it switched off."),
    Quantity("left", "left", "Deliveries not made because their host had left the network for good."),
    Quantity("duplicates", "duplicates", "Deliveries made more than once."),
    Quantity("causal_violations", "causal violations", "Deliveries made before a causal predecessor."),
    Quantity("fifo_violations", "FIFO violations", "Causal violations between messages of one source."),
    Quantity(
        "short_chain_violations",
        "violations along short chains",
        "Causal violations along chains of at most two messages, if the protocol claims causal order along these only.",
    ),
)
"""The counts of a run. They are summed over the runs of a protocol."""


def margin_reference(name: str) -> str:
    """Return the mean of which the margin of a mean is a share: the delay for its parts, else the mean itself."""
    return "delay" if name in DELAY_PARTS else name
