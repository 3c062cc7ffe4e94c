"""A recommendation as text, as JSON and as a section of the report, computed from a results directory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from analysis.decisions.pareto_text import footer, interval
from analysis.decisions.recommendation import (
    ENOUGH,
    TOLERANCE,
    Exclusion,
    Reason,
    Recommendation,
    Requirements,
    recommend,
)
from analysis.pipeline.summarize import summarize_sweep
from analysis.report.page_template import Section, capitalized, listed
from analysis.report.sweep_page import page
from analysis.report.tables import table
from analysis.statistics.paired_differences import Difference, difference
from analysis.summary.formatting import NONE, Unit
from analysis.summary.metrics import METRICS, Metric
from analysis.summary.model import ProtocolSummary
from analysis.sweeps.metrics import without_unit
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.text import Aligned
from analysis.sweeps.variants import difference_text
from mobilesim.results.location import Location
from mobilesim.statistics.intervals import student_t

_INDENT: Final = "  "
_DIFFERENCES: Final = "candidates, and how much more each costs [95 % interval, by pairs of runs]"


@dataclass(frozen=True, slots=True)
class RecommendationReport:
    """A recommendation, the results behind it, and why other protocols were not tried."""

    summary: SweepSummary
    recommendation: Recommendation
    not_tried: Mapping[str, str]

    @property
    def sound(self) -> bool:
        return self.summary.sound

    def lines(self, width: int | None, aligned: Aligned) -> list[str]:
        return list(self._lines(width, aligned))

    def _lines(self, width: int | None, aligned: Aligned) -> Iterator[str]:
        chosen = self.recommendation.chosen
        yield self._headline()
        yield from (f"{_INDENT}{line}" for line in self._reasons())
        if chosen is not None:
            yield from ("", _DIFFERENCES)
            narrow = None if width is None else width - len(_INDENT)
            yield from (f"{_INDENT}{line}".rstrip() for line in aligned(self._table(chosen), (), narrow))
            yield from ("", _better_elsewhere(chosen))
            yield from (f"{_INDENT}{line}" for line in self._gaps())
        yield ""
        yield from self._not_chosen()
        yield from footer(self.summary)

    def section(self) -> Section:
        chosen = self.recommendation.chosen
        parts = [listed(self._reasons())]
        if chosen is not None:
            head, *rows = ([f"{name}\n{rank}".rstrip(), *cells] for name, *cells, rank in self._table(chosen))
            two_lines = ([cell.replace("], ", "]\n") for cell in row] for row in rows)
            parts += [f"<p>{capitalized(_DIFFERENCES)}:</p>", table(head, two_lines)]
            parts += [f"<p>{escape(capitalized(_better_elsewhere(chosen)))}:</p>", listed(self._gaps())]
        parts.append(listed(self._not_chosen()))
        return Section("Recommendation", sentence=f"{capitalized(self._headline())}.", body="\n".join(parts))

    def document(self) -> dict[str, Any]:
        """Return the JSON document."""
        found, report = self.recommendation, self.summary.report
        return {
            "results": str(self.summary.directory),
            "scenario": self.summary.name,
            "recommended": None if found.chosen is None else found.chosen.name,
            "order": found.requirements.order,
            "replications": found.replications,
            "pareto_front": _names(found.front),
            "dominated_by": {rank.protocol.name: rank.dominated_by for rank in found.ranks if not rank.on_front},
            "ties": _names(found.ties),
            "eliminations": [
                {
                    "cost": step.cost.label,
                    "cheapest": step.cheapest.name,
                    "kept": _names(step.kept),
                    "dropped": _names(step.dropped),
                }
                for step in found.eliminations
            ],
            "costs_more": self._costs_more(),
            "dearer_in": [
                {"metric": gap.metric.label, "protocol": gap.protocol.name, "difference": interval(gap.difference)}
                for gap in found.dearer_in
            ],
            "excluded": {name: self._why(exclusion) for name, exclusion in found.excluded.items()},
            "not_tried": dict(self.not_tried),
            "sound": self.sound,
            "report": None if report is None else str(report),
        }

    def _costs_more(self) -> list[dict[str, Any]]:
        found = self.recommendation
        if found.chosen is None:
            return []
        return [
            {
                "protocol": protocol.name,
                **{
                    cost.label: interval(difference(cost.value(protocol), cost.value(found.chosen)))
                    for cost in found.costs
                },
            }
            for protocol in found.tried
            if protocol is not found.chosen
        ]

    def _headline(self) -> str:
        found = self.recommendation
        order = f"of the protocols that claim {found.requirements.order}"
        if found.chosen is None:
            return f"recommended: none {order}"
        few = "1 replication" if found.replications == 1 else f"{found.replications} replications"
        confidence = f" (low confidence: {few})" if found.replications < ENOUGH else ""
        return f"recommended{confidence}: {found.chosen.name}, {order}"

    def _reasons(self) -> Iterator[str]:
        found = self.recommendation
        if found.chosen is not None:
            yield self._based_on()
        yield from (f"not measured in any run: {cost.label}" for cost in found.costs if cost not in found.measured)
        yield from (f"zero for all protocols: {cost.label}" for cost in found.measured if cost not in found.nonzero)
        if not found.measured:
            return
        if len(found.front) < len(found.ranks):
            yield f"Pareto-optimal: {', '.join(_names(found.front))}; the others are dominated"
        for step in found.eliminations:
            cheapest = f"{step.cost.label}: {step.cheapest.name} is lowest, {self._mean(step.cost, step.cheapest)}"
            same = [protocol.name for protocol in step.kept if protocol is not step.cheapest]
            within = f"; not significantly higher, or by less than {100 * TOLERANCE:.0f} %: {', '.join(same)}"
            yield f"{cheapest}{within}" if same else cheapest
        if len(found.ties) > 1:
            first = found.ties[0].name
            why = f"{first} has the lowest {found.nonzero[0].label}" if found.nonzero else f"{first} is the first"
            yield f"tied in all costs: {', '.join(_names(found.ties))}; {why}"

    def _based_on(self) -> str:
        count = self.recommendation.replications
        sent = max(protocol.counts["messages"] // protocol.runs for protocol in self.recommendation.candidates)
        if count == 1:
            alone = f"based on one replication of {sent:,} messages, which has no interval"
            return f"{alone}: a lower mean counts as lower, and may be so by chance"
        based = f"based on {count} replications of {sent:,} messages"
        if count >= ENOUGH:
            return based
        few, enough = (f"{student_t(size - 1):.1f}" for size in (count, ENOUGH))
        return f"{based}: intervals are ± {few} standard errors (± {enough} with {ENOUGH}), and may hide differences"

    def _gaps(self) -> list[str]:
        gaps = [
            f"{gap.metric.label}: {self._with_unit(gap.metric, gap.difference)} compared with {gap.protocol.name}"
            for gap in self.recommendation.dearer_in
        ]
        return gaps or ["none"]

    def _not_chosen(self) -> Iterator[str]:
        excluded = self.recommendation.excluded.items()
        yield from (f"excluded: {name}: {self._why(exclusion)}" for name, exclusion in excluded)
        yield from (f"not tried: {name}: {reason}" for name, reason in self.not_tried.items())

    def _why(self, exclusion: Exclusion) -> str:
        needs = self.recommendation.requirements
        match exclusion.reason:
            case Reason.INCORRECT:
                return "it violated what it claims"
            case Reason.CLAIMS_LESS:
                return f"it claims no {needs.order}"
            case Reason.LONG_HEADER:
                return f"its mean header is {exclusion.header:,.0f} B, more than {needs.max_header:,.0f} B"
            case Reason.NO_DATA:
                return f"its runs have no {exclusion.missing.label if exclusion.missing else 'data'}"

    def _table(self, chosen: ProtocolSummary) -> list[list[str]]:
        """Return a row for each tried protocol: the chosen one with its costs, the others with the differences."""
        found = self.recommendation
        units = [(cost, cost.unit(found.tried)) for cost in found.costs]
        ranks = {rank.protocol.name: rank.text for rank in found.ranks if not rank.on_front}
        head = ["protocol", *(cost.heading(unit) for cost, unit in units), ""]
        own = [chosen.name, *(without_unit(cost.value(chosen), unit) for cost, unit in units), ""]
        others = (protocol for protocol in found.tried if protocol is not chosen)
        rows = (
            [
                protocol.name,
                *(_more(cost, unit, protocol, chosen) for cost, unit in units),
                ranks.get(protocol.name, ""),
            ]
            for protocol in others
        )
        return [head, own, *rows]

    def _mean(self, cost: Metric, protocol: ProtocolSummary) -> str:
        unit = cost.unit(self.recommendation.tried)
        return f"{without_unit(cost.value(protocol), unit)} {unit.name}"

    def _with_unit(self, cost: Metric, gap: Difference) -> str:
        unit = cost.unit(self.recommendation.tried)
        return f"{difference_text(gap, unit)} {unit.name}"


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
    """Summarize a sweep of one point, and recommend one of its protocols."""

    def of(summary: SweepSummary) -> RecommendationReport:
        return RecommendationReport(summary, recommend(summary.points[0][1].protocols, costs, requirements), not_tried)

    def drawn(summary: SweepSummary) -> str:
        return page(
            summary, trade_offs=tuple(dict.fromkeys((*costs, METRICS["header_bytes"]))), first=[of(summary).section()]
        )

    return of(summarize_sweep(directory, master, report=report, progress=progress, page=drawn))


def _names(protocols: Sequence[ProtocolSummary]) -> list[str]:
    return [protocol.name for protocol in protocols]


def _more(cost: Metric, unit: Unit, one: ProtocolSummary, chosen: ProtocolSummary) -> str:
    gap = difference(cost.value(one), cost.value(chosen))
    return NONE if gap is None else difference_text(gap, unit)


def _better_elsewhere(chosen: ProtocolSummary) -> str:
    return f"metrics in which another candidate is significantly better than {chosen.name}"
