"""Mostefaoui and Raynal (1993), section 4.3: where groups form no cycle, a process keeps K for its own groups alone.

Theory. The phases of a group that a process is not in can affect that group's members again only along a cycle of
groups. Without cycles, a message has an integer for each group of its sender, however many groups there are.

Deviation from the print. There, two groups are neighbours if they have a common process, and their graph must have no
cycle. That is not enough if two groups share more than one process. Let p and q be in x and y, and r in x only. p sends
m0 to y, then m1 to x; r delivers m1 and sends m2 to x. At q, m1 waits for m0 by its entry for y. m2 has no such entry,
since r is not in y: it overtakes both. Nor can q deliver messages of x by phase alone: one message may be ahead of
another in x and behind it in y, and two messages with one phase each would then wait for each other in a ring. The
graph without a cycle must be that of processes and groups, with an edge from each process to each of its groups. Then a
process may be in any number of groups, and causality from one group to another passes through their only common
process, which has delivered in order.
"""

from protocols.ordering import Groups


def cycle(groups: Groups) -> tuple[int, int] | None:
    """Return a group and one of its processes on a cycle, None if there is no cycle."""
    trees: list[set[int]] = []
    for number, group in enumerate(groups):
        joined = [tree for tree in trees if not tree.isdisjoint(group)]
        for tree in joined:
            if len(tree.intersection(group)) > 1:
                return number, min(tree.intersection(group))
        trees = [tree for tree in trees if tree not in joined] + [{*group}.union(*joined)]
    return None
