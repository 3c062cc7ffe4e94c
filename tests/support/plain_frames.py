"""A frame of a given size, for tests of channels without protocols."""

from dataclasses import dataclass

from mobilesim.protocols.packets import Packet


@dataclass
class PlainFrame(Packet):
    size: int

    @property
    def payload(self) -> int:
        return self.size

    @property
    def control(self) -> int:
        return 0
