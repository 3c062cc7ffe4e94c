"""How hosts move, and when they disconnect."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pydantic import model_validator

from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.mobility_models import (
    Commuter,
    Crossing,
    GaussMarkov,
    Group,
    Hotspot,
    Levy,
    Manhattan,
    Stampede,
    Track,
    Trips,
    Waypoint,
)
from mobilesim.scenario.values.fields import Chance, Times, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.sections.cells import Cells

_OnPlane = Literal[
    "waypoint",
    "gauss-markov",
    "levy",
    "manhattan",
    "group",
    "commuter",
    "hotspot",
    "stampede",
    "track",
]
Model = Literal["cell-jump", "static", "trips", _OnPlane]

ON_PLANE: Final[tuple[str, ...]] = get_args(_OnPlane)
"""The models whose hosts are somewhere on a plane."""

SECTIONS: Final = {model: model.replace("-", "_") for model in ("trips", *ON_PLANE)}
"""Where the settings of each are."""

_OF_CELLS: Final = {
    "dwell": ("cell-jump", "static"),
    "next": ("cell-jump", "static"),
    "start": ("cell-jump", "static", "trips"),
}
"""Keys that not all models have."""

_ON_LEAVING: Final = ("gap", "disconnect")
"""Keys that say nothing where nobody leaves a cell. They have always been written of all models."""


class Disconnect(Section):
    probability: Chance = setting(
        0.0,
        "How likely a host that leaves a cell disconnects instead of crossing to the next. It comes back into the same "
        "cell or any of those that it could have crossed to, all with equal chances; on a plane, where it has walked "
        "meanwhile.",
    )
    duration: Times = setting("exponential 10 s", "How long it stays away.")
    policy: Literal["store", "drop"] = setting(
        "store",
        "What becomes of messages for it meanwhile: 'store': its station keeps them; 'drop': it says that it is going, "
        "and from then on its station gives up what it could have sent down, until the host is back.",
    )


class Mobility(Section):
    model: Model = setting(
        "cell-jump",
        "'cell-jump': a host dwells in a cell, then jumps to another; 'static': it never leaves its first; 'trips': it "
        "travels from cell to cell. On a plane, and in cells that have a place there: 'waypoint', 'gauss-markov', "
        "'levy', 'manhattan', 'group', 'commuter', 'hotspot', 'stampede', or a 'track' from a file.",
    )
    dwell: Times = setting("exponential 10 s", "How long a host stays in a cell, for 'cell-jump'.")
    next: Literal["neighbour", "uniform"] = setting(
        "neighbour",
        "Where it goes: 'neighbour': to a cell that touches; 'uniform': to any other. A host that was disconnected "
        "may come back where it was, too.",
    )
    gap: Times = setting("0 s", "How long it is out of reach between leaving a cell and entering the next.")
    disconnect: Disconnect = setting({}, "Hosts that switch off for a while.")
    start: Literal["random", "spread"] = setting(
        "random", "The first cells: drawn at random, or dealt out evenly; not on a plane."
    )
    crossing: Crossing | None = setting(None, "How hosts on a plane change cells.")
    trips: Trips | None = setting(None, "For model 'trips': from cell to cell, through the cells between.")
    waypoint: Waypoint | None = setting(None, "For model 'waypoint': straight to places drawn at random.")
    gauss_markov: GaussMarkov | None = setting(
        None, "For model 'gauss-markov': speed and direction change little by little."
    )
    levy: Levy | None = setting(None, "For model 'levy': many short flights, and now and then a long one.")
    manhattan: Manhattan | None = setting(None, "For model 'manhattan': along the streets of a grid.")
    group: Group | None = setting(None, "For model 'group': around a leader who is no host.")
    commuter: Commuter | None = setting(None, "For model 'commuter': from home to work, and back in the evening.")
    hotspot: Hotspot | None = setting(
        None, "For model 'hotspot': as 'waypoint', but many of the places are close to a single one."
    )
    stampede: Stampede | None = setting(None, "For model 'stampede': all make for one place at one moment.")
    track: Track | None = setting(None, "For model 'track': as a file says.", examples=[{"file": "track.csv"}])

    @model_validator(mode="before")
    @classmethod
    def _own(cls, raw: object) -> object:
        """What a model has unless somebody says otherwise."""
        model = raw.get("model") if isinstance(raw, Mapping) else None
        if not isinstance(model, str) or not isinstance(raw, Mapping):
            return raw
        keys = [SECTIONS[model]] if model in SECTIONS else []
        keys += ["crossing"] if model in ON_PLANE else []
        return {**raw, **{key: {} for key in keys if raw.get(key) is None}}

    def unwritten(self) -> set[str]:
        """What belongs to other models."""
        return {key for key in type(self).model_fields if not self._has(key)}

    @property
    def on_plane(self) -> bool:
        return self.model in ON_PLANE

    @property
    def walk(self) -> Any:  # noqa: ANN401 - each model's own section
        return getattr(self, SECTIONS[self.model])

    @property
    def looks(self) -> Crossing:
        """How hosts on a plane change cells."""
        return self.crossing or Crossing()

    def _has(self, key: str) -> bool:
        if key == "crossing":
            return self.on_plane
        if key in SECTIONS.values():
            return SECTIONS.get(self.model) == key
        return self.model in _OF_CELLS.get(key, (self.model,))

    def faults(self) -> Iterator[Fault]:
        if self.model == "cell-jump" and self.dwell.mean == 0:
            yield Fault(
                "hosts that dwell for no time would jump forever at one instant; write more than 0 s", ("dwell",)
            )
        for key in type(self).model_fields:
            if key in self.model_fields_set and getattr(self, key) is not None and not self._has(key):
                yield self._stranger(key)
        if self.model == "static":
            said = "hosts that never leave a cell have no use for it; write 'model: cell-jump', or leave it out"
            yield from (Fault(said, (key,)) for key in _ON_LEAVING if self.wanted(key))

    def _stranger(self, key: str) -> Fault:
        owners = [model for model, section in SECTIONS.items() if section == key] or _OF_CELLS.get(key, ON_PLANE)
        named = " or ".join(f"'model: {owner}'" for owner in owners[:2])
        return Fault(f"model '{self.model}' has no such thing; write {named}, or leave it out", (key,))


def faults(mobility: Mobility, cells: "Cells") -> Iterator[Fault]:
    """What these cells do not let hosts do, as far as the scenario alone can tell."""
    if mobility.on_plane and cells.shape == "graph":
        message = f"'{mobility.model}' needs cells that have places; write 'shape: grid', 'hex' or 'sites' below cells"
        yield Fault(message, ("mobility", "model"))
    if cells.wanted("radius") and not mobility.on_plane and cells.shape != "graph":
        said = f"hosts of model '{mobility.model}' are at no place that could be out of reach"
        yield Fault(f"{said}; write a model on a plane, like 'model: waypoint', or leave it out", ("cells", "radius"))
    if cells.count == 1 and not mobility.on_plane and mobility.model != "static":
        yield Fault("a single cell leaves nowhere to go; write more cells, or 'mobility: {model: static}'", ("cells",))
    if mobility.trips is not None and cells.count is not None:
        yield from (Fault(fault.message, ("mobility", *fault.below)) for fault in mobility.trips.misfits(cells.count))
