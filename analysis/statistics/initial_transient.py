"""The initial transient of runs: how many of their first batches should not be measured.

MSER (White 1997; Spratt 1998) deletes so many batches that the standard error of the mean of the rest is smallest. The
batches are averaged over replications first, as Welch (1983) does. A deletion of more than half of the batches is not
proposed. Because the smallest standard error often has some deletion by chance, one counts only if the deleted batches
differ from the rest in a paired t-test over replications, and if they change the mean by more than a margin. The level
of the test is 0.5 %, because a summary looks at several metrics of several protocols.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from mobilesim.statistics.intervals import sample

_LEVEL: Final = 0.005


def transient_share(runs: Sequence[Sequence[float]], margin: float) -> float:
    """Return the share of the first batches to be deleted; 0 without a transient. `runs`: the means of the batches of
    each replication, in time order. `margin`: the change of the mean that does not count, as a share of the mean.
    """
    if len(runs) < 2:
        return 0.0
    batches = [fmean(each) for each in zip(*runs, strict=True)]
    deleted = _least_error(batches)
    if not deleted:
        return 0.0
    below = sample([fmean(run[:deleted]) - fmean(run[deleted:]) for run in runs], skewed=False).below_zero()
    rest, whole = fmean(batches[deleted:]), fmean(batches)
    known = 2 * min(below, 1 - below) < _LEVEL
    return deleted / len(batches) if known and abs(whole - rest) > margin * abs(rest) else 0.0


def _least_error(batches: Sequence[float]) -> int:
    """Return the number of deleted batches, at most half of them, with the smallest standard error of the rest."""

    def squared_error(deleted: int) -> float:
        rest = batches[deleted:]
        mean = fmean(rest)
        return sum((each - mean) ** 2 for each in rest) / len(rest) ** 2

    return min(range(len(batches) // 2 + 1), key=squared_error)
