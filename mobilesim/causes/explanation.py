"""The explanation of a delivery's delay."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mobilesim.causes.asked_delivery import AskedDelivery
from mobilesim.causes.cause import Cause
from mobilesim.causes.cause_text import cause_lines, milliseconds


@dataclass(frozen=True, slots=True)
class Explanation(AskedDelivery):
    """Why a delivery took as long as it did. `median`: the median delay of the run."""

    delay: int
    median: int
    causes: tuple[Cause, ...]

    def __str__(self) -> str:
        median = f"(median of {self.protocol}: {milliseconds(self.median)})"
        return "\n".join([f"{self.title}: {milliseconds(self.delay)} {median}", *cause_lines(self.causes)])

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
        return {
            **AskedDelivery.document(self),
            "delay": self.delay,
            "median": self.median,
            "waited": self.waited,
            "explained": self.explained,
            "causes": [cause.document() for cause in self.causes],
        }
