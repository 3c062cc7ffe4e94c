"""Items under ascending numbers, compared with a dictionary."""

from random import Random

import pytest

from mobilesim.recording.by_number import ByNumber


@pytest.mark.parametrize("seed", range(10))
def test_items_are_found_as_in_a_dictionary(seed: int) -> None:
    random, items, expected = Random(seed), ByNumber[str](), dict[int, str]()
    number = 0
    for _ in range(30_000):
        if random.random() < 0.55:
            number += 1 if random.random() < 0.999 else random.randrange(2, 50)
            items.add(number, str(number))
            expected[number] = str(number)
        elif expected:
            # Mostly one of the oldest, as with messages.
            gone = next(iter(expected)) if random.random() < 0.99 else random.choice(list(expected))
            items.remove(gone)
            del expected[gone]
        asked = random.randrange(-2, number + 3)
        assert items.get(asked) == expected.get(asked)
    assert list(items.values()) == list(expected.values())


def test_removed_items_take_no_memory() -> None:
    items = ByNumber[int]()
    items.add(0, 0)
    for number in range(1, 100_000):
        items.add(number, number)
        items.remove(number)
    assert list(items.values()) == [0]
    assert len(items._recent) < 10_000
    assert len(items._older) == 1
