"""A view: the processes that are members as far as one process knows, and those that have left but not been removed.

Ids are given in increasing order and never again. So a process can tell from the number `issued` alone whether an
unknown id has left, or has joined without its knowledge: nothing has to be stored about processes that were removed.
"""

from collections.abc import Iterable


class View:
    """`members`: they have joined and not left. `leaving`: they have left, and their messages may still be in transit.
    `issued`: the ids below this number have been given to processes. `number`: the number of the view, if views have
    numbers.
    """

    __slots__ = ("issued", "leaving", "members", "number")

    def __init__(self, members: Iterable[int], leaving: Iterable[int], issued: int, number: int = 0) -> None:
        self.members: set[int] = set(members)
        self.leaving: set[int] = set(leaving)
        self.issued = issued
        self.number = number

    def has_left(self, process: int) -> bool:
        return process < self.issued and process not in self.members

    def is_removed(self, process: int) -> bool:
        """Return whether a process has left, and all its messages have been delivered at all members."""
        return process < self.issued and process not in self.members and process not in self.leaving


def first_view(processes: int) -> View:
    """Return the view of the processes that are members from the start."""
    return View(range(processes), (), processes)
