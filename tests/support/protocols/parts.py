"""The machines of a script, and their parts."""

from typing import TypeVar

from mobilesim.protocols.handoff.flush_handoff import LogicalVisit
from mobilesim.protocols.handoff.wireless_hop import Data, MobileHost
from mobilesim.protocols.placements.flood import FloodStation, FloodVisit
from mobilesim.protocols.placements.logical import LogicalStation
from mobilesim.protocols.placements.proxy import ProxyStation, ProxyVisit
from tests.support.protocols.script import Script

M = TypeVar("M")


def _machine(script: Script, place: int, kind: type[M]) -> M:
    machine = script.driver.machines[place]
    assert isinstance(machine, kind)
    return machine


def station(script: Script, index: int) -> ProxyStation:
    return _machine(script, len(script.homes) + index, ProxyStation)


def visit(script: Script, host: int, index: int) -> ProxyVisit:
    return station(script, index).newest[host]


def host(script: Script, index: int) -> MobileHost:
    return _machine(script, index, MobileHost)


def logical(script: Script, index: int) -> LogicalStation:
    return _machine(script, len(script.homes) + index, LogicalStation)


def logical_visit(script: Script, host: int, index: int) -> LogicalVisit:
    return logical(script, index).newest[host]


def flooded(script: Script, index: int) -> FloodStation:
    return _machine(script, len(script.homes) + index, FloodStation)


def flood_visit(script: Script, host: int, index: int) -> FloodVisit:
    return flooded(script, index).newest[host]


def wired(script: Script, kind: str = "") -> list[str]:
    """Return the packets that crossed a wired link, as `s0 -> s1 Packet`, in the order of their sends.

    A station's packet to itself crosses no link.
    """
    packets = [line.split() for line in script.sent()]
    return [" ".join(arguments) for arguments in packets if arguments[0] != arguments[2] and kind in {"", arguments[3]}]


def headers_on_the_air(script: Script, packet: str) -> list[int]:
    """Return the headers of a message from h0 to h1 on the uplink and on the downlink. `packet` is its wired packet."""
    (up,) = script.submit(0, 1).world.up[0]
    (down,) = script.up(0).wire(packet, 1).world.down[1]
    assert isinstance(up, Data)
    assert isinstance(down, Data)
    return [up.header, down.header]
