"""Which protocol to take: of those on the frontier the one that costs least in what matters most, and its price."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any, Final

from analysis.pipeline import sweep_summary
from analysis.report.sweep_page import page
from analysis.report.tables import table
from analysis.statistics.paired_differences import Difference, difference
from analysis.summary.formatting import Unit
from analysis.summary.metrics import METRICS, VARIANT_METRICS, Better, Metric
from analysis.summary.model import Correctness, ProtocolSummary, Summary
from analysis.sweeps.metrics import Points, all_protocols, without_unit
from analysis.sweeps.model import SweepSummary
from analysis.sweeps.ranking import Rank, rank_competitors, why_unusable
from analysis.sweeps.text import Aligned, crashes, verdicts
from analysis.sweeps.variants import difference_text
from mobilesim.results.location import Location
from mobilesim.statistics.intervals import student_t

_INDENT: Final = "  "
_TRIED: Final = "what is tried, and how much more it costs [with its 95 % interval, by pairs of runs]"
_LITTLE: Final = 0.01
_ENOUGH: Final = 5
"""Replications, for advice without reserve."""


@dataclass(frozen=True, slots=True)
class Step:
    """By one cost: who has the least of it, and of whom nobody that is left has clearly less, by more than 1 %.

    The others are out.
    """

    cost: Metric
    least: ProtocolSummary
    level: tuple[ProtocolSummary, ...]
    out: tuple[ProtocolSummary, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """Of one scenario. `costs`: what matters, the first one most. `most_header`: in bytes, on the mean. `claim_less`:
    who is tried for comparison, and claims less than is needed.
    """

    summary: SweepSummary
    costs: tuple[Metric, ...]
    needs: str
    most_header: float | None
    not_tried: Mapping[str, str]
    claim_less: Collection[str] = ()

    @property
    def sound(self) -> bool:
        return self.summary.sound

    @property
    def _point(self) -> Summary:
        return self.summary.points[0][1]

    @property
    def known(self) -> tuple[Metric, ...]:
        """Those of the costs that runs have, be it nothing."""
        return tuple(
            cost for cost in self.costs if any(cost.value(each).replications for each in self._point.protocols)
        )

    @property
    def paid(self) -> tuple[Metric, ...]:
        """Those of which there is something."""
        return tuple(cost for cost in self.costs if any(cost.value(each).mean for each in self._point.protocols))

    @property
    def refused(self) -> dict[str, str]:
        """Who was tried and is no choice, and why."""
        found = {}
        for each in self._point.protocols:
            header = each["header_bytes"].mean
            if each.correctness is Correctness.INCORRECT:
                found[each.name] = "it broke what it claims"
            elif each.name in self.claim_less:
                found[each.name] = f"it claims no {self.needs}"
            elif self.most_header is not None and header is not None and header > self.most_header:
                found[each.name] = f"its header has {header:,.0f} B on the mean, more than {self.most_header:,.0f} B"
            elif reason := why_unusable(each, self.paid):
                found[each.name] = reason
        return found

    @property
    def _choice(self) -> list[ProtocolSummary]:
        return [each for each in self._point.protocols if each.name not in self.refused]

    @property
    def replications(self) -> int:
        """Of the protocol that has the fewest of what matters; those that broke did not finish theirs."""
        found = (len(cost.value(each).replications) for cost in self.known for each in self._choice)
        return min(filter(None, found), default=0)

    @property
    def standings(self) -> list[Rank]:
        """Of those that are a choice, by all that matters at once."""
        return rank_competitors(self._choice, self.paid)

    @property
    def steps(self) -> list[Step]:
        """Whom another one beats by all that matters is left out from the start."""
        left = tuple(each.protocol for each in self.standings if each.on_front)
        found: list[Step] = []
        for cost in self.paid:
            if len(left) > 1:
                least = min(left, key=partial(_amount, cost))
                level = tuple(one for one in left if one is least or not any(_clear(cost, one, each) for each in left))
                found.append(Step(cost, least, level, tuple(each for each in left if each not in level)))
                left = level
        return found

    @property
    def alike(self) -> tuple[ProtocolSummary, ...]:
        """Of whom no cost tells any two apart; the first is recommended, which has the least of what matters most."""
        steps = self.steps
        left = steps[-1].level if steps else tuple(each.protocol for each in self.standings if each.on_front)
        return tuple(sorted(left, key=partial(_amount, self.paid[0]))) if self.paid else left

    @property
    def recommended(self) -> ProtocolSummary | None:
        """Nobody, where runs have none of all that matters: as a rule, because nothing was delivered."""
        return next(iter(self.alike), None) if self.known else None

    @property
    def dearer(self) -> list[tuple[ProtocolSummary, Metric, Difference]]:
        """In what others are clearly better than the one that is recommended: the least of each mean."""
        chosen = self.recommended
        if chosen is None:
            return []
        others = [each for each in self._choice if each is not chosen]
        found = []
        for cost in VARIANT_METRICS:
            gaps = [(each, cost, gap) for each in others if (gap := difference(cost.value(chosen), cost.value(each)))]
            sign = -1 if cost.better is Better.MORE else 1
            better = [found for found in gaps if found[2].significant and sign * found[2].mean > 0]
            found += sorted(better, key=lambda each: -sign * each[2].mean)[:1]
        return found

    def lines(self, width: int | None, aligned: Aligned) -> list[str]:
        return list(self._lines(width, aligned))

    def section(self) -> str:
        """Of the report."""
        chosen = self.recommended
        parts = [f"<h2>Advice</h2>\n<p><strong>{escape(self._head())}</strong></p>", _listed(self._why())]
        if chosen is not None:
            head, *rows = ([f"{name}\n{by}".rstrip(), *cells] for name, *cells, by in self._table(chosen))
            small = ([cell.replace("], ", "]\n") for cell in row] for row in rows)
            parts += [f"<p>{_TRIED}:</p>", table(head, small)]
            parts += [f"<p>What {escape(chosen.name)} costs elsewhere:</p>", _listed(self._elsewhere())]
        return "\n".join([*parts, _listed(self._others())])

    def _head(self) -> str:
        chosen = self.recommended
        reserve = ", with reserve" if chosen is not None and self.replications < _ENOUGH else ""
        name = "none of them" if chosen is None else chosen.name
        return f"recommended{reserve}: {name}, of those that claim {self.needs}"

    def _lines(self, width: int | None, aligned: Aligned) -> Iterator[str]:
        points, chosen = self.summary.points, self.recommended
        yield self._head()
        yield from (f"{_INDENT}{line}" for line in self._why())
        if chosen is not None:
            yield from ("", _TRIED)
            narrow = None if width is None else width - len(_INDENT)
            yield from (f"{_INDENT}{line}".rstrip() for line in aligned(self._table(chosen), (), narrow))
            yield from ("", f"what {chosen.name} costs elsewhere")
            yield from (f"{_INDENT}{line}" for line in self._elsewhere())
        yield ""
        yield from self._others()
        yield from verdicts(self.summary.keys, points, self.summary.failures)
        yield from crashes(self.summary.keys, self.summary.failures)
        if self.summary.report is not None:
            yield f"report: {self.summary.report}"

    def _elsewhere(self) -> list[str]:
        points = self.summary.points
        dearer = [f"{cost.label}: {_spent(gap, cost, points)} over {each.name}" for each, cost, gap in self.dearer]
        return dearer or ["nothing: nobody is clearly better in any mean"]

    def _others(self) -> Iterator[str]:
        yield from (f"no choice: {name}: {reason}" for name, reason in self.refused.items())
        yield from (f"not tried: {name}: {reason}" for name, reason in self.not_tried.items())

    def _rests(self) -> str:
        """Intervals of few replications hold much."""
        count = self.replications
        sent = max(each.messages // each.runs for each in self._choice)
        rests = f"it rests on {count} replications of {sent:,} messages"
        if count >= _ENOUGH:
            return rests
        if count == 1:
            alone = f"it rests on one replication of {sent:,} messages, which has no interval"
            return f"{alone}: what is less in it is taken for less, and may be so by chance"
        few, enough = (f"{student_t(each - 1):.1f}" for each in (count, _ENOUGH))
        wide = f"intervals are {few} standard errors either way (with {_ENOUGH}, {enough})"
        return f"{rests}: {wide}, and hide differences that more of them would show"

    def _why(self) -> Iterator[str]:
        points = self.summary.points
        if self.recommended is not None:
            yield self._rests()
        yield from (f"no run has any {cost.label}" for cost in self.costs if cost not in self.known)
        yield from (f"nobody pays with {cost.label} here" for cost in self.known if cost not in self.paid)
        if not self.known:
            return
        on = [each.protocol.name for each in self.standings if each.on_front]
        if len(on) < len(self.standings):
            yield f"on the frontier of what matters: {', '.join(on)}; the others are beaten"
        for step in self.steps:
            least = f"{step.cost.label}: {step.least.name} has the least, {_mean(step.least, step.cost, points)}"
            same = [each.name for each in step.level if each is not step.least]
            yield f"{least}; nobody has clearly less, by more than 1 %, than {', '.join(same)}" if same else least
        chosen, *alike = [each.name for each in self.alike] or [""]
        if alike:
            first = f"{chosen} has the least {self.paid[0].label} of them" if self.paid else f"{chosen} is the first"
            yield f"alike in all that matters, as far as can be told: {chosen}, {', '.join(alike)}; {first}"

    def _table(self, chosen: ProtocolSummary) -> list[list[str]]:
        points = self.summary.points
        units = [cost.unit(all_protocols(points)) for cost in self.costs]
        head = ["protocol", *(cost.heading(unit) for cost, unit in zip(self.costs, units, strict=True)), ""]
        own = [
            chosen.name,
            *(without_unit(cost.value(chosen), unit) for cost, unit in zip(self.costs, units, strict=True)),
            "",
        ]
        by = {each.protocol.name: each.text for each in self.standings if not each.on_front}
        others = [
            [
                each.name,
                *(_more(cost, each, chosen, unit) for cost, unit in zip(self.costs, units, strict=True)),
                by.get(each.name, ""),
            ]
            for each in self._point.protocols
            if each is not chosen
        ]
        return [head, own, *others]

    def document(self) -> dict[str, Any]:
        chosen, report = self.recommended, self.summary.report
        others = [each for each in self._point.protocols if each is not chosen]
        return {
            "results": str(self.summary.directory),
            "scenario": self.summary.name,
            "recommended": None if chosen is None else chosen.name,
            "needs": self.needs,
            "replications": self.replications,
            "frontier": [each.protocol.name for each in self.standings if each.on_front],
            "beaten_by": {each.protocol.name: each.dominated_by for each in self.standings if not each.on_front},
            "alike": [each.name for each in self.alike],
            "steps": [
                {"cost": step.cost.label, "least": step.least.name, "level": [each.name for each in step.level]}
                for step in self.steps
            ],
            "costs_more": [
                {"protocol": each.name, **{cost.label: _ends(cost, each, chosen) for cost in self.costs}}
                for each in (others if chosen is not None else [])
            ],
            "elsewhere": [
                {"mean": cost.label, "protocol": each.name, "more": _ends_of(gap)} for each, cost, gap in self.dearer
            ],
            "no_choice": self.refused,
            "not_tried": dict(self.not_tried),
            "sound": self.sound,
            "report": None if report is None else str(report),
        }


def _clear(cost: Metric, one: ProtocolSummary, other: ProtocolSummary) -> bool:
    """Whether it has more. Pairs of runs tell apart what nobody would choose by."""
    gap = difference(cost.value(one), cost.value(other))
    return gap is None or (gap.decisive and gap.mean > _LITTLE * _amount(cost, other))


def _amount(cost: Metric, of: ProtocolSummary) -> float:
    return cost.value(of).mean or 0.0


def _listed(lines: Iterable[str]) -> str:
    entries = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{entries}</ul>" if entries else ""


def _more(cost: Metric, one: ProtocolSummary, chosen: ProtocolSummary, unit: Unit) -> str:
    gap = difference(cost.value(one), cost.value(chosen))
    return "-" if gap is None else difference_text(gap, unit)


def _spent(gap: Difference, shown: Metric, points: Points) -> str:
    unit = shown.unit(all_protocols(points))
    return f"{difference_text(gap, unit)} {unit.name}"


def _mean(protocol: ProtocolSummary, cost: Metric, points: Points) -> str:
    unit = cost.unit(all_protocols(points))
    return f"{without_unit(cost.value(protocol), unit)} {unit.name}"


def _ends(cost: Metric, one: ProtocolSummary, chosen: ProtocolSummary | None) -> dict[str, float | None] | None:
    return None if chosen is None else _ends_of(difference(cost.value(one), cost.value(chosen)))


def _ends_of(gap: Difference | None) -> dict[str, float | None] | None:
    return None if gap is None else {"mean": gap.mean, "low": gap.low, "high": gap.high}


def advice(
    directory: Location,
    master: str | None = None,
    *,
    report: bool = True,
    progress: Callable[[str], None] = lambda _: None,
    costs: Sequence[Metric],
    needs: str,
    most_header: float | None = None,
    not_tried: Mapping[str, str],
    claim_less: Collection[str] = (),
) -> Advice:
    """Of a sweep of one point, whose protocols are what is to be chosen from."""
    drawn = (*costs, METRICS["header_bytes"]) if METRICS["header_bytes"] not in costs else tuple(costs)

    def of(summary: SweepSummary) -> Advice:
        return Advice(summary, tuple(costs), needs, most_header, not_tried, claim_less)

    def drawing(summary: SweepSummary) -> str:
        return page(summary, drawn, of(summary).section())

    return of(sweep_summary.summarise(directory, master, report=report, progress=progress, page=drawing))
