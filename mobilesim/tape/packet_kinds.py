"""What a tape tells about a packet or a frame: its kind, and the message and the host that it is about."""

import re

from mobilesim.protocols.handoff.wireless_hop import Data
from mobilesim.protocols.packets import DATA, DataPacket, HandoffPacket, Packet


def kind_of(packet: Packet) -> str:
    """Return `data`, the kind of a packet of a hand-off, like `state transfer`, or the type, like `location query`. It
    is the same for all packets of a type.
    """
    if packet.purpose is DATA:
        return "data"
    if isinstance(packet, HandoffPacket):
        return packet.kind.value.replace("_", " ")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(packet).__name__).lower()


def carried_message(packet: Packet) -> int:
    """Return the number of the message in a data packet or data frame; -1 for other packets."""
    if packet.purpose is not DATA:
        return -1
    if isinstance(packet, Data):
        return packet.copies[0].message.id
    return packet.copies[0].message.id if isinstance(packet, DataPacket) else -1


def carried_host(packet: Packet) -> int:
    """Return the host of a packet of a hand-off; -1 for other packets."""
    return packet.host if isinstance(packet, HandoffPacket) else -1
