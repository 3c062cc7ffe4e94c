"""The explorer's tables in numpy arrays agree with dictionaries and sets."""

from collections.abc import Callable

import numpy as np

from mobilesim.explorer.array_tables import IntArray, Interner, MemoTable, VisitedSet


def recording_double(request: list[int]) -> Callable[[int], int]:
    def double(key: int) -> int:
        request.append(key)
        return 2 * key

    return double


def test_a_memo_table_calls_its_function_once_for_each_key() -> None:
    request: list[int] = []
    lookup = MemoTable(recording_double(request), bits=1)
    draw = np.random.default_rng(0)
    for _ in range(20):
        keys = draw.integers(0, 300, 1000) << 40
        assert (lookup(keys) == 2 * keys).all()
    assert len(lookup(np.zeros(0, np.int64))) == 0
    assert len(request) == len(set(request)) == 300


def test_a_visited_set_reports_each_name_as_new_only_once() -> None:
    seen, twin = VisitedSet(bits=1), set[int]()
    draw = np.random.default_rng(0)
    for _ in range(20):
        names = draw.integers(1, 2_000, 500).astype(np.uint64) << np.uint64(53) | np.uint64(1)
        new = names[seen.add(names)].tolist()
        assert sorted(new) == sorted(set(names.tolist()) - twin)
        twin |= set(new)
    assert seen.count == len(twin)


def test_an_interner_gives_equal_values_the_same_number() -> None:
    numbers: Interner[tuple[int, ...]] = Interner()
    assert [numbers.intern(thing) for thing in ((), (1,), (), (2,), (1,))] == [0, 1, 0, 2, 1]
    assert numbers.values == [(), (1,), (2,)]


def test_an_array_can_be_read_while_it_grows() -> None:
    column = IntArray(7)
    assert column[np.array([0, 0])].tolist() == [7, 7]
    column.append(8)
    assert column[np.array([1, 0])].tolist() == [8, 7]
    assert len(column) == 2
