"""Find the first differing event of variants and their base, one Spark job per pair of runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from analysis.spark.distribute import LostJob, distribute
from analysis.summary.results_reader import Run
from analysis.sweeps.axes import Settings
from analysis.sweeps.divergence import Divergence, Divergences, first_divergence
from analysis.sweeps.reader import SweepRuns
from analysis.sweeps.variants import Comparison, ComparisonKey, at_base
from mobilesim.errors import UserError


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
    by_key: dict[ComparisonKey, dict[int, Divergence | None]] = {pair.key: {} for pair in pairs}
    for count, result in enumerate(distribute(spark, pairs, _first_divergence, kind=lambda pair: pair.key), 1):
        if isinstance(result, LostJob):
            raise UserError(f"{sweep.directory}: two runs could not be compared: {result.reason}")
        pair, found = result
        by_key[pair.key][pair.left.replication] = found
        progress(f"looking for first differing events: {count} of {len(pairs)} pairs of runs")
    return {key: Divergences(dict(sorted(several.items()))) for key, several in by_key.items()}


def _first_divergence(pair: _Pair) -> tuple[_Pair, Divergence | None]:
    return pair, first_divergence(pair.left, pair.right)


def _pairs(sweep: SweepRuns, comparison: Comparison) -> Iterator[_Pair]:
    left = _runs(sweep, comparison.point, comparison.left.name)
    right = _runs(sweep, at_base(comparison.keys, comparison.point), comparison.right.name)
    return (_Pair(comparison.key, left[number], right[number]) for number in sorted(left.keys() & right.keys()))


def _runs(sweep: SweepRuns, point: Settings, protocol: str) -> dict[int, Run]:
    return {run.replication: run for run in sweep.points[point].runs if run.protocol == protocol}
