"""Mostefaoui and Raynal (1993), section 4.3: where groups form no cycle, a process keeps K for its own groups alone.

Theory. What a process hears of groups that it is not in comes back to where it matters only along a cycle. A message
has an integer for each group of its sender, however many groups there are.

Deviation from the print. There, two groups are neighbours when they meet, and their graph must have no cycle. That is
not enough where two groups share more than one process. Let p and q be in x and y, and r in x only. p sends m0 to y,
then m1 to x; r delivers m1 and sends m2 to x. At q, m1 waits for m0 by its entry for y, and m2 has none, since r is not
in y: it overtakes both. Nor can q let messages of x go by phase: it may have one that is ahead in x and behind in y of
another, and two that know one phase each, which would then wait for one another in a ring. What must have no cycle is
the graph of processes and groups, each process joined to its groups. Then a process may be in any number of groups, and
causality from one group to another passes through the only process that both have, which has delivered in order.
"""

from protocols.ordering import Groups


def cycle(groups: Groups) -> tuple[int, int] | None:
    """A group, and one of its processes, that lie on a cycle."""
    trees: list[set[int]] = []
    for number, group in enumerate(groups):
        met = [tree for tree in trees if not tree.isdisjoint(group)]
        for tree in met:
            if len(tree.intersection(group)) > 1:
                return number, min(tree.intersection(group))
        trees = [tree for tree in trees if tree not in met] + [{*group}.union(*met)]
    return None
