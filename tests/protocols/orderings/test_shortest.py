"""The executions that `docs/errata-orderings.md` shows, and the search that finds them."""

import pytest

from mobilesim.conformance.executions import Arrived, Sent
from mobilesim.protocols.orderings.unordered import Unordered
from mobilesim.protocols.packets import Message
from tests.support.orderings.broken_orderings import BROKEN_ORDERINGS, multicasts, replay_of
from tests.support.orderings.dense_ses import DenseSes
from tests.support.orderings.shortest import histories, replayed, shortest
from tests.support.orderings.stamps import times
from tests.support.protocols.error_pages import broken, execution, shown

pytestmark = pytest.mark.full

KNOWN = [name for name, variant in BROKEN_ORDERINGS.items() if variant.known]
CORRECTED = [name for name, variant in BROKEN_ORDERINGS.items() if variant.mended]


@pytest.mark.parametrize("name", BROKEN_ORDERINGS)
def test_an_execution_has_its_fault_at_its_last_step(name: str) -> None:
    steps, variant = broken(name).execution, BROKEN_ORDERINGS[name]
    assert replayed(variant.broken, steps[:-1]).fault == ""
    assert replayed(variant.broken, steps).fault


@pytest.mark.parametrize("name", BROKEN_ORDERINGS)
def test_the_page_shows_the_execution(name: str) -> None:
    assert shown(name) == execution(name)


@pytest.mark.parametrize("name", CORRECTED)
def test_the_corrected_ordering_has_no_fault_in_the_same_execution(name: str) -> None:
    mended = BROKEN_ORDERINGS[name].mended
    assert mended is not None
    assert replayed(mended, broken(name).execution).fault == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_a_long_search_finds_no_shorter_execution_than_the_stored_one(name: str) -> None:
    variant = BROKEN_ORDERINGS[name]
    assert len(shortest(variant.broken, variant.sends).execution) == len(variant.known)


def test_two_orders_of_the_same_events_are_one_execution() -> None:
    one, other = Message(0, 0, (2,), 1), Message(1, 1, (2,), 1)
    swapped_one, swapped_other = Message(1, 0, (2,), 1), Message(0, 1, (2,), 1)
    heard = histories((Sent(one), Sent(other), Arrived(one, 2), Arrived(other, 2)), 3)
    assert (
        histories((Sent(swapped_other), Sent(swapped_one), Arrived(swapped_one, 2), Arrived(swapped_other, 2)), 3)
        == heard
    )
    assert histories((Sent(one), Sent(other), Arrived(other, 2), Arrived(one, 2)), 3) != heard


@pytest.mark.parametrize(("fifo", "steps"), ((False, 3), (True, 4)))
def test_the_shortest_fault_of_unordered_has_3_steps_or_4_with_fifo_channels(
    fifo: bool,  # noqa: FBT001
    steps: int,
) -> None:
    found = shortest(replay_of(Unordered, 3, repr), multicasts(3, fifo=fifo))
    assert len(found.execution) == steps


def test_a_search_without_a_fault_raises_an_error() -> None:
    with pytest.raises(LookupError, match="no fault within 5 steps"):
        shortest(replay_of(DenseSes, 3, times), multicasts(3), limit=5)
