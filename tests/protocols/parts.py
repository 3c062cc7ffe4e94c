"""The machines of a script, and their parts."""

from protocols.flush import LogicalVisit
from protocols.hostlink import MobileHost
from protocols.placements.flood import FloodStation, FloodVisit
from protocols.placements.logical import LogicalStation
from protocols.placements.proxy import ProxyStation, ProxyVisit
from tests.protocols.script import Script


def station(script: Script, index: int) -> ProxyStation:
    machine = script.stage.machines[len(script.homes) + index]
    assert isinstance(machine, ProxyStation)
    return machine


def visit(script: Script, host: int, index: int) -> ProxyVisit:
    return station(script, index).newest[host]


def host(script: Script, index: int) -> MobileHost:
    machine = script.stage.machines[index]
    assert isinstance(machine, MobileHost)
    return machine


def logical(script: Script, index: int) -> LogicalStation:
    machine = script.stage.machines[len(script.homes) + index]
    assert isinstance(machine, LogicalStation)
    return machine


def logical_visit(script: Script, host: int, index: int) -> LogicalVisit:
    return logical(script, index).newest[host]


def flooded(script: Script, index: int) -> FloodStation:
    machine = script.stage.machines[len(script.homes) + index]
    assert isinstance(machine, FloodStation)
    return machine


def flood_visit(script: Script, host: int, index: int) -> FloodVisit:
    return flooded(script, index).newest[host]


def wired(script: Script, kind: str = "") -> list[str]:
    """What has crossed a link, as `s0 -> s1 Packet`, in the order in which it was sent; a station's word to itself
    crosses none.
    """
    packets = [line.split() for line in script.sent()]
    return [" ".join(words) for words in packets if words[0] != words[2] and kind in {"", words[3]}]
