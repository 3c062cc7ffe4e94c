"""The Sobol indices of a sweep: which factors decide a metric of a protocol, or the difference of two protocols."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.formatting import listing
from mobilesim.analysis.summary.metrics import Metric
from mobilesim.analysis.sweeps.axes import Settings
from mobilesim.analysis.sweeps.metrics import Points, nonzero_metrics, of_protocol, protocol_names
from mobilesim.results.sweeps.design_record import SOBOL_INDICES, DesignRecord
from mobilesim.statistics.sobol_indices import MIN_ROWS, Index, SobolIndices, sobol_indices

ORDERS: Final = ("first-order", "total")

_FEW: Final = f"Sobol indices need {MIN_ROWS} or more base points with complete runs"

Outputs = Mapping[Settings, Mapping[int, float]]
"""For each point, the mean of a metric in each replication."""


@dataclass(frozen=True, slots=True)
class MetricIndices:
    """The indices of a metric of the protocol `left`; with `right`, those of the paired difference left minus right."""

    metric: Metric
    left: str
    right: str | None
    factors: tuple[str, ...]
    indices: SobolIndices

    @property
    def name(self) -> str:
        return self.left if self.right is None else f"{self.left} - {self.right}"

    @property
    def quantity(self) -> str:
        """The metric in a sentence."""
        if self.right is None:
            return f"the {self.metric.label} of {self.left}"
        return f"the difference in {self.metric.label} between {self.left} and {self.right}"

    @property
    def by_factor(self) -> list[tuple[str, Index, Index]]:
        """Each factor with its first-order and its total index."""
        return list(zip(self.factors, self.indices.first, self.indices.total, strict=True))


def metric_indices(design: DesignRecord | None, points: Points) -> tuple[MetricIndices, ...]:
    """Return the indices of each metric that varies, for each protocol and its difference from the first protocol."""
    if design is None or design.kind != SOBOL_INDICES:
        return ()
    return tuple(_indices(design, points))


def _indices(design: DesignRecord, points: Points) -> Iterator[MetricIndices]:
    names = protocol_names(points)
    factors = tuple(", ".join(keys) for keys in design.factors)
    for metric in nonzero_metrics([each for _, summary in points for each in summary.protocols]):
        outputs = {
            name: {point: _by_replication(metric.value(each)) for point, each in of_protocol(points, name)}
            for name in names
        }
        pairs = [*((name, None) for name in names), *((name, names[0]) for name in names[1:])]
        for left, right in pairs:
            values = outputs[left] if right is None else _differences(outputs[left], outputs[right])
            found = _estimated(design, values)
            if found is not None:
                yield MetricIndices(metric, left, right, factors, found)


def _by_replication(estimate: Estimate) -> dict[int, float]:
    return dict(zip(estimate.replications, estimate.run_means, strict=True))


def _differences(left: Outputs, right: Outputs) -> Outputs:
    return {
        point: {number: left[point][number] - right[point][number] for number in left[point] if number in right[point]}
        for point in left.keys() & right.keys()
    }


def _estimated(design: DesignRecord, outputs: Outputs) -> SobolIndices | None:
    """Return the indices from the base points of which all points have outputs, in their common replications."""
    width = len(design.factors) + 2
    rows = [tuple(row) for row in design.rows]
    blocks = [rows[start : start + width] for start in range(0, len(rows), width)]
    whole = [block for block in blocks if all(outputs.get(point) for point in block)]
    if len(whole) < MIN_ROWS:
        return None
    common = sorted(set.intersection(*(set(outputs[point]) for block in whole for point in block)))
    if not common:
        return None
    found = np.array([[[outputs[point][number] for number in common] for point in block] for block in whole])
    return sobol_indices(found[:, 0], found[:, 1], np.moveaxis(found[:, 2:], 1, 0))


def schema() -> pa.Schema:
    return pa.schema(
        [
            *(pa.field(name, pa.string(), nullable=name == "right") for name in ("left", "right", "metric", "factor")),
            pa.field("order", pa.string(), nullable=False),
            *(pa.field(name, pa.float64(), nullable=False) for name in ("index", "index_low", "index_high")),
            *(pa.field(name, pa.int64(), nullable=False) for name in ("rows", "replications")),
            pa.field("noise", pa.float64()),
        ]
    )


def indices_table(several: Sequence[MetricIndices]) -> pa.Table:
    return pa.Table.from_pylist([row for each in several for row in _rows(each)], schema())


def _rows(each: MetricIndices) -> Iterator[dict[str, Any]]:
    found = each.indices
    for factor, *both in each.by_factor:
        for order, index in zip(ORDERS, both, strict=True):
            yield {
                "left": each.left,
                "right": each.right,
                "metric": each.metric.name,
                "factor": factor,
                "order": order,
                "index": index.value,
                "index_low": index.low,
                "index_high": index.high,
                "rows": found.rows,
                "replications": found.replications,
                "noise": found.noise,
            }


def sentences(several: Sequence[MetricIndices], metrics: Sequence[Metric]) -> list[str]:
    """Return a sentence on each of these metrics: for differences of protocols or, with one protocol, for its means."""
    differences = [each for each in several if each.right is not None]
    chosen = [each for each in differences or several if each.metric in metrics]
    return [_sentence(each) for each in chosen] if several else [f"No Sobol indices: {_FEW}."]


def _sentence(each: MetricIndices) -> str:
    """Return the factors with a significant total index, the largest first, and the other factors."""
    ranked = sorted(each.by_factor, key=lambda factor: -factor[2].value)
    clauses = [
        f"{name} explains {_percent(alone)} alone and {_percent(total)} in total"
        for name, alone, total in ranked
        if total.low > 0
    ]
    others = [name for name, _, total in ranked if total.low <= 0]
    rest = [f"the share of {listing(others)} is not significant"] if others else []
    return f"Of the variance of {each.quantity}, {'; '.join([*clauses, *rest])}."


def _percent(index: Index) -> str:
    value, low, high = (f"{100 * end:z.0f}" for end in (index.value, index.low, index.high))
    return f"{value} % [{low}, {high}]"


def cell(index: Index) -> str:
    """Return the index with its interval, for a table."""
    return f"{index.value:z.2f} [{index.low:z.2f}, {index.high:z.2f}]"


def meaning(several: Sequence[MetricIndices]) -> str:
    """Return what the indices mean, in one sentence."""
    about = "first-order: the share of the variance that a factor explains alone; total: with interactions"
    if not several:
        return about
    if several[0].indices.replications > 1:
        return f"{about}. The variance between replications is left out, by products of different replications"
    return f"{about}. With one replication, chance is part of the variance: use two or more"
