"""The points of a sweep: a scenario for every valid combination of values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mobilesim.errors import UserError
from mobilesim.results.layout import VARIANT
from mobilesim.scenario.loader import all_faults
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sweeps.axes import Axis, Value, amount
from mobilesim.scenario.sweeps.sweep_file import Sweep

Values = Mapping[str, Value]
Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """`settings`: the overrides of the scenario, by key. `label`: the values as the user has written them."""

    label: Mapping[str, str]
    settings: Settings
    scenario: Scenario

    @property
    def text(self) -> str:
        return json.dumps(dict(self.label), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class InvalidPoint:
    """Values that are valid alone, but not together."""

    label: Mapping[str, str]
    error: str


@dataclass(frozen=True, slots=True)
class Grid:
    points: tuple[Point, ...]
    left_out: tuple[InvalidPoint, ...]


def label_text(label: Mapping[str, str]) -> str:
    """Return the label as text, such as `hosts=20, mobility.dwell=5 s`."""
    return ", ".join(f"{key}={value}" for key, value in label.items()) or "the only point"


def build_grid(sweep: Sweep) -> Grid:
    """Return the points, without invalid ones. Raise a UserError for a value that is invalid at all points."""
    axes = [_endpoints(axis) for axis in sweep.axes] if sweep.quick and sweep.design.is_grid else sweep.axes
    if sweep.refine is not None:
        axes = [_refined(sweep, axes[0])]
    points: list[Point] = []
    invalid: list[tuple[Values, tuple[str, ...]]] = []
    for values in _combinations(axes):
        try:
            settings = tuple((key, value.setting) for key, value in values.items())
            points.append(Point(_label(values), settings, _scenario(sweep, values)))
        except UserError as error:
            invalid.append((values, error.messages))
    _raise_for_wrong_values(sweep, points, invalid)
    left_out = tuple(InvalidPoint(_label(values), first) for values, (first, *_) in invalid)
    return Grid(tuple(_distinct_points(sweep, points)), left_out)


def scenario_at(sweep: Sweep, settings: Settings) -> Scenario:
    return _scenario(sweep, {key: Value(setting, setting, ()) for key, setting in settings})


def _endpoints(axis: Axis) -> Axis:
    if axis.keys == (VARIANT,):
        return axis
    return Axis(axis.keys, tuple(dict.fromkeys((axis.values[0], axis.values[-1]))))


def _refined(sweep: Sweep, axis: Axis) -> Axis:
    """Return the axis with the values that refinement has added, in order."""
    values = [value for (value,) in axis.values] + list(sweep.added_values)
    numbers = {value.setting: found.number for value in values if (found := amount(value.setting)) is not None}
    return Axis(axis.keys, tuple((value,) for value in sorted(values, key=lambda value: numbers[value.setting])))


def _combinations(axes: Sequence[Axis]) -> list[Values]:
    parts = [[dict(zip(axis.keys, values, strict=True)) for values in axis.values] for axis in axes]
    return [{key: value for part in chosen for key, value in part.items()} for chosen in product(*parts)]


def _scenario(sweep: Sweep, values: Values) -> Scenario:
    scenario = sweep.scenario(values)
    if not (scenario.trace and scenario.oracle):
        raise UserError(f"{sweep.source}: its scenario turns off the trace or the oracle; the summary needs both")
    return scenario.shortened() if sweep.quick else scenario


def _label(values: Values) -> dict[str, str]:
    return {key: value.text for key, value in values.items()}


def _raise_for_wrong_values(
    sweep: Sweep, points: Sequence[Point], invalid: Sequence[tuple[Values, tuple[str, ...]]]
) -> None:
    """Raise a UserError with all faults of values that are invalid at all points. Each fault is stated once."""
    if not points and not sweep.design.is_grid:
        invalid = invalid[:1]  # the other points have the same fault, with other values of the same ranges
    possible = {setting for point in points for setting in point.settings}
    possible |= {(sweep.refine.axis, value.setting) for value in sweep.added_values} if sweep.refine else set()
    continuous = sweep.continuous
    without = _faults_without(sweep) if invalid else ()
    lines: dict[str, str] = {}
    for values, messages in invalid:
        wrong = [key for key, value in values.items() if (key, value.setting) not in possible and key not in continuous]
        if not wrong and points:
            continue
        for message in messages:
            placed = message.startswith(f"{sweep.source}:") or (bool(sweep.variants) and message.startswith("--"))
            same = not values or message in without or placed
            line = message if same else f"{sweep.source}: with {label_text(_label(values))}: {message}"
            lines.setdefault(message, line)
    if lines:
        raise all_faults(lines.values(), sweep.source)


def _faults_without(sweep: Sweep) -> tuple[str, ...]:
    """Return the faults of the scenario without the values that vary."""
    try:
        sweep.scenario()
    except UserError as error:
        return error.messages
    return ()


def _distinct_points(sweep: Sweep, points: Sequence[Point]) -> list[Point]:
    """Raise a UserError if two points are equal. With --quick, merge them: without it, their durations may differ."""
    point_of_run: dict[tuple[str, str], Point] = {}
    for point in points:
        runs = [(point.scenario.hash, choice.label) for choice in point.scenario.protocols]
        repeated = [run for run in runs if run in point_of_run]
        if repeated and not (sweep.quick and repeated == runs):
            both = f"{label_text(point_of_run[repeated[0]].label)}, and {label_text(point.label)}"
            under = "" if repeated == runs else f" under {repeated[0][1]}"
            raise UserError(f"{sweep.source}: two points are the same scenario{under}: {both}; leave one of them out")
        if not repeated:
            point_of_run |= dict.fromkeys(runs, point)
    return list({id(point): point for point in point_of_run.values()}.values())
