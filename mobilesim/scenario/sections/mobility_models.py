"""The mobility models, and the sections of their settings. The settings of 'cell-jump' are keys of `mobility`.

Another package may declare further models (`mobilesim.extensions`).
"""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from mobilesim.errors import counted
from mobilesim.extensions.resolution import Extension, Kind, find
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import (
    Chance,
    Count,
    Flag,
    InputFile,
    Length,
    Shift,
    Speed,
    Time,
    Times,
    file_schema,
    optional,
    setting,
)
from mobilesim.scenario.values.validation_error import Fault

Pace = Annotated[Speed, Field(gt=0)]
Span = Annotated[Time, Field(gt=0)]
Distance = Annotated[Length, Field(gt=0)]
Exponent = Annotated[float, Field(strict=True, gt=0, le=10, allow_inf_nan=False)]
Degrees = Annotated[float, Field(strict=True, ge=0, le=360, allow_inf_nan=False)]
Scale = Annotated[float, Field(strict=True, gt=0, le=1e6, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=0, le=1e9, allow_inf_nan=False)]
Point = tuple[Length, Length]


class Crossing(Section):
    check: Span = setting("1 s", "The interval at which a host compares the distances to stations.")
    hysteresis: Length = setting(
        "0 m",
        "A host changes to the cell of the nearest station if this station is nearer than the station of its present "
        "cell by more than this distance.",
    )


class Paced(Section):
    min_speed: Pace = setting("1 m/s", "The minimum speed; speeds are uniform between the minimum and the maximum.")
    max_speed: Pace = setting("2 m/s", "The maximum speed.")

    def faults(self) -> Iterator[Fault]:
        if self.min_speed > self.max_speed:
            fault = f"the minimum speed, {self.min_speed:g} m/s, is more than the maximum, {self.max_speed:g} m/s"
            yield Fault(f"{fault}; write less", ("min_speed",))


class Pausing(Paced):
    pause: Times = setting("0 s", "The time that a host stays at each destination.")

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.pause.mean == inf:
            yield Fault("pauses without a finite mean have no steady state; write a shape above 1", ("pause",))


class Trips(Section):
    rest: Times = setting("exponential 60 s", "The time that a host stays in the destination cell of a trip.")
    passage: Times = setting("exponential 10 s", "The time that a host stays in each cell on the way.")
    preferences: tuple[Weight, ...] | None = optional(
        "The relative weight of each cell as a destination, one number for each cell; by default, all are equal.",
        [5, 1, 1, 1, 1, 1, 1, 1, 1],
    )
    matrix: tuple[tuple[Weight, ...], ...] | None = optional(
        "The weights of destinations by starting cell: one row for each cell, with one number for each cell.",
        [[0, 1], [1, 0]],
    )

    def faults(self) -> Iterator[Fault]:
        if self.rest.mean == 0 and self.passage.mean == 0:
            yield Fault("with stays of 0 s, simulated time would never advance; write more than 0 s", ("rest",))
        if self.preferences is not None and self.matrix is not None:
            yield Fault("a matrix replaces preferences; write only one of the two", ("matrix",))
        elif self.matrix is not None:
            yield from self._matrix_faults()
        elif self.preferences is not None and sum(weight > 0 for weight in self.preferences) < 2:
            yield Fault("trips need two destinations; write at least two numbers above 0", ("preferences",))

    def _matrix_faults(self) -> Iterator[Fault]:
        size = len(self.matrix or ())
        for place, row in enumerate(self.matrix or ()):
            if len(row) != size:
                message = f"{counted(len(row), 'number')} in a matrix of {counted(size, 'row')}; write {size}"
                yield Fault(message, ("matrix", place))
            elif not any(weight > 0 for other, weight in enumerate(row) if other != place):
                yield Fault(f"no trip leaves cell {place}; write a number above 0 for another cell", ("matrix", place))

    def size_faults(self, cells: int) -> Iterator[Fault]:
        for key in ("preferences", "matrix"):
            given = getattr(self, key)
            if given is not None and len(given) != cells:
                noun = "rows" if key == "matrix" else "numbers"
                yield Fault(f"{len(given)} {noun} for {cells} cells; write one for each", (key,))


class Waypoint(Pausing):
    pass


class GaussMarkov(Section):
    memory: Chance = setting(0.85, "The correlation of speed and direction between steps: 0: independent; 1: constant.")
    speed: Speed = setting("1.5 m/s", "The mean speed.")
    deviation: Speed = setting("0.3 m/s", "The standard deviation of the speed; negative speeds count as 0.")
    turn: Degrees = setting(45.0, "The standard deviation of the direction, in degrees.")
    step: Span = setting("1 s", "The time for which a host keeps its speed and direction.")
    margin: Length = setting("50 m", "The distance from the plane's edge at which the mean direction turns inwards.")


class Levy(Section):
    exponent: Exponent = setting(
        1.5, "The exponent a of flight lengths: P(length > x) is proportional to x ** -a, up to the longest flight."
    )
    min_flight: Distance = setting("10 m", "The length of the shortest flights.")
    max_flight: Distance = setting("1 km", "The length of the longest flights.")
    speed: Pace = setting("1 m/s", "The speed of the shortest flights.")
    speed_exponent: Chance = setting(
        0.0, "The speed of a flight grows with this power of its length: 0: constant speed; 1: constant duration."
    )
    pause_exponent: Exponent = setting(1.0, "The exponent of pause lengths.")
    min_pause: Span = setting("1 s", "The length of the shortest pauses.")
    max_pause: Span = setting("5 min", "The length of the longest pauses.")

    def faults(self) -> Iterator[Fault]:
        if self.min_flight > self.max_flight:
            yield Fault("the shortest flight is longer than the longest; write less", ("min_flight",))
        if self.min_pause > self.max_pause:
            yield Fault("the shortest pause is longer than the longest; write less", ("min_pause",))


class Manhattan(Pausing):
    block: Distance = setting("100 m", "The distance between two streets.")
    turn: Chance = setting(0.5, "The probability that a host turns at a crossing, left or right equally likely.")
    pause: Times = setting("0 s", "The time that a host waits at a crossing.")


class Group(Pausing):
    size: Count = setting(5, "The number of hosts in a group; groups consist of consecutive hosts.")
    radius: Length = setting("50 m", "The largest distance of members from their leader.")
    step: Span = setting("10 s", "The interval at which a member draws a new position near the leader.")
    pause: Times = setting("0 s", "The time that a leader stays at each destination.")


class Commuter(Paced):
    min_speed: Pace = setting("5 m/s", "The minimum speed; speeds are uniform between the minimum and the maximum.")
    max_speed: Pace = setting("15 m/s", "The maximum speed.")
    day: Span = setting("24 h", "The length of a day.")
    start_time: Time = setting("7 h", "The time of day at which the scenario begins.")
    morning: Time = setting("7 h", "The time of day at which the first hosts leave home.")
    evening: Time = setting("16 h", "The time of day at which the first hosts leave work.")
    rush: Time = setting("1 h", "The time between the first and the last departure.")
    downtown: Length | None = optional(
        "The largest distance of workplaces from the middle of the plane; by default, unlimited.", "200 m"
    )

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.start_time >= self.day:
            yield Fault("the scenario must begin within the day; write less than 'day'", ("start_time",))
        if self.morning + self.rush > self.evening:
            yield Fault("the evening begins before the morning's rush hour ends; write more", ("evening",))
        if self.evening + self.rush > self.day:
            yield Fault("the rush hour of the evening does not end within the day; write less", ("evening",))


class Hotspot(Pausing):
    centre: Point | None = optional("The centre of the hot spot; by default, the plane's centre.", ["250 m", "250 m"])
    radius: Length = setting("50 m", "The radius of the hot spot.")
    attraction: Chance = setting(0.5, "The share of destinations that are in the hot spot.")

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.radius == 0 and self.attraction == 1 and self.pause.mean < 1_000_000:
            message = "with a radius of 0 m and pauses below 1 ms, simulated time would hardly advance; write more"
            yield Fault(message, ("radius",))


class Stampede(Paced):
    min_speed: Pace = setting("4 m/s", "The minimum speed; speeds are uniform between the minimum and the maximum.")
    max_speed: Pace = setting("8 m/s", "The maximum speed.")
    centre: Point | None = optional("The meeting point; by default, the centre of the plane.", ["250 m", "250 m"])
    radius: Length = setting("50 m", "The largest distance from the meeting point at which hosts stop.")
    start_time: Time = setting("30 s", "The time of the first stampede.")
    reaction: Times = setting("exponential 5 s", "The reaction time of each host.")
    share: Chance = setting(1.0, "The probability that a host takes part; the others stay at home.")
    stay: Times = setting("60 s", "The time that a host stays at the meeting point before it goes home.")
    interval: Span | None = optional("The time between two stampedes; by default, there is only one.", "5 min")


class Track(Section):
    file: Annotated[InputFile, file_schema("a file of movement", "track.csv")] | None = optional(
        "A movement file: ns-2, BonnMotion, ONE, SUMO FCD, GPX, CSV or Parquet. A host is disconnected while its node "
        "is absent.",
        "track.csv",
    )
    order: Literal["appearance", "name"] = setting(
        "appearance",
        "The order in which nodes become hosts 0, 1, ...: by appearance in the file, or by name. Surplus nodes are "
        "ignored.",
    )
    degrees: Flag = setting(False, "Whether positions in a SUMO file are longitudes and latitudes.")
    start_time: Time = setting("0 s", "The time in the file at which the scenario begins.")
    scale: Scale = setting(1.0, "The factor by which lengths in the file are multiplied.")
    shift: tuple[Shift, Shift] = setting(
        ("0 m", "0 m"), "The shift of scaled positions, to the east and to the north.", ["-500 m", "250 m"]
    )

    def faults(self) -> Iterator[Fault]:
        if self.file is None:
            yield Fault("a track needs a file; write 'track: {file: track.csv}'", ("file",))


class MobilityRow(NamedTuple):
    """A mobility model: its section (None if it has none), and its description in help texts."""

    section: type[Section] | None
    description: str
    on_plane: bool = True
    examples: tuple[Mapping[str, object], ...] = ()


MODELS: Final = {
    "cell-jump": MobilityRow(None, "a host dwells in a cell, then jumps to another", on_plane=False),
    "static": MobilityRow(None, "hosts never leave their first cell", on_plane=False),
    "trips": MobilityRow(Trips, "trips to other cells, through the cells between", on_plane=False),
    "waypoint": MobilityRow(Waypoint, "hosts move straight to random positions"),
    "gauss-markov": MobilityRow(GaussMarkov, "speed and direction change gradually"),
    "levy": MobilityRow(Levy, "many short flights and a few long ones"),
    "manhattan": MobilityRow(Manhattan, "hosts move along the streets of a grid"),
    "group": MobilityRow(Group, "groups of hosts move around a virtual leader"),
    "commuter": MobilityRow(Commuter, "hosts move from home to work, and back in the evening"),
    "hotspot": MobilityRow(Hotspot, "like 'waypoint', with many destinations in one area"),
    "stampede": MobilityRow(Stampede, "hosts move to one position at the same time"),
    "track": MobilityRow(Track, "hosts move as recorded in a file", examples=({"file": "track.csv"},)),
}
"""All mobility models by name. A model needs a row here, and a module `mobilesim/world/mobility/models/NAME.py`."""


def outside_model(name: str) -> Extension | None:
    """Return the model of this name that another package declares, or None."""
    return None if name in MODELS else find(Kind.MOBILITY, name)


def mobility_row(name: str) -> MobilityRow:
    """Return the row of a shipped model, or of a model of another package."""
    if (found := outside_model(name)) is None:
        return MODELS[name]
    row: MobilityRow = found.row
    return row


ON_PLANE: Final = tuple(name for name, model in MODELS.items() if model.on_plane)

SECTIONS: Final = {name: name.replace("-", "_") for name, model in MODELS.items() if model.section is not None}

_NAMES: Final = {model.section: name for name, model in MODELS.items() if model.section is not None}


def whole_section(value: object) -> object:
    """Return the section `mobility` for the settings of a model, such as a `Waypoint`; other values unchanged."""
    if not isinstance(value, Section) or type(value) not in _NAMES:
        return value
    name = _NAMES[type(value)]
    return {"model": name, SECTIONS[name]: value}
