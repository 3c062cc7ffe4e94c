"""The public contract: every name exists, is documented, and stays as long as the version does."""

from types import ModuleType
from typing import Final

import pytest

from mobilesim.contract import models, orderings, placements
from tests.house.tree import ROOT

MODULES: Final = {"orderings": orderings, "placements": placements, "models": models}

# The names of each version. A name may be added; to remove or change one, increase CONTRACT_VERSION.
VERSION_1: Final = {
    "orderings": """
        CONTRACT_VERSION NO_KEYS UNSTAMPED ActiveProcess Addressed Claims Groups Key Option Ordering OrderingFactory
        OrderingRow Process ProtocolError Stamp declares memberships value
    """,
    "placements": """
        CONTRACT_VERSION DIRECT_TABLE Copy Data DataPacket Directory HandoffAction HandoffBegin HandoffEvent
        HandoffPacket HandoffPacketKind HandoffStation HandoffTable Host HostOutbox Inbox Mailbox Message Milestone
        MobileHost Option OrderingFactory Packet Phase PlacementRow Process ProtocolError ProxyStation ProxyVisit
        Purpose Receiver RoutedPacket Sender Stamp Station StationOutbox System Transition Visit VisitState declares
        directories mailbox_for value
    """,
    "models": """
        CONTRACT_VERSION FOR_EVER SECOND Action Address Chance Count Departure Fault Flag Length MobilityRow Paced Path
        Pausing Payloads PlaneCells Sampler Section Segment Speed Streams Time Times TrafficSource UserError Whole
        WorkloadRow World all_others declares optional sampler setting
    """,
}
PAGE: Final = ROOT / "docs" / "adding-a-protocol.md"


@pytest.mark.parametrize("name", MODULES)
def test_the_names_of_a_version_stay(name: str) -> None:
    module: ModuleType = MODULES[name]
    assert module.CONTRACT_VERSION == 1
    assert set(VERSION_1[name].split()) <= set(module.__all__)
    assert [public for public in module.__all__ if not hasattr(module, public)] == []


def test_the_page_for_authors_names_all_modules_and_the_decorator() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"`mobilesim.contract.{name}`" in page for name in MODULES)
    assert "CONTRACT_VERSION" in page
    assert "@declares(" in page


def test_the_example_imports_the_contract_only() -> None:
    sources = (ROOT / "examples").rglob("*.py")
    lines = [line for path in sources for line in path.read_text(encoding="utf-8").splitlines()]
    own = [line for line in lines if line.startswith(("from mobilesim", "import mobilesim"))]
    assert len(own) == 4
    assert all(line.startswith("from mobilesim.contract.") for line in own)
