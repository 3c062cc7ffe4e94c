"""What a study of variants says, in lines: for each variant a table of its differences, and where its history parts."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from analysis.sweeps.metrics import Points, all_protocols
from analysis.sweeps.reader import Failure
from analysis.sweeps.text import crashes, source, verdicts
from analysis.sweeps.variants import HEAD, NUMBERS, DivergencesByKey, comparisons

INDENT = "  "

Columns: TypeAlias = Callable[[Sequence[Sequence[str]], Sequence[int]], list[str]]
"""What makes columns of cells; those of numbers stand to the right."""


def lines(
    keys: Sequence[str], points: Points, failures: Sequence[Failure], partings: DivergencesByKey, columns: Columns
) -> Iterator[str]:
    runs = sum(each.runs for each in all_protocols(points))
    yield f"{runs:,} runs at {len(points):,} points; base and variants meet the same random numbers in a replication"
    yield f"± is half of a 95 % interval, by Student's t over {source(points)}; [,] one by pairs of replications"
    several = list(comparisons(keys, points))
    if not several:
        yield "there is no variant to compare with the base: none is complete, or in small they are the same"
    for each in several:
        yield from ("", each.title)
        rows = [HEAD, *each.rows()]
        yield from (f"{INDENT}{line}".rstrip() for line in columns(rows, NUMBERS))
        if each.key in partings:
            yield from (f"{INDENT}{line}" for line in each.divergence_lines(partings[each.key]))
    yield ""
    yield from verdicts(keys, points, failures)
    yield from crashes(keys, failures)
