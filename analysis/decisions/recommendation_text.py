"""A recommendation as text, as JSON and as a section of the report, computed from a results directory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final

from mobilesim.analysis.decisions.pareto_frontier import footer, interval
from mobilesim.analysis.decisions.recommendation import (
    MIN_REPLICATIONS,
    Recommendation,
    Requirements,
    recommend,
    under_assumptions,
    without_location,
)
from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.report.elements import capitalized, listed, table
from mobilesim.analysis.report.page_template import Section
from mobilesim.analysis.report.sweep_page import page
from mobilesim.analysis.statistics.estimate import Difference, difference
from mobilesim.analysis.summary.formatting import NONE
from mobilesim.analysis.summary.metrics import METRICS, Metric
from mobilesim.analysis.summary.model import ProtocolSummary
from mobilesim.analysis.sweeps.metrics import without_unit
from mobilesim.analysis.sweeps.model import SweepSummary, one_point
from mobilesim.analysis.sweeps.text import TextTable
from mobilesim.analysis.sweeps.variants import difference_text
from mobilesim.errors import counted
from mobilesim.results.location import Location
from mobilesim.statistics.intervals import student_t

_INDENT: Final = "  "
_DIFFERENCES: Final = "costs of the recommended protocol, and paired differences of the others [95 % interval]"


@dataclass(frozen=True, slots=True)
class RecommendationReport:
    """A recommendation, its results, and the reasons for which other protocols were not tried. `elsewhere`: by name,
    the recommendations under other assumptions.
    """

    summary: SweepSummary
    recommendation: Recommendation
    not_tried: Mapping[str, str]
    elsewhere: Mapping[str, Recommendation] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        return self.summary.sound

    def lines(self, table: TextTable) -> Iterator[str]:
        chosen = self.recommendation.chosen
        yield self._headline()
        yield from (f"{_INDENT}{line}" for line in (*self._reasons(), *self._assumptions()))
        if chosen is not None:
            yield from ("", _DIFFERENCES, *table(self._table(chosen), ()))
            yield from ("", _better_elsewhere(chosen))
            yield from (f"{_INDENT}{line}" for line in self._gaps())
        yield ""
        yield from self._not_chosen()
        yield from footer(self.summary)

    def section(self) -> Section:
        chosen = self.recommendation.chosen
        parts = [listed([*self._reasons(), *self._assumptions()])]
        if chosen is not None:
            head, *rows = ([f"{name}\n{rank}".rstrip(), *cells] for name, *cells, rank in self._table(chosen))
            two_lines = ([cell.replace("], ", "]\n") for cell in row] for row in rows)
            parts += [f"<p>{capitalized(_DIFFERENCES)}:</p>", table(head, two_lines)]
            parts += [f"<p>{escape(capitalized(_better_elsewhere(chosen)))}:</p>", listed(self._gaps())]
        parts.append(listed(self._not_chosen()))
        return Section("Recommendation", sentence=self.headline, body="\n".join(parts))

    def document(self) -> dict[str, Any]:
        result = self.recommendation
        return {
            **self.summary.heading,
            "recommended": None if result.chosen is None else result.chosen.name,
            "order": result.requirements.order,
            "replications": result.replications,
            "pareto_front": _names(result.front),
            "undecided": {rank.protocol.name: rank.undecided for rank in result.undecided},
            "dominated_by": {
                rank.protocol.name: rank.dominated_by for rank in result.ranks if not rank.possibly_on_front
            },
            "ties": _names(result.ties),
            "eliminations": [
                {
                    "cost": step.cost.label,
                    "cheapest": step.cheapest.name,
                    "kept": _names(step.kept),
                    "dropped": _names(step.dropped),
                }
                for step in result.eliminations
            ],
            "costs_more": [
                {"protocol": each.name, **{cost.label: interval(self._more(cost, each)) for cost in result.costs}}
                for each in result.others
            ],
            "dearer_in": [
                {"metric": gap.metric.label, "protocol": gap.protocol.name, "difference": interval(gap.difference)}
                for gap in result.dearer_in
            ],
            "assumptions": [
                {
                    "name": name,
                    "recommended": None if other.chosen is None else other.chosen.name,
                    "holds": result.holds_under(other),
                }
                for name, other in self.elsewhere.items()
            ],
            "excluded": dict(result.excluded),
            "not_tried": dict(self.not_tried),
        }

    def _more(self, cost: Metric, protocol: ProtocolSummary) -> Difference | None:
        """Return the difference of a cost between a protocol and the chosen protocol."""
        chosen = self.recommendation.chosen
        return None if chosen is None else difference(cost.value(protocol), cost.value(chosen))

    @property
    def headline(self) -> str:
        """The recommendation as a sentence."""
        return f"{capitalized(self._headline())}."

    def _headline(self) -> str:
        result = self.recommendation
        order = f"of the protocols that claim {result.requirements.order}"
        if result.chosen is None:
            return f"recommended: none {order}"
        count = counted(result.replications, "replication")
        confidence = f" (low confidence: {count})" if result.replications < MIN_REPLICATIONS else ""
        return f"recommended{confidence}: {result.chosen.name}, {order}"

    def _reasons(self) -> Iterator[str]:
        result = self.recommendation
        if result.chosen is not None:
            yield self._based_on()
        yield from (f"not measured in any run: {cost.label}" for cost in result.costs if cost not in result.measured)
        yield from (f"zero for all protocols: {cost.label}" for cost in result.measured if cost not in result.nonzero)
        if not result.measured:
            return
        if len(result.front) < len(result.ranks):
            yield f"Pareto-optimal: {', '.join(_names(result.front)) or 'none for certain'}"
        for rank in result.undecided:
            yield f"{rank.protocol.name} is {rank.text}"
        for step in result.eliminations:
            unit = step.cost.unit(result.tried)
            lowest = f"{without_unit(step.cost.value(step.cheapest), unit)} {unit.name}"
            cheapest = f"{step.cost.label}: {step.cheapest.name} is lowest, {lowest}"
            same = [protocol.name for protocol in step.kept if protocol is not step.cheapest]
            within = f"; not clearly higher by more than {step.cost.margin_text}: {', '.join(same)}"
            yield f"{cheapest}{within}" if same else cheapest
        if len(result.ties) > 1:
            first = result.ties[0].name
            why = f"{first} has the lowest {result.nonzero[0].label}" if result.nonzero else f"{first} is the first"
            yield f"tied in all costs: {', '.join(_names(result.ties))}; {why}"

    def _assumptions(self) -> Iterator[str]:
        """Yield under which other assumptions the recommendation holds, and what is recommended under the others."""
        holding = [name for name, other in self.elsewhere.items() if self.recommendation.holds_under(other)]
        if holding:
            yield f"it holds under other assumptions: {', '.join(holding)}"
        for name, other in self.elsewhere.items():
            if name not in holding:
                instead = "no protocol" if other.chosen is None else other.chosen.name
                yield f"it turns with {name}: {instead} instead{self._margin(other)}"

    def _margin(self, other: Recommendation) -> str:
        """Return the first cost in which the recommended protocol is worse under other assumptions, and by how much."""
        chosen, better = self.recommendation.chosen, other.chosen
        if chosen is None or better is None:
            return ""
        same = (each for each in other.tried if without_location(each.name) == without_location(chosen.name))
        if (here := next(same, None)) is None:
            return ""
        for cost in other.nonzero:
            gap = difference(cost.value(here), cost.value(better))
            if gap is not None and gap.decisive:
                unit = cost.unit(other.tried)
                return f" ({here.name}: {difference_text(gap, unit)} {unit.name} of {cost.label})"
        return ""

    def _based_on(self) -> str:
        count = self.recommendation.replications
        sent = max(protocol.counts["messages"] // protocol.runs for protocol in self.recommendation.candidates)
        based = f"based on {counted(count, 'replication')} of {counted(sent, 'message')}"
        if count == 1:
            return f"{based}: without intervals, any difference may be due to chance"
        if count >= MIN_REPLICATIONS:
            return based
        half, usual = (f"{student_t(size - 1):.1f}" for size in (count, MIN_REPLICATIONS))
        wide = f"intervals are ± {half} standard errors (± {usual} with {MIN_REPLICATIONS} replications)"
        return f"{based}: {wide}, and may hide differences"

    def _gaps(self) -> Iterator[str]:
        for gap in self.recommendation.dearer_in:
            unit = gap.metric.unit(self.recommendation.tried)
            text = f"{gap.metric.label}: {difference_text(gap.difference, unit)} {unit.name}"
            yield f"{text} compared with {gap.protocol.name}"
        if not self.recommendation.dearer_in:
            yield "none"

    def _not_chosen(self) -> Iterator[str]:
        yield from (f"excluded: {name}: {reason}" for name, reason in self.recommendation.excluded.items())
        yield from (f"not tried: {name}: {reason}" for name, reason in self.not_tried.items())

    def _table(self, chosen: ProtocolSummary) -> list[list[str]]:
        """Return a row for each tried protocol: the costs of the chosen protocol, and the differences of the others."""
        result = self.recommendation
        units = [(cost, cost.unit(result.tried)) for cost in result.costs]
        ranks = {rank.protocol.name: rank.text for rank in result.ranks if not rank.on_front}
        rows = [["protocol", *(cost.heading(unit) for cost, unit in units), ""]]
        rows.append([chosen.name, *(without_unit(cost.value(chosen), unit) for cost, unit in units), ""])
        for each in result.others:
            gaps = [(self._more(cost, each), unit) for cost, unit in units]
            cells = [NONE if gap is None else difference_text(gap, unit) for gap, unit in gaps]
            rows.append([each.name, *cells, ranks.get(each.name, "")])
        return rows


def recommendation(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    costs: Sequence[Metric],
    requirements: Requirements,
    not_tried: Mapping[str, str],
) -> RecommendationReport:
    """Summarize a sweep, and recommend one of the protocols at its first point. The other points are the same scenario
    under other assumptions.
    """

    def result(summary: SweepSummary) -> RecommendationReport:
        base, *others = [
            ("".join(map(str, point)), recommend(protocols, costs, requirements))
            for point, protocols in under_assumptions(summary.points)
        ]
        return RecommendationReport(summary, base[1], not_tried, dict(others))

    def render(summary: SweepSummary) -> str:
        trade_offs = tuple(dict.fromkeys((*costs, METRICS["header_bytes"])))
        found = result(summary)
        return page(one_point(summary.points[0][1]), trade_offs, [found.section()], [found.headline])

    return result(summarize_sweep(directory, master, report=report, progress=progress, page=render, events=False))


def _names(protocols: Sequence[ProtocolSummary]) -> list[str]:
    return [protocol.name for protocol in protocols]


def _better_elsewhere(chosen: ProtocolSummary) -> str:
    return f"metrics in which another candidate is significantly better than {chosen.name}"
