"""The short form of a scenario, which `--quick` runs."""

from typing import Final

from mobilesim.scenario.model import Scenario

QUICK_DURATION: Final = 5_000_000_000
QUICK_MESSAGES: Final = 1_000


def shortened(scenario: Scenario) -> Scenario:
    """Return the short form. It has no warm-up, since most warm-ups take longer."""
    ends = {key: _sooner(getattr(scenario, key), most) for key, most in quick_ends(scenario).items()}
    return scenario.model_copy(update={**ends, "deliveries": None, "warm_up": None})


def quick_ends(scenario: Scenario) -> dict[str, int | None]:
    """Return when the short form is over at the latest: its own `quick_duration`, if it has one.

    In a static network the duration has no limit, since messages may be far between and only they cost time.
    """
    if scenario.quick_duration is not None:
        return {"duration": scenario.quick_duration, "messages": None}
    return {"duration": QUICK_DURATION if scenario.network == "cells" else None, "messages": QUICK_MESSAGES}


def _sooner(one: int | None, other: int | None) -> int | None:
    return min((end for end in (one, other) if end is not None), default=None)
