"""p1 sends m0 to p3, slowly, and m1 to p2, which hears it and sends m2 to p3: m0 must come first."""

import pytest

from mobilesim.stage import Verdict
from protocols.catalogue import ROWS, Row, pair
from tests.protocols.script import Script

PAIRS = {row.name: row for row in (*ROWS.values(), pair("resident", "fifo"), pair("resident", "unordered"))}


def triangle(row: Row, location: str) -> Script:
    script = Script(row.build, 3, (0, 1, 2), {"location": location})
    script.submit(0, 2).up(0).submit(0, 1).up(0).wire("Parcel", 1).air()
    return script.submit(1, 2).up(1).wire("Parcel", 2, source=1).air()


@pytest.mark.parametrize("location", ("oracle", "lazy"))
@pytest.mark.parametrize("row", [row for row in PAIRS.values() if row.claims.causal], ids=lambda row: row.name)
def test_who_claims_causal_order_keeps_it_in_the_triangle(row: Row, location: str) -> None:
    script = triangle(row, location)
    assert script.deliveries() == ["h1 delivers m1"]
    assert script.drain().deliveries() == ["h1 delivers m1", "h2 delivers m0", "h2 delivers m2"]
    assert script.world.faults == []


@pytest.mark.parametrize("row", [row for row in PAIRS.values() if not row.claims.causal], ids=lambda row: row.name)
def test_who_does_not_claim_it_breaks_it_there(row: Row) -> None:
    script = triangle(row, "oracle")
    assert [fault.verdict for fault in script.world.faults] == [Verdict.OVERTAKES]
