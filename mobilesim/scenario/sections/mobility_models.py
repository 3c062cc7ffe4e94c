"""The settings of the models by which hosts move, one section for each."""

from collections.abc import Iterator, Mapping
from math import inf
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field

from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import MANY, Chance, Flag, Length, Speed, Time, Times, Whole, setting
from mobilesim.scenario.values.plane_fields import Shift, TrackFile
from mobilesim.scenario.values.validation_error import Fault

_MOMENT: Final = 1_000_000

Pace = Annotated[Speed, Field(gt=0)]
Span = Annotated[Time, Field(gt=0)]
Distance = Annotated[Length, Field(gt=0)]
Exponent = Annotated[float, Field(strict=True, gt=0, le=10, allow_inf_nan=False)]
Degrees = Annotated[float, Field(strict=True, ge=0, le=360, allow_inf_nan=False)]
Scale = Annotated[float, Field(strict=True, gt=0, le=1e6, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=0, le=1e9, allow_inf_nan=False)]
Point = tuple[Length, Length]


class Crossing(Section):
    check: Span = setting("1 s", "How often a host compares how far the stations are.")
    hysteresis: Length = setting(
        "0 m", "By how much the nearest station must be nearer than the host's own before it changes to that cell."
    )


class Paced(Section):
    min_speed: Pace = setting("1 m/s", "The least speed; all between that and the greatest are equally likely.")
    max_speed: Pace = setting("2 m/s", "The greatest speed.")

    def faults(self) -> Iterator[Fault]:
        if self.min_speed > self.max_speed:
            said = f"the least speed, {self.min_speed:g} m/s, is more than the greatest, {self.max_speed:g} m/s"
            yield Fault(f"{said}; write less", ("min_speed",))


class Pausing(Paced):
    pause: Times = setting("0 s", "How long a host stays where it has arrived.")

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.pause.mean == inf:
            yield Fault("pauses without a mean never come to a steady state; write a shape above 1", ("pause",))


class Trips(Section):
    rest: Times = setting("exponential 60 s", "How long a host stays in the cell that it has travelled to.")
    passage: Times = setting("exponential 10 s", "How long it stays in each cell on the way.")
    preferences: tuple[Weight, ...] | None = setting(
        None,
        "How often each cell is travelled to, compared with the others: one number for each; unless given, all equally "
        "often.",
        examples=[[5, 1, 1, 1, 1, 1, 1, 1, 1]],
    )
    matrix: tuple[tuple[Weight, ...], ...] | None = setting(
        None,
        "The same for each cell that a host comes from: as many rows, each with one number for each cell.",
        examples=[[[0, 1], [1, 0]]],
    )

    def faults(self) -> Iterator[Fault]:
        if self.rest.mean == 0 and self.passage.mean == 0:
            yield Fault("hosts that never stay would travel forever at one instant; write more than 0 s", ("rest",))
        if self.preferences is not None and self.matrix is not None:
            yield Fault("preferences are the same for every row of a matrix; write one of the two", ("matrix",))
        elif self.matrix is not None:
            yield from self._rows()
        elif self.preferences is not None and sum(weight > 0 for weight in self.preferences) < 2:
            yield Fault("hosts need two cells to travel between; write two numbers above 0 or more", ("preferences",))

    def _rows(self) -> Iterator[Fault]:
        size = len(self.matrix or ())
        for place, row in enumerate(self.matrix or ()):
            if len(row) != size:
                yield Fault(f"{len(row)} numbers in a matrix of {size} rows; write {size}", ("matrix", place))
            elif not any(weight > 0 for other, weight in enumerate(row) if other != place):
                yield Fault(f"nothing leads out of cell {place}; write a number above 0 for another", ("matrix", place))

    def misfits(self, cells: int) -> Iterator[Fault]:
        for key in ("preferences", "matrix"):
            given = getattr(self, key)
            if given is not None and len(given) != cells:
                noun = "rows" if key == "matrix" else "numbers"
                yield Fault(f"{len(given)} {noun} for {cells} cells; write one for each", ("trips", key))


class Waypoint(Pausing):
    pass


class GaussMarkov(Section):
    memory: Chance = setting(
        0.85, "What of speed and direction stays from one step to the next: 0 forgets all, 1 keeps all."
    )
    speed: Speed = setting("1.5 m/s", "The mean speed.")
    deviation: Speed = setting("0.3 m/s", "The standard deviation of the speed; a host never walks backwards.")
    turn: Degrees = setting(45.0, "The standard deviation of the direction from its mean, in degrees.")
    step: Span = setting("1 s", "How long a host keeps speed and direction.")
    margin: Length = setting("50 m", "How close to the edge of the plane the mean direction turns inwards.")


class Levy(Section):
    exponent: Exponent = setting(
        1.5, "Of flights: longer than x are x to the power of minus this, up to where the lengths are cut off."
    )
    min_flight: Distance = setting("10 m", "The length of the shortest flights.")
    max_flight: Distance = setting("1 km", "The length of the longest flights.")
    speed: Pace = setting("1 m/s", "The speed of the shortest flights.")
    speed_exponent: Chance = setting(
        0.0, "By which power of its length a flight is faster: 0: all are alike; 1: all take the same time."
    )
    pause_exponent: Exponent = setting(1.0, "The exponent of pauses, as of flights.")
    min_pause: Span = setting("1 s", "The shortest pauses.")
    max_pause: Span = setting("5 min", "The longest pauses.")

    def faults(self) -> Iterator[Fault]:
        if self.min_flight > self.max_flight:
            yield Fault("the shortest flight is longer than the longest; write less", ("min_flight",))
        if self.min_pause > self.max_pause:
            yield Fault("the shortest pause is longer than the longest; write less", ("min_pause",))


class Manhattan(Pausing):
    block: Distance = setting("100 m", "The distance between two streets.")
    turn: Chance = setting(0.5, "How likely a host turns at a crossing, to the left as often as to the right.")
    pause: Times = setting("0 s", "How long a host waits at a crossing.")


class Group(Pausing):
    size: Annotated[Whole, Field(ge=1, le=MANY)] = setting(
        5, "How many hosts a group has: the first so many are one, the next so many another."
    )
    radius: Length = setting("50 m", "How far members are from their leader at most.")
    step: Span = setting("10 s", "How often a member draws a new place beside the leader.")
    pause: Times = setting("0 s", "How long a leader stays where it has arrived.")


class Commuter(Paced):
    min_speed: Pace = setting("5 m/s", "The least speed; all between that and the greatest are equally likely.")
    max_speed: Pace = setting("15 m/s", "The greatest speed.")
    day: Span = setting("24 h", "How long a day is.")
    start_time: Time = setting("7 h", "The time of the day when the scenario begins.")
    morning: Time = setting("7 h", "When hosts begin to leave home.")
    evening: Time = setting("16 h", "When they begin to leave work.")
    rush: Time = setting("1 h", "How long after that the last one leaves.")
    downtown: Length | None = setting(
        None,
        "All work is at most so far from the middle of the plane; unless given, anywhere.",
        examples=["200 m"],
    )

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.start_time >= self.day:
            yield Fault("a scenario begins within the day; write less than the day", ("start_time",))
        if self.morning + self.rush > self.evening:
            yield Fault("the evening begins before the rush hour of the morning is over; write more", ("evening",))
        if self.evening + self.rush > self.day:
            yield Fault("the rush hour of the evening does not end within the day; write less", ("evening",))


class Hotspot(Pausing):
    centre: Point | None = setting(
        None, "The middle of the hot spot; unless given, that of the plane.", examples=[["250 m", "250 m"]]
    )
    radius: Length = setting("50 m", "How far from its middle it reaches.")
    attraction: Chance = setting(0.5, "How many of the places that hosts go to are in the hot spot.")

    def faults(self) -> Iterator[Fault]:
        yield from super().faults()
        if self.radius == 0 and self.attraction == 1 and self.pause.mean < _MOMENT:
            said = "a hot spot that is a point leaves hosts that do not pause for 1 ms nowhere to go; write more"
            yield Fault(said, ("radius",))


class Stampede(Paced):
    min_speed: Pace = setting("4 m/s", "The least speed; all between that and the greatest are equally likely.")
    max_speed: Pace = setting("8 m/s", "The greatest speed.")
    centre: Point | None = setting(
        None, "Where they make for; unless given, the middle of the plane.", examples=[["250 m", "250 m"]]
    )
    radius: Length = setting("50 m", "How far from there they stop at most.")
    start_time: Time = setting("30 s", "When they hear of it.")
    reaction: Times = setting("exponential 5 s", "How long each takes to set out.")
    share: Chance = setting(1.0, "How likely a host takes part; the others stay at home.")
    stay: Times = setting("60 s", "How long each stays there, before it goes home.")
    interval: Span | None = setting(
        None, "From one such moment to the next; unless given, there is one.", examples=["5 min"]
    )


class Track(Section):
    file: TrackFile | None = setting(
        None,
        "What `mobilesim convert-track` reads: ns-2, BonnMotion, ONE, SUMO FCD, GPX, CSV or Parquet. A node that is "
        "absent is disconnected.",
        examples=["track.csv"],
    )
    order: Literal["appearance", "name"] = setting(
        "appearance", "Which nodes are host 0, 1, ...: as they appear in the file, or by name. What is left is ignored."
    )
    degrees: Flag = setting(
        False, "Whether places in a SUMO file are longitudes and latitudes; other files say so themselves."
    )
    start_time: Time = setting("0 s", "The moment of the file at which the scenario begins.")
    scale: Scale = setting(1.0, "What lengths of the file are multiplied by.")
    shift: tuple[Shift, Shift] = setting(
        ("0 m", "0 m"), "What is then added, to the east and to the north.", examples=[["-500 m", "250 m"]]
    )

    def faults(self) -> Iterator[Fault]:
        if self.file is None:
            yield Fault("a track needs a file; write 'track: {file: track.csv}'", ("file",))


class Model(NamedTuple):
    """A mobility model: its section, None if it has none, and what the section's help says after `For model 'x': `."""

    section: type[Section] | None
    description: str
    on_plane: bool = True
    example: Mapping[str, object] | None = None


MODELS: Final = {
    "cell-jump": Model(None, "a host dwells in a cell, then jumps to another", on_plane=False),
    "static": Model(None, "hosts never leave their first cell", on_plane=False),
    "trips": Model(Trips, "from cell to cell, through the cells between", on_plane=False),
    "waypoint": Model(Waypoint, "straight to places drawn at random"),
    "gauss-markov": Model(GaussMarkov, "speed and direction change little by little"),
    "levy": Model(Levy, "many short flights, and now and then a long one"),
    "manhattan": Model(Manhattan, "along the streets of a grid"),
    "group": Model(Group, "around a virtual leader"),
    "commuter": Model(Commuter, "from home to work, and back in the evening"),
    "hotspot": Model(Hotspot, "as 'waypoint', but many of the places are close to a single one"),
    "stampede": Model(Stampede, "all make for one place at one moment"),
    "track": Model(Track, "as a file says", example={"file": "track.csv"}),
}
"""All mobility models by name. A model takes a row here, and a module `mobilesim/world/mobility/models/NAME.py`."""

ON_PLANE: Final = tuple(name for name, model in MODELS.items() if model.on_plane)
"""The models whose hosts have coordinates on a plane."""

SECTIONS: Final = {name: name.replace("-", "_") for name, model in MODELS.items() if model.section is not None}
"""The key of each model's section."""
