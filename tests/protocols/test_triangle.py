"""p1 sends m0 to p3, slowly, and m1 to p2, which hears it and sends m2 to p3: m0 must come first."""

import pytest

from mobilesim.stage import Verdict
from protocols.catalogue import pair
from tests.protocols.script import Script
from tests.protocols.variants import VARIANTS, Variant, variants

RESIDENT = (pair("resident", "fifo"), pair("resident", "unordered"))
TRIED = (*VARIANTS, *(variant for row in RESIDENT for variant in variants(row)))


def causal(*, claimed: bool) -> pytest.MarkDecorator:
    tried = [variant for variant in TRIED if variant.row.claims.causal == claimed]
    return pytest.mark.parametrize("variant", tried, ids=lambda variant: variant.name)


def triangle(variant: Variant) -> Script:
    script = Script(variant.row.build, 3, (0, 1, 2), variant.options)
    script.submit(0, 2).up(0).submit(0, 1).up(0).wires(1).air()
    return script.submit(1, 2).up(1).wires(2, source=1).air()


@causal(claimed=True)
def test_who_claims_causal_order_keeps_it_in_the_triangle(variant: Variant) -> None:
    script = triangle(variant)
    assert script.deliveries() == ["h1 delivers m1"]
    assert script.drain().deliveries() == ["h1 delivers m1", "h2 delivers m0", "h2 delivers m2"]
    assert script.world.faults == []


@causal(claimed=False)
def test_who_does_not_claim_it_breaks_it_there(variant: Variant) -> None:
    script = triangle(variant)
    assert [fault.verdict for fault in script.world.faults] == [Verdict.OVERTAKES]
