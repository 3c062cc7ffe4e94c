"""The explanation of a delivery's delay."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from mobilesim.causes.cause import Cause
from mobilesim.causes.cause_text import cause_lines, milliseconds


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a delivery took as long as it did. `median`: the median delay of the run. Times are nanoseconds."""

    protocol: str
    replication: int
    message: int
    source: str
    destination: int
    submitted: int
    delay: int
    median: int
    causes: tuple[Cause, ...]

    def __str__(self) -> str:
        what = f"m{self.message} from {self.source} to h{self.destination}"
        median = f"(median of {self.protocol}: {milliseconds(self.median)})"
        return "\n".join([f"{what}: {milliseconds(self.delay)} {median}", *cause_lines(self.causes)])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    @property
    def parts(self) -> Mapping[str, int]:
        """The length of each part of the delay, as in the table `deliveries`."""
        lengths: dict[str, int] = {}
        for cause in self.causes:
            part = "inhibition" if cause.what == "send_queue" else cause.what
            lengths[part] = lengths.get(part, 0) + cause.length
        return lengths

    @property
    def waited(self) -> int:
        """The delay without transmission and processing."""
        return sum(cause.length for cause in self.causes if not cause.is_transmission)

    @property
    def explained(self) -> int:
        """The part of `waited` with a named cause."""
        return sum(cause.explained for cause in self.causes if not cause.is_transmission)

    def document(self) -> dict[str, Any]:
        """Return the explanation as a JSON object. Times are nanoseconds."""
        return {
            "protocol": self.protocol,
            "replication": self.replication,
            "message": self.message,
            "source": self.source,
            "destination": self.destination,
            "submitted": self.submitted,
            "delay": self.delay,
            "median": self.median,
            "waited": self.waited,
            "explained": self.explained,
            "causes": [cause.document() for cause in self.causes],
        }
