"""The refinement of a sweep: which value is added next to its axis, and which values a directory has already."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from mobilesim.experiments.sweep.plan import Configuration, Plan, make_plan
from mobilesim.experiments.sweep.stopping_rule import StoppingRule
from mobilesim.results.layout import MANIFEST
from mobilesim.results.location import Location
from mobilesim.results.sweeps.manifest import read_manifests
from mobilesim.scenario.sweeps.axes import amount
from mobilesim.scenario.sweeps.refine import Refine, amounts, middle
from mobilesim.scenario.sweeps.sweep_file import Sweep
from mobilesim.statistics.crossings import next_point
from mobilesim.statistics.intervals import interval_of_difference


def plan_in(directory: Location, sweep: Sweep, *, fresh: bool = False) -> Plan:
    """Return the plan of a sweep, with the values that an earlier refinement in this directory has added. `fresh`:
    whether the directory will be emptied.
    """
    plan, refine = make_plan(sweep), sweep.refine
    if refine is None:
        return plan
    return plan if fresh or not (directory / MANIFEST).is_dir() else _with(plan, _added_in(directory, sweep, refine))


def _added_in(directory: Location, sweep: Sweep, refine: Refine) -> tuple[Fraction, ...]:
    manifests = read_manifests(directory)
    records = [*manifests.records, *(record for pack in manifests.packs for record in pack.runs)]
    initial = amounts(sweep.factors[0]) or []
    known = {each.number for each in initial}
    added = set()
    for text in {record.point.get(refine.axis) for record in records if tuple(record.point) == (refine.axis,)}:
        found = amount(text)
        if found is not None and found.kind == initial[0].kind and min(known) < found.number < max(known):
            added.add(found.number)
    return tuple(sorted(added - known))


def refined(plan: Plan, rule: StoppingRule) -> Plan | None:
    """Return the plan with one more value; None if the search has ended, or if no more runs may be added."""
    refine = plan.sweep.refine
    if refine is None:
        return None
    if refine.runs is not None:
        each = len({configuration.index for configuration in plan.configurations}) * plan.replications.at_least
        if (len(plan.sweep.added) + 1) * each > refine.runs:
            return None
    factor = plan.sweep.factors[0]
    found = next_point(signs(plan, refine, rule), refine.width, lambda low, high: middle(factor, low, high))
    return None if found is None else _with(plan, tuple(sorted((*plan.sweep.added, found))))


def signs(plan: Plan, refine: Refine, rule: StoppingRule) -> Mapping[Fraction, int]:
    """Return the sign of the paired difference at each value: 0 if its 95 % interval contains zero."""
    by_value: dict[Fraction, dict[str, Configuration]] = {number: {} for number in plan.sweep.added}
    for each in plan.configurations:
        found = amount(dict(each.point.settings)[refine.axis])
        if found is not None:
            by_value.setdefault(found.number, {})[each.protocol] = each
    return {number: _sign(at, refine, rule) for number, at in by_value.items()}


def _sign(at: Mapping[str, Configuration], refine: Refine, rule: StoppingRule) -> int:
    if not set(refine.protocols) <= at.keys():
        return 0
    left, right = (at[name] for name in refine.protocols)
    ones: list[float] = []
    others: list[float] = []
    for number in range(min(rule.needed(left.run), rule.needed(right.run))):
        runs = left.run(number), right.run(number)
        if all(map(rule.store.done, runs)):
            one, other = (rule.value(run, refine.metric) for run in runs)
            if one is not None and other is not None:
                ones.append(one)
                others.append(other)
    if len(ones) < 2:
        return 0
    found = interval_of_difference(ones, others)
    return found.above_zero - found.below_zero


def _with(plan: Plan, added: tuple[Fraction, ...]) -> Plan:
    return make_plan(replace(plan.sweep, added=added)) if added != plan.sweep.added else plan
