"""A figure as a definition: a scenario, what varies in it, what is measured, and what the paper says.

Whatever varies is an override of the scenario, as `--set` has it: a dotted key and a text. A point of the figure is the
scenario under those of its panel, its curve and its x, in this order; so a figure has no code of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from mobilesim.experiments.paper_figures.metric_labels import QUANTITIES, Quantity
from mobilesim.experiments.paper_figures.statements import Check

Settings = Mapping[str, str]

NOTHING: Final[Settings] = {}

UNFINISHED: Final = "This is not the whole figure: too little to say what it shows."


@dataclass(frozen=True, slots=True)
class Axis:
    """What runs along the bottom. `text`: how a value stands in the scenario."""

    key: str
    symbol: str
    label: str
    values: tuple[int, ...]
    text: str = "{}"

    def settings(self, x: int) -> Settings:
        return {self.key: self.text.format(x)}


@dataclass(frozen=True, slots=True)
class Metric:
    """A mean that is measured, and the unit in which people read it: none where the label says it."""

    name: str
    label: str
    unit: str
    size: float
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One curve. `size`: of its unit, where that is not the metric's."""

    label: str
    settings: Settings = field(default_factory=dict)
    size: float | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """The same curves in other surroundings. `values`: other places on the x axis than the figure's."""

    label: str
    settings: Settings = field(default_factory=dict)
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """What the paper says of its figure, in our words, and how it is put to the test in every panel.

    `of`: another mean than the figure's metric, as it is measured. `panels`: those that it speaks of, if not of all.
    """

    words: str
    check: Check
    of: str = ""
    panels: tuple[str, ...] = ()

    def speaks_of(self, panel: Panel) -> bool:
        return not self.panels or panel.label in self.panels


@dataclass(frozen=True, slots=True)
class Figure:
    """`parts` of the metric are shown beside it, and `besides` them other means, as they are measured.

    `quick`: the same in small, to see whether it works. `finding` is what the whole figure shows, and empty in a
    smaller one; `lacks` says why that is smaller. `symbols`: what the letters in its words mean.
    """

    name: str
    paper: str
    title: str
    scenario: str
    x: Axis
    metric: Metric
    parts: tuple[str, ...]
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    statements: tuple[Statement, ...]
    finding: str
    replications: int
    quick: "Quick"
    symbols: Mapping[str, str] = field(default_factory=dict)
    besides: tuple[str, ...] = ()
    lacks: str = ""

    def points(self) -> "Iterator[Point]":
        for panel in self.panels:
            for series in self.series:
                for x in panel.values or self.x.values:
                    settings = {**panel.settings, **series.settings, **self.x.settings(x)}
                    yield Point(panel.label, series.label, x, settings)

    def size_of(self, series: str, metric: str) -> float:
        if metric not in {self.metric.name, *self.parts}:
            return 1
        sizes = {each.label: each.size for each in self.series}
        return sizes[series] or self.metric.size

    def shortened(self) -> "Figure":
        quick = self.quick
        panels = tuple(
            Panel(panel.label, {**panel.settings, **quick.settings}, quick.values)
            for panel in self.panels[: quick.panels]
        )
        return replace(self, panels=panels, replications=quick.replications, finding="", lacks=UNFINISHED)

    def repeated(self, replications: int) -> "Figure":
        if replications >= self.replications or self.lacks:
            return replace(self, replications=replications)
        few = f"These are too few replications, {replications} of {self.replications}, to say what the figure shows."
        return replace(self, replications=replications, finding="", lacks=few)

    def quantity_of(self, metric: str) -> Quantity:
        if metric == self.metric.name and self.metric.quantity is not None:
            return self.metric.quantity
        part = metric.replace("_", " ")
        return QUANTITIES.get(metric) or Quantity(part, f"{{}} {self.metric.unit} of {part}")


@dataclass(frozen=True, slots=True)
class Quick:
    """The first so many panels, few places on the x axis, few replications, short runs."""

    panels: int
    values: tuple[int, ...]
    replications: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class Point:
    """One place on one curve, before any replication of it has run."""

    panel: str
    series: str
    x: int
    settings: Settings
