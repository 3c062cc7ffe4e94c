"""The effects of variants: one sentence for each variant, and a table of its significant differences from the base."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.analysis.statistics.estimate import Difference, difference
from mobilesim.analysis.summary.formatting import NONE, Unit, listing, number, share, signed
from mobilesim.analysis.summary.metrics import METRICS, VARIANT_METRICS, Better, Metric
from mobilesim.analysis.sweeps.variants import Comparison
from mobilesim.results.layout import VARIANT

_METRICS: Final = (METRICS["delay"], METRICS["host.energy"], METRICS["bytes"], METRICS["host.died"])
"""The metrics of the sentences."""
_PER_RUN: Final = " per run"
"""The unit of counts of things, which cost nothing themselves."""
_SMALL: Final = 0.01
"""The fraction of the base up to which an effect is not worth a sentence."""
_LARGE: Final = 2.0
"""The ratio from which an increase is given as a multiple of the base."""
_ALIKE: Final = "≈"


@dataclass(frozen=True, slots=True)
class _Effect:
    """A significant difference. `relative`: the difference divided by the mean of the base, or None if this is zero."""

    comparison: Comparison
    gap: Difference
    relative: float | None


def sentences(comparisons: Sequence[Comparison]) -> list[str]:
    """Return the effect of each variant, over all protocols and points at which it is compared with the base."""
    variants = dict.fromkeys(comparison.variant for comparison in comparisons)
    return [_sentence(name, [each for each in comparisons if each.variant == name]) for name in variants]


def _sentence(variant: str, comparisons: Sequence[Comparison]) -> str:
    common, mixed = list[str](), list[str]()
    for metric in _METRICS:
        effects = [effect for each in comparisons if (effect := _effect(metric, each)) is not None]
        signs = {effect.gap.mean > 0 for effect in effects}
        if len(effects) == len(comparisons) and len(signs) == 1:
            common.append(_common(metric, effects))
        elif effects:
            mixed.append(_mixed(metric, effects, len(comparisons)))
    common.sort(key=lambda text: not text.startswith("saves"))
    labels = listing([metric.label for metric in _METRICS[:3]])
    parts = [listing(common), *mixed] if common else mixed
    return f"'{variant}' {'; '.join(parts) or f'has no significant effect on {labels}'}."


def _effect(metric: Metric, comparison: Comparison) -> _Effect | None:
    """Return the difference; None if it is not significant, or small."""
    base = metric.value(comparison.right)
    gap = difference(metric.value(comparison.left), base)
    if gap is None or not gap.significant:
        return None
    relative = gap.mean / base.mean if base.mean else None
    return None if relative is not None and abs(relative) <= _SMALL else _Effect(comparison, gap, relative)


def _common(metric: Metric, effects: Sequence[_Effect]) -> str:
    """Return an effect that has one sign in all comparisons: `saves 60 to 63 % of energy per delivery`."""
    saves = (effects[0].gap.mean < 0) is not (metric.better is Better.MORE)
    amounts, relatives = _amounts(metric, effects), _relatives(effects)
    if amounts.endswith(_PER_RUN):
        return f"{'avoids' if saves else 'causes'} {amounts.removesuffix(_PER_RUN)} {metric.label}{_PER_RUN}"
    if saves:
        return f"saves {relatives or amounts} of {metric.label}"
    what = metric.label.removeprefix("bytes ") if metric is METRICS["bytes"] else f"of {metric.label}"
    return f"costs {amounts} {what}{f' ({relatives} more)' if relatives else ''}"


def _mixed(metric: Metric, effects: Sequence[_Effect], compared: int) -> str:
    """Return the text on a metric with different effects in several comparisons."""
    texts = []
    for effect in effects:
        unit = metric.scale.unit(effect.gap.mean)
        amount = f"{signed(effect.gap.mean / unit.size)} {unit.name}".rstrip()
        texts.append(f"{amount} with {column(effect.comparison)}")
    rest = compared - len(effects)
    others = f"no significant effect in {rest} of {compared} comparisons" if rest else ""
    return f"has different effects on {metric.label}: {', '.join(filter(None, [*texts[:4], others]))}"


def column(comparison: Comparison) -> str:
    """Return the protocols and the settings of a comparison, without its variant."""
    left, right = comparison.left.name, comparison.right.name
    names = left if left == right else f"{left} instead of {right}"
    varied = zip(comparison.keys, comparison.point, strict=True)
    return ", ".join([names, *(f"{key} {value}" for key, value in varied if key != VARIANT)])


def _amounts(metric: Metric, effects: Sequence[_Effect]) -> str:
    sizes = sorted(abs(effect.gap.mean) for effect in effects)
    unit = metric.scale.unit(sizes[-1])
    low, high = (number(size / unit.size) for size in (sizes[0], sizes[-1]))
    return f"{low if low == high else f'{low} to {high}'} {unit.name}".rstrip()


def _relatives(effects: Sequence[_Effect]) -> str:
    known = sorted(abs(effect.relative) for effect in effects if effect.relative is not None)
    if not known:
        return ""
    low, high = share(known[0]), share(known[-1])
    return high if low == high else f"{low.removesuffix(' %')} to {high}"


def table_rows(comparisons: Sequence[Comparison]) -> Iterator[list[str]]:
    """Yield a row for each metric with an effect: in each comparison, the difference and its ratio to the base."""
    for metric in VARIANT_METRICS:
        gaps = [difference(metric.value(each.left), metric.value(each.right)) for each in comparisons]
        known = [gap for gap in gaps if gap is not None and gap.decisive]
        if any(gap.mean for gap in known):
            unit = metric.scale.common_unit(max(abs(gap.mean) for gap in known))
            bases = (metric.value(comparison.right).mean for comparison in comparisons)
            cells = (_cell(gap, base, unit) for gap, base in zip(gaps, bases, strict=True))
            yield [metric.heading(unit), *cells]


def _cell(gap: Difference | None, base: float | None, unit: Unit) -> str:
    if gap is None:
        return NONE
    if not gap.decisive:
        return _ALIKE
    absolute = signed(gap.mean / unit.size)
    if not base or not gap.mean:
        return absolute
    ratio = 1 + gap.mean / base
    return f"{absolute} ({f'x {number(ratio)}' if ratio >= _LARGE else f'{signed(100 * (ratio - 1))} %'})"
