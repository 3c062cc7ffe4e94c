"""The replications of a sweep's points: a fixed number, or until confidence intervals are narrow enough."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mobilesim.errors import did_you_mean, shown
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.scenario.values.fields import MANY
from mobilesim.scenario.values.validation_error import Fault

METRICS: Final = ("delay", *DELAY_PARTS, "header_integers", "header_units", "header_bytes")
"""Columns of `deliveries` whose means may determine the number of replications."""

_KEYS: Final = ("at_least", "at_most", "until")
_SHARE: Final = re.compile(r"\s*(\d{1,3}(?:\.\d{1,9})?)\s*%\s*", re.ASCII)
_AT_LEAST: Final = 2
_AT_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class Replications:
    """`shares`: by metric, the largest half-width of the mean's confidence interval, as a share of the mean.

    Without shares, the number is `at_least`.
    """

    at_least: int
    at_most: int
    shares: Mapping[str, float]

    def written(self) -> object:
        if not self.shares:
            return self.at_least
        until = {metric: f"{share * 100:.12g} %" for metric, share in self.shares.items()}
        return {"at_least": self.at_least, "at_most": self.at_most, "until": until}


def fixed(number: int) -> Replications:
    return Replications(number, number, {})


def fault(raw: object) -> Fault | None:
    """The fault of a setting `replications`, or None."""
    if isinstance(raw, dict):
        return next(_faults(raw), None)
    if _whole(raw, 1):
        return None
    return Fault(f"{shown(raw)} is not a number of replications; write 1 or more, or {{until: {{delay: 5 %}}}}")


def read(raw: Any) -> Replications:  # noqa: ANN401 (checked data)
    if isinstance(raw, int):
        return fixed(raw)
    shares = {metric: float(share.strip(" %")) / 100 for metric, share in raw["until"].items()}
    return Replications(raw.get("at_least", _AT_LEAST), raw.get("at_most", _AT_MOST), shares)


def _faults(raw: Mapping[str, Any]) -> Iterator[Fault]:
    for key in raw:
        if key not in _KEYS:
            yield Fault(f"unknown key{did_you_mean(key, _KEYS)} (known: {', '.join(_KEYS)})", (key,))
    least = raw.get("at_least", _AT_LEAST)
    for key, low in (("at_least", _AT_LEAST), ("at_most", least)):
        if key in raw and not _whole(raw[key], low):
            yield Fault(f"{shown(raw[key])} is not a whole number of {low} or more", (key,))
    if least > raw.get("at_most", _AT_MOST):
        yield Fault(f"{least} is more than {_AT_MOST}, the most unless 'at_most' says otherwise", ("at_least",))
    yield from _share_faults(raw.get("until"))


def _share_faults(until: object) -> Iterator[Fault]:
    if not isinstance(until, dict) or not until:
        yield Fault("write with 'until' what has to be known how well, like until: {delay: 5 %}")
        return
    for metric, share in until.items():
        if metric not in METRICS:
            hint = did_you_mean(metric, METRICS)
            yield Fault(f"there is no such mean{hint} (known: {', '.join(METRICS)})", ("until", metric))
        parts = _SHARE.fullmatch(share) if isinstance(share, str) else None
        if parts is None or not 0 < float(parts[1]) < 100:
            yield Fault(f"{shown(share)} is not a share of the mean; write one like '5 %'", ("until", metric))


def _whole(number: object, low: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and low <= number <= MANY
