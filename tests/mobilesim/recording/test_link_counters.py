"""The bytes of a link agree with its busy time, and with the sum of its bytes by purpose."""

from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.packets import Packet, Purpose
from mobilesim.recording.link_counters import LinkCounter, columns
from mobilesim.results.quantities import BYTE_PURPOSES
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.energy_and_costs import Sizes
from tests.support.radio_ledgers import busy_scenario
from tests.support.simulations import Row, simulate

BYTE: Final = 1_000
"""The time of a byte at 8 Mbit/s, in nanoseconds."""


def everything(purpose: Purpose) -> Packet:
    """Return a packet with a payload of 7 bytes and with 5 integers."""

    fields = {"payload": 7, "header": 3, "control": 2, "purpose": purpose}
    kind: type[Packet] = type("Everything", (Packet,), fields)
    return kind()


def row(counter: LinkCounter) -> dict[str, int]:
    return {name: int(numbers[0]) for name, numbers in columns({(0, 1): counter}).items()}


def by_purpose(row: Row | dict[str, int]) -> int:
    return sum(row[f"{purpose}_bytes"] for purpose in BYTE_PURPOSES)


@pytest.mark.parametrize("purpose", [purpose for purpose in Purpose if purpose is not Purpose.ACK])
def test_the_length_of_a_packet_is_the_sum_of_its_parts(purpose: Purpose) -> None:
    counter = LinkCounter()
    counter.add(everything(purpose), Sizes(integer=4, header=20), 9)
    assert counter.bytes == by_purpose(row(counter)) == 20 + 7 + 4 * (3 + 2)


def test_bytes_that_belong_to_no_purpose_are_missing_in_the_sum() -> None:
    """An acknowledgement must have only control bytes. `mobilesim verify-results` reports any other bytes."""
    counter = LinkCounter()
    counter.add(everything(Purpose.ACK), Sizes(integer=4, header=20), 9)
    assert counter.bytes == 47 > by_purpose(row(counter)) == 28


def wired(settings: dict[str, Any], directory: Path) -> list[Row]:
    rows = simulate(Scenario.model_validate(settings), directory).rows("links")
    return [row for row in rows if row["kind"] == "wired"]


@pytest.mark.full
@pytest.mark.parametrize("row", catalogue.pairs(), ids=lambda row: row.name)
def test_the_busy_time_and_the_purposes_of_links_agree_with_their_bytes(row: ProtocolRow, tmp_path: Path) -> None:
    settings = busy_scenario("av1", 1).model_dump(mode="json", exclude_none=True)
    settings |= {"protocols": [row.name], "backbone": {"bandwidth": "8 Mbit/s"}, "duration": "3 s"}
    if catalogue.ORDERINGS[row.ordering].serves == "broadcasts":
        settings["workload"] = {"interval": "exponential 1 s", "kind": "multicast", "destinations": "all"}
    if catalogue.ORDERINGS[row.ordering].serves == "groups":
        settings |= {"groups": [[0, 1, 2], [2, 3, 4, 5]], "workload": {"interval": "exponential 1 s"}}
    links = wired(settings, tmp_path)
    assert links
    for link in links:
        assert link["busy"] == BYTE * link["bytes"]
        assert link["bytes"] == by_purpose(link)
