"""The probe of shared state finds the shared objects on which a step of a machine depends."""

from collections.abc import Callable
from typing import Any

import pytest

from mobilesim.explorer.api import explore
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.shared_state_probe import DependencyFound, Placeholder, SharedStateProbe
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.handoff.wireless_hop import Data, MobileHost
from mobilesim.protocols.machine import HostOutbox, ProtocolError
from tests.support.mutants.builders import ProxyBuilder

TOUCHES: dict[str, Callable[[Any], object]] = {
    "asks whether it is empty": bool,
    "counts": len,
    "goes through it": list,
    "goes backwards through it": reversed,
    "looks for something in it": lambda shared: 1 in shared,
    "takes something out of it": lambda shared: shared[1],
    "puts something into it": lambda shared: shared.__setitem__(1, 2),
    "removes something": lambda shared: shared.__delitem__(1),
    "reads an attribute": lambda shared: shared.homes,
    "writes an attribute": lambda shared: setattr(shared, "homes", 1),
    "calls a method": lambda shared: shared.append(1),
    "compares it": lambda shared: shared == {},
    "names it in a text": lambda shared: f"{shared}",
    "hashes it": hash,
}


@pytest.mark.parametrize("touch", TOUCHES)
def test_a_placeholder_reports_the_number_of_its_object_when_it_is_used(touch: str) -> None:
    with pytest.raises(DependencyFound) as touched:
        TOUCHES[touch](Placeholder(3))
    assert touched.value.index == 3


def test_the_probe_has_known_objects_and_placeholders_for_unknown_ones() -> None:
    probe = SharedStateProbe(lambda number, _, __: [number], {1: 7}, 3)
    assert probe[1] == [7]
    assert probe[1] is probe[1]
    assert [isinstance(part, Placeholder) for part in probe.all()] == [True, False, True]


class Ledger:
    """An object that all hosts share. It counts the messages that each host has received."""

    __slots__ = ("counts",)

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}


class Accountant(MobileHost):
    __slots__ = ("ledger",)
    shared: Ledger
    most = 0

    def __init__(self, index: int, home: int) -> None:
        super().__init__(index, home)
        self.ledger = self.shared

    def arrived(self, frame: Data, out: HostOutbox) -> None:
        super().arrived(frame, out)
        self.ledger.counts[self.index] = self.ledger.counts.get(self.index, 0) + 1
        if sum(self.ledger.counts.values()) > self.most:
            raise ProtocolError("too many")


class Strict(Accountant):
    __slots__ = ()
    shared = Ledger()
    most = 1


class Lenient(Accountant):
    __slots__ = ()
    shared = Ledger()
    most = 2


@pytest.mark.full
@pytest.mark.parametrize(("host", "ending"), ((Strict, Ending.FAULT), (Lenient, Ending.EXHAUSTED)))
@pytest.mark.parametrize("reduced", (False, True))
def test_faults_that_depend_on_shared_objects_are_found(host: type[Accountant], ending: Ending, reduced: bool) -> None:  # noqa: FBT001
    found = explore(ProxyBuilder(host=host).build, 1, (0, 0, 0), Bounds(2, 0), reduced=reduced)
    assert found.ending is ending
