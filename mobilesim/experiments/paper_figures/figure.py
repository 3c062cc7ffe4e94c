"""The definition of a figure: a scenario, its variations, the measured metric, and the statements of the paper.

The keys of the files `figures/*.yaml` are the fields of these classes. `check` has the name of a check and its
parameters. Variations are overrides of the scenario as in `--set`: a dotted key and a text. A point of the figure is
the scenario with the overrides of its panel, its series and its x, in this order.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from mobilesim.experiments.paper_figures.statements import CHECKS, Check, MetricLabel
from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.scenario.loader import document_of, text_of

Settings = Mapping[str, str]

_TIMES: Final = {"delay", *DELAY_PARTS}
INCOMPLETE: Final = "Parts of the figure are missing: no conclusion."


@dataclass(frozen=True, slots=True)
class XAxis:
    """The key that varies along the x axis. `template`: the form of its values in the scenario."""

    key: str
    symbol: str
    label: str
    values: tuple[int, ...]
    template: str = "{}"

    def settings(self, x: int) -> Settings:
        return {self.key: self.template.format(x)}


@dataclass(frozen=True, slots=True)
class Metric:
    """A measured mean. `unit`: '' if the label names it. `scale`: the size of the unit in units of the measurement."""

    name: str
    label: str
    scale: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One curve. `scale`: the scale of its unit; None for the scale of the metric. `clock`: the passive clock whose
    means are the curve of metrics that begin with `clock_`.
    """

    label: str
    settings: Settings = field(default_factory=dict)
    scale: float | None = None
    clock: str = ""

    def mean_of(self, metric: str) -> str:
        """Return the name of the metric in records of runs."""
        return metric.replace("clock", self.clock.replace(" ", "_"), 1) if self.clock else metric


@dataclass(frozen=True, slots=True)
class Panel:
    """All series with the settings of the panel. `values`: its x values; empty for the x values of the figure."""

    label: str
    settings: Settings = field(default_factory=dict)
    values: tuple[int, ...] = ()


def _check(given: Check | dict[str, dict[str, Any]]) -> Check:
    if not isinstance(given, dict):
        return given
    ((name, parameters),) = given.items()
    return CHECKS[name](**parameters)


@dataclass(frozen=True, slots=True)
class Statement:
    """A paraphrased statement of the paper. By default, it is about the metric of the figure, and all panels.

    `source`: the paper and its section. The series of a check are labels of the figure's series, or metrics of them,
    such as `inhibition of algorithm 2`, or sums and differences of these.
    """

    text: str
    source: str
    check: Annotated[Check, BeforeValidator(_check)]
    metric: str = ""
    panels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuickVersion:
    """A short version: the first panels, few x values, few replications, short runs."""

    panels: int
    values: tuple[int, ...]
    replications: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class FigurePoint:
    panel: str
    series: str
    x: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """`parts` and `other_metrics` are shown beside the metric. Parts have its unit, and other metrics their own units.

    `conclusion`: the conclusion from the complete figure. `incomplete`: the reason why there is no conclusion.
    `symbols`: the meaning of each symbol. `labels`: the labels of metrics whose values do not have the form `5 ms of
    delay`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    name: str
    paper: str
    title: str
    scenario: str
    x: XAxis
    metric: Metric
    series: tuple[Series, ...]
    panels: tuple[Panel, ...]
    statements: tuple[Statement, ...]
    conclusion: str
    replications: int
    quick: QuickVersion
    parts: tuple[str, ...] = ()
    symbols: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, MetricLabel] = field(default_factory=dict)
    other_metrics: tuple[str, ...] = ()
    incomplete: str = ""

    def points(self) -> Iterator[FigurePoint]:
        for panel in self.panels:
            for series in self.series:
                for x in panel.values or self.x.values:
                    settings = {**panel.settings, **series.settings, **self.x.settings(x)}
                    yield FigurePoint(panel.label, series.label, x, settings)

    def scale_of(self, series: Series, metric: str) -> float:
        if metric == self.metric.name or {metric, self.metric.name} <= _TIMES:
            return series.scale or self.metric.scale
        return 1

    def quick_version(self) -> "PaperFigure":
        quick = self.quick
        first = self.panels[: quick.panels]
        panels = tuple(Panel(panel.label, {**panel.settings, **quick.settings}, quick.values) for panel in first)
        return replace(self, panels=panels, replications=quick.replications, incomplete=INCOMPLETE)

    def with_replications(self, replications: int) -> "PaperFigure":
        if replications >= self.replications or self.incomplete:
            return replace(self, replications=replications)
        few = f"Too few replications, {replications} of {self.replications}: no conclusion."
        return replace(self, replications=replications, incomplete=few)

    def label_of(self, metric: str) -> MetricLabel:
        noun = metric.replace("_", " ")
        return self.labels.get(metric) or MetricLabel(noun, f"{{}} {self.metric.unit} of {noun}")


def _figures() -> Iterator[PaperFigure]:
    figure = TypeAdapter(PaperFigure)
    for path in sorted(Path(__file__).with_name("figures").glob("*.yaml")):
        for name, definition in document_of(text_of(path), str(path)).data.items():
            yield figure.validate_python({"name": name, **definition})


FIGURES: Final = {figure.name: figure for figure in _figures()}
