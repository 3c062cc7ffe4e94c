"""Labels for the numbers of a figure."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class MetricLabel:
    """`noun`: a short name of the values. `template`: a value with its unit, such as `{} ms`."""

    noun: str
    template: str

    def format(self, number: str) -> str:
        return self.template.format(number)


METRIC_LABELS: Final = {
    "header_integers": MetricLabel("integers", "{} integers in a header"),
    "header_units": MetricLabel("units", "{} units in a header"),
    "link_packets": MetricLabel("packets", "{} packets per delivery"),
    "allocation_5_factor": MetricLabel("factor", "a factor of {} on a message"),
    "allocation_5_space_factor": MetricLabel("factor", "a factor of {} in a process"),
    "allocation_5_wrong_percent": MetricLabel("wrong answers", "{}% of its answers wrong"),
}
"""The labels of metrics that are shown without conversion to another unit."""
