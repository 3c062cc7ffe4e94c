"""Identity trees and event trees of interval tree clocks (Almeida, Baquero and Fonte, 2008, section 5).

An identity is 0, 1, or a pair of identities of the two halves of an interval. An event tree is a number n, or a triple
(n, left, right): a function of the interval with the value n, plus the values of the subtree of a half. All event trees
are in normal form: of two subtrees, one has the base 0, and two equal leaves are one leaf.
"""

from typing import TypeAlias

Identity: TypeAlias = int | tuple["Identity", "Identity"]
Events: TypeAlias = int | tuple[int, "Events", "Events"]

_NEW_NODE = 1 << 32
"""The cost of a new node of the event tree: more than that of any path, so that trees grow as little as possible."""


def halves(identity: Identity) -> tuple[Identity, Identity]:
    """Return two disjoint identities that together are this one ("split")."""
    if not isinstance(identity, tuple):
        return ((1, 0), (0, 1)) if identity else (0, 0)
    left, right = identity
    if left == 0:
        one, other = halves(right)
        return (0, one), (0, other)
    if right == 0:
        one, other = halves(left)
        return (one, 0), (other, 0)
    return (left, 0), (0, right)


def identities(number: int, whole: Identity = 1) -> list[Identity]:
    """Fork one identity among a number of processes, as evenly as possible."""
    if number == 1:
        return [whole]
    one, other = halves(whole)
    return identities((number + 1) // 2, one) + identities(number // 2, other)


def base(events: Events) -> int:
    """Return the smallest value of an event tree in normal form."""
    return events[0] if isinstance(events, tuple) else events


def highest(events: Events) -> int:
    if not isinstance(events, tuple):
        return events
    return events[0] + max(highest(events[1]), highest(events[2]))


def lifted(events: Events, by: int) -> Events:
    return (events[0] + by, events[1], events[2]) if isinstance(events, tuple) else events + by


def normal(number: int, left: Events, right: Events) -> Events:
    if left == right and not isinstance(left, tuple):
        return number + left
    least = min(base(left), base(right))
    return number + least, lifted(left, -least), lifted(right, -least)


def heights(events: Events, number: int, above: int = 0) -> list[int]:
    """Return the values of the function in the parts of the interval that `identities` gives to this number of
    processes. It has no steps within a part. `above`: added to each value.
    """
    if not isinstance(events, tuple):
        return [above + events] * number
    above += events[0]
    return heights(events[1], (number + 1) // 2, above) + heights(events[2], number // 2, above)


def joined(one: Events, other: Events) -> Events:
    """Return the maximum of two functions."""
    if not isinstance(one, tuple):
        if not isinstance(other, tuple):
            return max(one, other)
        one = (one, 0, 0)
    elif not isinstance(other, tuple):
        other = (other, 0, 0)
    if one[0] > other[0]:
        one, other = other, one
    more = other[0] - one[0]
    return normal(one[0], joined(one[1], lifted(other[1], more)), joined(one[2], lifted(other[2], more)))


def after_event(identity: Identity, events: Events) -> Events:
    """Return a larger function, which differs only in the intervals of the identity ("event")."""
    simpler = filled(identity, events)
    return simpler if simpler != events else _grown(identity, events)[0]


def filled(identity: Identity, events: Events) -> Events:
    """Raise values in the intervals of the identity if this makes the tree smaller ("fill")."""
    if identity == 0 or not isinstance(events, tuple):
        return events
    if not isinstance(identity, tuple):
        return highest(events)
    number, left, right = events
    if identity[0] == 1:
        right = filled(identity[1], right)
        return normal(number, max(highest(left), base(right)), right)
    if identity[1] == 1:
        left = filled(identity[0], left)
        return normal(number, left, max(highest(right), base(left)))
    return normal(number, filled(identity[0], left), filled(identity[1], right))


def _grown(identity: Identity, events: Events) -> tuple[Events, int]:
    """Increment one leaf in an interval of the identity, with few new nodes; return the tree and its cost ("grow")."""
    if not isinstance(events, tuple):
        if identity == 1:
            return events + 1, 0
        grown, cost = _grown(identity, (events, 0, 0))
        return grown, cost + _NEW_NODE
    assert isinstance(identity, tuple)  # otherwise the tree could have been filled
    number, left, right = events
    choices: list[tuple[int, Events]] = []
    if identity[0] != 0:
        grown, cost = _grown(identity[0], left)
        choices.append((cost + 1, (number, grown, right)))
    if identity[1] != 0:
        grown, cost = _grown(identity[1], right)
        choices.append((cost + 1, (number, left, grown)))
    cheapest = min(choices, key=lambda choice: choice[0])
    return cheapest[1], cheapest[0]


def nodes(tree: Identity | Events) -> int:
    if not isinstance(tree, tuple):
        return 1
    return 1 + nodes(tree[-2]) + nodes(tree[-1])
