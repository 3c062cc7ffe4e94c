"""Causes: what took the time of a delay. They form trees. The causes below a cause follow one another without gaps, so
that their lengths add up exactly to its length.
"""

from dataclasses import dataclass
from typing import Any, Final

TRANSMISSION: Final = frozenset(
    {"sender_processing", "uplink_air", "processing", "wired", "downlink_air", "receiver_processing"}
)
"""The parts of a delay in which the message is transmitted or processed. They are their own cause."""


@dataclass(frozen=True, slots=True)
class Cause:
    """What took the time from `begin` to `end`.

    `what`: a part of a delay, or what it waited for, such as `message` or `handoff`. `text`: a description in words.
    `named`: whether the tables name the message, the hand-off or the disconnection that took the time. `message`,
    `host`, `station`: what the cause is about, or -1.
    """

    what: str
    begin: int
    end: int
    text: str
    named: bool = False
    message: int = -1
    host: int = -1
    station: int = -1
    causes: tuple["Cause", ...] = ()

    @property
    def length(self) -> int:
        return self.end - self.begin

    @property
    def is_transmission(self) -> bool:
        return self.what in TRANSMISSION

    @property
    def explained(self) -> int:
        """The time for which a cause is named."""
        return self.length if self.named else sum(cause.explained for cause in self.causes)

    def document(self) -> dict[str, Any]:
        """Return the cause as a JSON object. Times are nanoseconds."""
        about = {name: getattr(self, name) for name in ("message", "host", "station")}
        return {
            "what": self.what,
            "text": self.text,
            "begin": self.begin,
            "length": self.length,
            "named": self.named,
            **{name: number for name, number in about.items() if number >= 0},
            "causes": [cause.document() for cause in self.causes],
        }
