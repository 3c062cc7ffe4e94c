"""No order: every message may be delivered when it arrives. The oracle must find violations under this ordering."""

from collections.abc import Sequence

from mobilesim.protocols.ordering import NO_KEYS, Addressed, Key, Ordering, Process
from mobilesim.protocols.packets import UNSTAMPED, Stamp


class Unordered(Ordering):
    def process(self, index: int) -> "UnorderedProcess":
        return UnorderedProcess()


class UnorderedProcess(Process):
    __slots__ = ()

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[Addressed]:
        return ((destinations, UNSTAMPED),)

    def missing(self, stamp: Stamp) -> Key | None:
        return None

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        return NO_KEYS

    @property
    def integers(self) -> int:
        return 0
