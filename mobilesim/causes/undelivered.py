"""What the tables of a run tell about a message that was not delivered to a host."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mobilesim.causes.asked_delivery import AskedDelivery
from mobilesim.causes.cause_text import milliseconds
from mobilesim.causes.host_absences import named
from mobilesim.causes.names import source_name
from mobilesim.causes.tables import Absence, RunTables

_LOSSES = {
    "lost": "not made, although no message was in transit any more",
    "stranded": "not made, because a battery was empty",
    "away_at_end": "not made, because a host stayed away at the end",
    "left": "not made, because the host had left the network",
}


@dataclass(frozen=True, slots=True)
class Undelivered(AskedDelivery):
    """A message that was not delivered to one of its destinations. `facts`: what the tables tell about it."""

    facts: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.title}: not delivered", *(f"  {fact}" for fact in self.facts)])

    def document(self) -> dict[str, Any]:
        return {**AskedDelivery.document(self), "delay": None, "facts": list(self.facts)}


def undelivered(tables: RunTables, row: Mapping[str, Any], host: int) -> Undelivered:
    """Return what is known. `row`: the row of the message in `messages`."""
    submitted = int(row["submitted"])
    return Undelivered(
        protocol=tables.protocol,
        replication=tables.replication,
        message=int(row["message"]),
        source=source_name(tables, int(row["source"])),
        destination=host,
        submitted=submitted,
        facts=tuple(_facts(tables, submitted, host)),
    )


def _facts(tables: RunTables, submitted: int, host: int) -> Iterator[str]:
    run = tables.run
    yield f"submitted at {milliseconds(submitted)}; the run ended at {milliseconds(int(run['simulated']))}"
    if run["status"] != "complete":
        yield f"the run is not complete, but {run['status']}: the message may have been in transit"
    if tables.windowed:
        window = f"{milliseconds(int(run['measured_from']))} to {milliseconds(int(run['measured_to']))}"
        yield f"the tables have the deliveries from {window} only (the measurement window)"
    gone = tables.host_rows.get(host, {}).get("left", -1)
    if gone >= 0:
        yield f"h{host} left the network at {milliseconds(gone)}"
    absences = [absence for absence in tables.absences_of(host) if absence.until < 0 or absence.until >= submitted]
    for absence in absences[:3]:
        began = "switched off" if absence.switched_off else "left its cell"
        yield f"{named(absence)}: {began} at {milliseconds(absence.left)}, {_return(absence)}"
    if dropped := tables.dropped_for(host):
        yield f"messages that stations discarded for h{host}, as it had requested when it switched off: {dropped:,}"
    for name, what in _LOSSES.items():
        if run[name]:
            yield f"deliveries of the run that were {what}: {int(run[name]):,}"


def _return(absence: Absence) -> str:
    if absence.entered < 0:
        return "and did not return"
    return f"entered s{absence.to_station} at {milliseconds(absence.entered)}"
