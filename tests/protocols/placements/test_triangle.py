"""The triangle: p0 sends m0 to p2 on a slow channel, and m1 to p1. p1 receives m1, and sends m2 to p2.

p2 must deliver m0 before m2. Every pair of the catalogue runs the triangle with unicasts or, depending on its ordering,
with groups of two processes or with two broadcasts.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

import pytest

from mobilesim.explorer.machine_driver import InputKind
from mobilesim.explorer.untimed_world import Action
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import pair, pairs
from mobilesim.protocols.catalogue_rows import Serves
from tests.support.protocols.script import Script
from tests.support.protocols.variants import Variant, variants

CAUSAL: Final = tuple(variant for row in pairs() if row.claims.causal for variant in variants(row))
SHORT: Final = tuple(variant for row in pairs() if row.ordering_row.short_chains for variant in variants(row))
"""The chain of the triangle has two messages, and no host changes its process."""
OTHERS: Final = tuple(
    variant
    for row in pairs()
    if not row.claims.causal and not row.ordering_row.short_chains
    for variant in variants(row)
)

Sides = tuple[tuple[int, tuple[int, ...], int], ...]
"""The sends with their destinations and groups. The last send happens after p1 has received the previous message."""

UNICASTS: Final[Sides] = ((0, (2,), -1), (0, (1,), -1), (1, (2,), -1))
BROADCASTS: Final[Sides] = ((0, (1, 2), -1), (1, (0, 2), -1))
GROUPS: Final = ((0, 2), (0, 1), (1, 2))
SIDES: Final[dict[Serves, Sides]] = {
    "all": UNICASTS,
    "unicasts": UNICASTS,
    "broadcasts": BROADCASTS,
    "groups": tuple((source, targets, group) for group, (source, targets, _) in enumerate(UNICASTS)),
}


class Triangle:
    def __init__(self, variant: Variant) -> None:
        row = variant.row
        *causes, (source, targets, group) = SIDES[row.serves]
        build = partial(row.build, groups=GROUPS) if row.serves == "groups" else row.build
        self.script = Script(build, 3, (0, 1, 2), variant.options)
        for cause, where, its in causes:
            self.script.submit(cause, *where, group=its)
        self.heard, self.effect = f"h1 delivers m{len(causes) - 1}", f"h2 delivers m{len(causes)}"
        self._quickly()
        self.waited = self.heard in self.script.deliveries()
        if not self.waited:
            self.script.drain()
        self.script.submit(source, *targets, group=group)
        self._quickly()
        self.early = self._at_last_host()
        self.script.drain()
        self.late = self._at_last_host()

    def _quickly(self) -> None:
        """Deliver all packets except those in transit from p0 to p2."""
        while action := next(self._quick(), None):
            self.script.apply(action)

    def _quick(self) -> Iterator[Action]:
        wired = self.script.world.wired
        for action in self.script.world.deliveries():
            if action.kind is not InputKind.WIRED or (wired[action.index].source, wired[action.index].target) != (0, 2):
                yield action

    def _at_last_host(self) -> list[str]:
        return [line for line in self.script.deliveries() if line.startswith("h2")]

    @property
    def faults(self) -> list[FaultKind]:
        return [fault.kind for fault in self.script.world.faults]


def tried(many: tuple[Variant, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("variant", many, ids=lambda variant: variant.name)


@pytest.mark.full
@tried(CAUSAL + SHORT)
def test_a_protocol_that_claims_causal_order_keeps_it_in_the_triangle(variant: Variant) -> None:
    triangle = Triangle(variant)
    assert triangle.heard in triangle.script.deliveries()
    assert triangle.late == ["h2 delivers m0", triangle.effect]
    assert triangle.faults == []


@pytest.mark.full
@tried(CAUSAL)
def test_only_inhibiting_protocols_delay_the_delivery_of_the_second_message_of_the_triangle(variant: Variant) -> None:
    triangle = Triangle(variant)
    assert triangle.waited or variant.row.ordering_row.inhibits
    if variant.row.ordering_row.relays:
        # A message from p0 to p2 may pass p1, so it need not cross the slow link.
        assert triangle.early in ([], triangle.late)
    else:
        assert triangle.early == ([] if triangle.waited else triangle.late)


@tried(OTHERS)
def test_a_protocol_without_causal_order_violates_it_in_the_triangle(variant: Variant) -> None:
    triangle = Triangle(variant)
    assert triangle.early == [triangle.effect]
    assert triangle.faults == [FaultKind.OVERTAKES]


def test_every_kind_of_destinations_has_a_triangle() -> None:
    assert {row.serves for row in pairs()} == set(SIDES)


def test_some_inhibiting_protocols_do_not_inhibit_in_the_triangle() -> None:
    assert not Triangle(variants(pair("resident", "transport"))[0]).waited
    assert Triangle(variants(pair("resident", "mr"))[0]).waited
