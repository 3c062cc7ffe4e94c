"""Find the first differing event of variants and their base, one Spark job per pair of runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from analysis.spark.distribute import LostJob, distribute
from analysis.summary.results_reader import Run
from analysis.sweeps.divergence import Divergence, Divergences, first_divergence
from analysis.sweeps.reader import SweepRuns
from analysis.sweeps.variants import Comparison, ComparisonKey
from mobilesim.errors import UserError
from mobilesim.results.layout import BASE, VARIANT


@dataclass(frozen=True, slots=True)
class _Pair:
    """The runs of one replication of a comparison."""

    key: ComparisonKey
    left: Run
    right: Run


def find_divergences(
    spark: SparkSession, sweep: SweepRuns, comparisons: Sequence[Comparison], progress: Callable[[str], None]
) -> dict[ComparisonKey, Divergences]:
    """Return the divergences of each comparison. All tables of both runs of each replication are read."""
    pairs = [pair for comparison in comparisons for pair in _pairs(sweep, comparison)]
    divergences: dict[_Pair, Divergence | None] = {}
    for count, result in enumerate(distribute(spark, pairs, _first_divergence, kind=lambda pair: pair.key), 1):
        if isinstance(result, LostJob):
            raise UserError(f"{sweep.directory}: two runs could not be compared: {result.reason}")
        pair, divergences[pair] = result
        progress(f"looking for first differing events: {count} of {len(pairs)} pairs of runs")
    by_key: dict[ComparisonKey, dict[int, Divergence | None]] = {}
    for pair in pairs:
        by_key.setdefault(pair.key, {})[pair.left.replication] = divergences[pair]
    return {key: Divergences(by_replication) for key, by_replication in by_key.items()}


def _first_divergence(pair: _Pair) -> tuple[_Pair, Divergence | None]:
    return pair, first_divergence(pair.left, pair.right)


def _pairs(sweep: SweepRuns, comparison: Comparison) -> Iterator[_Pair]:
    index = comparison.keys.index(VARIANT)
    base = (*comparison.point[:index], BASE, *comparison.point[index + 1 :])
    left = _runs(sweep.points[comparison.point].runs, comparison.left.name)
    right = _runs(sweep.points[base].runs, comparison.right.name)
    return (_Pair(comparison.key, left[number], right[number]) for number in sorted(left.keys() & right.keys()))


def _runs(runs: Sequence[Run], protocol: str) -> dict[int, Run]:
    return {run.replication: run for run in runs if run.protocol == protocol}
