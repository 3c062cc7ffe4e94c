"""Comparisons and maxima of packed vectors, compared with the same operations on lists."""

from random import Random

from mobilesim.protocols.packed_vectors import MAX_COUNT, WIDTH, borrow_bits, entry, filled, first_short, maximum


def packed(counts: list[int]) -> int:
    return sum(filled((place,), count) for place, count in enumerate(counts))


def test_packed_vectors_compare_and_merge_like_lists() -> None:
    random, short = Random(1), 0
    for _ in range(2_000):
        size = random.randint(1, 40)
        pairs = [random.choices((0, 1, 2, MAX_COUNT - 1, MAX_COUNT), (3, 3, 3, 1, 1), k=2) for _ in range(size)]
        one, other = ([pair[side] for pair in pairs] for side in (0, 1))
        if random.random() < 0.5:
            one = [*map(max, one, other)]
        borrow = borrow_bits(size)
        expected = next((place for place in range(size) if one[place] < other[place]), None)
        assert first_short(packed(one), packed(other), borrow) == expected
        merged = maximum(packed(one), packed(other), borrow)
        assert [entry(merged, place) for place in range(size)] == [*map(max, one, other)]
        assert merged >> WIDTH * size == 0
        short += expected is not None
    assert 300 < short < 1_500


def test_comparisons_of_empty_packed_vectors_find_no_difference() -> None:
    assert borrow_bits(0) == 0
    assert first_short(0, 0, 0) is None
    assert maximum(0, 0, 0) == 0
