"""Snapshots restore states, and keys are equal if and only if the states are equal."""

from collections import deque
from enum import Enum

import numpy as np
import pytest

from mobilesim.protocols.ordering import Process
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.packets import Message
from mobilesim.protocols.state import common_objects, key, restore, shared_objects, snapshot
from tests.support.protocols.script import Script
from tests.support.protocols.variants import VARIANTS, Variant


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Box:
    __slots__ = ("content", "other")
    other: object

    def __init__(self, content: object) -> None:
        self.content = content


class Loose:
    def __init__(self) -> None:
        self.content = 1


DIFFERENT = (
    None,
    0,
    1,
    "1",
    b"1",
    (1,),
    [1],
    deque([1]),
    {1: 2},
    {2: 1},
    frozenset({1}),
    {(1, 2)},
    Colour.RED,
    Colour.BLUE,
    np.zeros(2, np.int32),
    np.zeros(2, np.int64),
    np.ones(2, np.int32),
    Message(0, 1, (2,), 3),
    Message(0, 1, (2,), 4),
    Box(1),
    Box(2),
    Box(Box(1)),
)


def test_different_states_have_different_keys() -> None:
    keys = [key(state) for state in DIFFERENT]
    assert len(set(keys)) == len(DIFFERENT)
    assert {len(name) for name in keys} == {16}


@pytest.mark.parametrize("place", range(len(DIFFERENT)))
def test_a_restored_state_has_the_key_of_the_original(place: int) -> None:
    assert key(restore(snapshot(DIFFERENT[place]))) == key(DIFFERENT[place])


def test_the_order_of_a_dictionary_is_part_of_a_state() -> None:
    """A machine can iterate over a dictionary, and a snapshot keeps its order."""
    assert key({1: 2, 3: 4}) != key({3: 4, 1: 2})
    assert list(restore(snapshot({3: 4, 1: 2}))) == [3, 1]


def test_the_insertion_order_of_a_set_is_not_part_of_a_state() -> None:
    assert key({3, 1, 2}) == key({1, 2, 3})


def blocked(first: int, second: int) -> tuple[bytes, object]:
    """Return the key of process 2, and which of two messages in transit to it must precede a third message."""
    ordering = Rst(4)
    processes: list[Process] = [ordering.process(index) for index in range(4)]
    for sender in (first, second):
        ((_, stamp),) = processes[sender].send((2, 3), -1)
        processes[3].deliver(stamp)
    ((_, stamp),) = processes[3].send((2,), -1)
    return key(processes[2]), processes[2].missing(stamp)


def test_processes_that_wait_for_different_messages_have_different_keys() -> None:
    (one, expected), (other, wanted_by_other) = blocked(0, 1), blocked(1, 0)
    assert (expected, wanted_by_other) == ((0, 1), (1, 1))
    assert one != other


def test_shared_objects_differ_from_equal_objects() -> None:
    one = [1]
    assert key([one, one]) != key([[1], [1]])
    first, second = restore(snapshot([one, one]))
    assert first is second


def test_an_unset_attribute_differs_from_a_set_one() -> None:
    box = Box(1)
    box.other = 1
    assert key(box) != key(Box(1))


def test_an_attribute_outside_of_slots_raises_an_exception() -> None:
    with pytest.raises(TypeError, match="Loose has state outside of its slots"):
        key(Loose())


def test_shared_objects_are_those_that_two_parts_reach() -> None:
    shared, own = [1], [2]
    assert shared_objects([Box([shared, own]), Box({"x": shared}), Box([3])]) == [shared]
    assert shared_objects([Box([1]), Box([1])]) == []


def test_each_item_of_a_container_counts_as_a_part() -> None:
    shared = [1]
    assert shared_objects([[Box(shared), Box([shared])]]) == [shared]
    assert shared_objects([[Box(shared), Box([shared])]], [shared]) == []
    pair = Box(shared)
    pair.other = shared
    assert shared_objects([pair]) == []


def test_common_objects_are_those_that_two_parts_reach_and_not_two_items_of_one() -> None:
    shared, within = [1], [2]
    assert common_objects([[Box(within), Box([within])], Box(3)]) == []
    assert common_objects([[Box(shared), Box([within])], Box([shared])]) == [shared]
    assert common_objects([Box(shared), Box([shared])], [shared]) == []


def test_a_snapshot_contains_only_the_index_of_a_shared_object() -> None:
    shared = [[1], [2]]
    part = Box([shared[1], [3]])
    again = [[1], [20]]
    copy = restore(snapshot(part, shared), again)
    assert copy.content[0] is again[1]
    assert key(copy, again) == key(part, shared)
    assert key(Box([shared[0], [3]]), shared) != key(part, shared)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_machines_share_only_objects_that_they_share_at_the_start(variant: Variant) -> None:
    script = Script(variant.row.build, 3, (0, 1, 2), variant.options)
    at_first = shared_objects(script.driver.machines)
    for host in (0, 1, 2):
        script.submit(host, (host + 1) % 3).up(host).move(host, (host + 1) % 3).up(host)
    script.wire("HandoffBegin", 0).drain()
    known = {id(part) for part in at_first}
    known |= {id(part) for part in shared_objects([at_first, at_first])}
    assert [part for part in shared_objects(script.driver.machines) if id(part) not in known] == []
