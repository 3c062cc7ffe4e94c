"""Schedules of correct protocols that the documentation shows."""

from collections.abc import Callable, Mapping
from typing import Final

from mobilesim.explorer.counterexample_text import LEGEND
from mobilesim.protocols.catalogue import ROWS, pair
from tests.support.protocols.script import FREE, Script


def ping_pong() -> Script:
    """Host 0 moves from s0 to s1 and back before its hand-offs are complete. A message for it is in transit."""
    script = Script(ROWS["av1"].build, 2, (0, 1), FREE).submit(1, 0).up(1).down(1)
    script.move(0, 1).up(0).down(0).move(0, 0).up(0).wire("RoutedPacket", 0)
    script.wire("HandoffBegin", 1).wire("HandoffBegin", 0)
    return script.drain()


def lost_register() -> Script:
    """Host 0 leaves the cell of s1 before its registration arrives there. It has a message to send."""
    script = Script(ROWS["av1"].build, 3, (0, 2), FREE).submit(0, 1).move(0, 1).move(0, 2).up(0).down(0).up(0)
    return script.drain()


def false_dependency() -> Script:
    """The message of host 1 is on the uplink when its station transmits another message on the downlink."""
    script = Script(ROWS["av1"].build, 2, (0, 1, 0), FREE).submit(0, 1, 2).up(0).down(0).submit(1, 2)
    return script.wire("RoutedPacket", 1).up(1).wire("RoutedPacket", 0, source=1).drain()


def flush() -> Script:
    """Host 1 moves from s1 to s2. The station of host 0 sends m0 to the old station, and m1 to the new station."""
    script = Script(ROWS["av2"].build, 3, (0, 1)).submit(0, 1).up(0).down(0).move(1, 2).up(1).down(1)
    script.wire("Notify", 0).submit(0, 1).up(0).down(0).wire("VisitPacket", 2)
    script.wire("HandoffBegin", 1).wire("Enable", 2).wire("VisitPacket", 1).wire("ForwardedPacket", 2).down(1).up(1)
    script.wire("Notify", 1).wire("Last", 1).wire("Last", 1).wire("Over", 2).down(1).up(1)
    return script


def roll_back() -> Script:
    """Host 1 moves from s1 to s0. It has received m0 but not m1, and its acknowledgement of m0 does not reach s1."""
    script = Script(pair("flood", "rst").build, 2, (0, 1, 1)).submit(0, 1).up(0).down(0).wire("Flooded", 1)
    script.submit(2, 1).up(2).down(2, 1).wire("Flooded", 0).move(1, 0).up(1).down(1)
    return script.wire("HandoffBegin", 1).wire("Migration", 0).down(1).drain()


SCHEDULES: Final[Mapping[str, Callable[[], Script]]] = {
    "ping-pong": ping_pong,
    "lost-register": lost_register,
    "false-dependency": false_dependency,
    "flush": flush,
    "roll-back": roll_back,
}


def schedule_listing(make: Callable[[], Script]) -> str:
    script = make()
    assert not script.world.faults
    start = " ".join(f"h{host}@s{home}" for host, home in enumerate(script.homes))
    return fenced("text", [f"({LEGEND}; start: {start})", *script.lines()])


def fenced(kind: str, lines: list[str]) -> str:
    return "\n".join([f"```{kind}", *lines, "```", ""])
