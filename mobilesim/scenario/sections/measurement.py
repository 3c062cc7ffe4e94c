"""The measurement window of a scenario: from one time to another, or a number of deliveries after a warm-up."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, create_model

from mobilesim.errors import counted
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import Time, Whole, optional, required, setting
from mobilesim.scenario.values.units import TIME
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

MOST_DELIVERIES: Final = 10**10


class WarmUp(Section):
    deliveries: Annotated[Whole, Field(ge=1, le=MOST_DELIVERIES)] = required(
        "The number of deliveries before the first that is measured.", 5000
    )

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        messages, skipped = scenario.messages, self.deliveries
        if messages is None or scenario.workload.stations is not None:
            return
        most = messages * scenario.most_destinations
        if skipped >= most:
            message = f"the run has at most {counted(most, 'delivery')}, and the warm-up {skipped}; write fewer"
            yield Fault(message, ("deliveries",))


class _Measure(Section):
    @property
    def since(self) -> int:
        begin: int = getattr(self, "from")  # the key is a keyword of Python
        return begin

    @property
    def until(self) -> int | None:
        """The end of the window, which does not belong to it; None for the end of sending."""
        end: int | None = getattr(self, "to")  # noqa: B009 - like `from`
        return end

    @property
    def span(self) -> str:
        """Return the window as text."""
        until = "the end of sending" if self.until is None else TIME.write(self.until)
        return f"{TIME.write(self.since)} to {until}"

    def faults(self) -> Iterator[Fault]:
        if self.until is not None and self.until <= self.since:
            begin, end = TIME.write(self.since), TIME.write(self.until)
            yield Fault(f"the window ends at {end}, but begins at {begin}; write a time after 'from'", ("to",))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        for key in ("warm_up", "deliveries"):
            if getattr(scenario, key) is not None:
                yield Fault(f"'{key}' defines a measurement window, too; leave one of them out")
        if scenario.duration is None:
            return
        whole = TIME.write(scenario.duration)
        if self.since >= scenario.duration:
            message = f"the window begins at {TIME.write(self.since)}, but hosts stop sending after {whole}"
            yield Fault(f"{message}; write an earlier time, or a longer 'duration'", ("from",))
        if self.until is not None and self.until > scenario.duration:
            message = f"the window ends at {TIME.write(self.until)}, but hosts stop sending after {whole}"
            yield Fault(f"{message}; write an earlier time, a longer 'duration', or no 'to'", ("to",))


_KEYS: Final[dict[str, Any]] = {
    "from": (Time, setting("0 s", "The begin of the window.", "30 s")),
    "to": (
        Time | None,
        optional("The end of the window, which does not belong to it; by default, hosts stop sending then.", "110 s"),
    ),
}

if TYPE_CHECKING:

    class Measure(_Measure): ...

else:
    Measure = create_model("Measure", __base__=_Measure, __module__=__name__, **_KEYS)


def described(scenario: "Scenario") -> str | None:
    """Return the begin of the measurement window, and its end if it has one of its own, as text; None without both."""
    if scenario.measure is not None:
        return f"measured from {scenario.measure.span}"
    if scenario.warm_up is None:
        return None
    return f"measured after the first {counted(scenario.warm_up.deliveries, 'delivery')}"


def faults(scenario: "Scenario") -> Iterator[Fault]:
    """Yield a fault if a run with cells might never end."""
    endless = scenario.duration is None and scenario.messages is None and scenario.workload.replay is None
    if scenario.network == "cells" and scenario.deliveries is not None and endless:
        reason = "hosts that cannot be reached deliver nothing, and the run might never end"
        yield Fault(f"{reason}; write 'duration' or 'messages', too", ("deliveries",))
