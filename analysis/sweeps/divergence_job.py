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
    """Of a comparison, the runs of one replication."""

    key: ComparisonKey
    left: Run
    right: Run


def find_divergences(
    spark: SparkSession, sweep: SweepRuns, found: Sequence[Comparison], progress: Callable[[str], None]
) -> dict[ComparisonKey, Divergences]:
    """Two runs are read for each replication, which takes as long as their tables are large."""
    pairs = [pair for each in found for pair in _pairs(sweep, each)]
    parted: dict[_Pair, Divergence | None] = {}
    for count, result in enumerate(distribute(spark, pairs, _part, kind=lambda pair: pair.key), 1):
        if isinstance(result, LostJob):
            raise UserError(f"{sweep.directory}: two runs could not be compared: {result.reason}")
        pair, parted[pair] = result
        progress(f"looking for first differing events: {count} of {len(pairs)} pairs of runs")
    told_of: dict[ComparisonKey, dict[int, Divergence | None]] = {}
    for pair in pairs:
        told_of.setdefault(pair.key, {})[pair.left.replication] = parted[pair]
    return {place: Divergences(of) for place, of in told_of.items()}


def _part(pair: _Pair) -> tuple[_Pair, Divergence | None]:
    return pair, first_divergence(pair.left, pair.right)


def _pairs(sweep: SweepRuns, each: Comparison) -> Iterator[_Pair]:
    place = each.keys.index(VARIANT)
    base = (*each.point[:place], BASE, *each.point[place + 1 :])
    ours = _runs(sweep.points[each.point].runs, each.left.name)
    theirs = _runs(sweep.points[base].runs, each.right.name)
    return (_Pair(each.key, ours[one], theirs[one]) for one in sorted(ours.keys() & theirs.keys()))


def _runs(runs: Sequence[Run], protocol: str) -> dict[int, Run]:
    return {run.replication: run for run in runs if run.protocol == protocol}
