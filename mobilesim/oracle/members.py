"""The oracle of a network in which hosts join and leave. Only members may deliver, and each what was sent to it.

A copy that its host had not delivered when it left is not lost. It is recorded as dropped when it reaches the place of
the host, or when the host leaves while the copy waits there. So at the end of a run, every copy has been delivered or
dropped.
"""

from mobilesim.oracle.causal_order import Oracle


class MemberOracle(Oracle):
    """A delivery at a host that is no member counts as a duplicate, as does a copy that a member drops."""

    __slots__ = ("present",)

    def __init__(self, sources: int) -> None:
        super().__init__(sources)
        self.present: set[int] = set()

    def joined(self, host: int) -> None:
        self.present.add(host)

    def left(self, host: int) -> None:
        self.present.discard(host)
        self.clocks[host] = None

    def delivered(self, message: int, source: int, host: int) -> int:
        if host not in self.present:
            self.duplicates += 1
            return -1
        return super().delivered(message, source, host)

    def dropped(self, message: int, source: int, host: int) -> bool:
        if host in self.present:
            self.duplicates += 1
            return False
        return super().dropped(message, source, host)
