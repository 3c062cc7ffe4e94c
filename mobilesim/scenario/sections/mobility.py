"""How hosts move, and when they disconnect."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import create_model, model_validator

from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.mobility_models import MODELS, ON_PLANE, SECTIONS, Crossing, Trips
from mobilesim.scenario.values.fields import Chance, Times, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.sections.cells import Cells

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
        "The probability that a host leaving a cell disconnects instead of entering the next. It reconnects in the "
        "same cell or in one that it could have entered, all equally likely; on a plane, where it has moved to.",
    )
    duration: Times = setting("exponential 10 s", "How long it stays disconnected.")
    policy: Literal["store", "drop"] = setting(
        "store",
        "Messages for a disconnected host: 'store': its station keeps them; 'drop': the host announces that it leaves, "
        "and until it is back its station discards the messages that it would have sent to it.",
    )


class _Mobility(Section):
    """The keys of all models, without the sections of single ones."""

    model: str = "cell-jump"
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
    def model_settings(self) -> Any:  # noqa: ANN401 - each model's own section
        return getattr(self, SECTIONS[self.model])

    @property
    def cell_crossing(self) -> Crossing:
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
            yield from (Fault(said, (key,)) for key in _ON_LEAVING if self.changed(key))

    def _stranger(self, key: str) -> Fault:
        owners = [model for model, section in SECTIONS.items() if section == key] or _OF_CELLS.get(key, ON_PLANE)
        named = " or ".join(f"'model: {owner}'" for owner in owners[:2])
        return Fault(f"model '{self.model}' has no such thing; write {named}, or leave it out", (key,))


def _fields() -> Iterator[tuple[str, tuple[Any, Any]]]:
    cells = "; ".join(f"'{name}': {model.description}" for name, model in MODELS.items() if not model.on_plane)
    planes = ", ".join(map(repr, ON_PLANE))
    help_text = f"{cells}. On a plane, and in cells that have a place there: {planes}."
    yield "model", (Literal[tuple(MODELS)], setting("cell-jump", help_text))
    for name, key in SECTIONS.items():
        section: Any = MODELS[name].section
        examples = {"examples": [MODELS[name].example]} if MODELS[name].example else {}
        yield key, (section | None, setting(None, f"For model '{name}': {MODELS[name].description}.", **examples))


if TYPE_CHECKING:

    class Mobility(_Mobility):
        trips: Trips | None

else:
    Mobility = create_model("Mobility", __base__=_Mobility, __module__=__name__, **dict(_fields()))


def faults(mobility: Mobility, cells: "Cells") -> Iterator[Fault]:
    """What these cells do not let hosts do, as far as the scenario alone can tell."""
    if mobility.on_plane and cells.shape == "graph":
        message = f"'{mobility.model}' needs cells that have places; write 'shape: grid', 'hex' or 'sites' below cells"
        yield Fault(message, ("mobility", "model"))
    if cells.changed("radius") and not mobility.on_plane and cells.shape != "graph":
        said = f"hosts of model '{mobility.model}' are at no place that could be out of reach"
        yield Fault(f"{said}; write a model on a plane, like 'model: waypoint', or leave it out", ("cells", "radius"))
    if cells.count == 1 and not mobility.on_plane and mobility.model != "static":
        yield Fault("a single cell leaves nowhere to go; write more cells, or 'mobility: {model: static}'", ("cells",))
    if mobility.trips is not None and cells.count is not None:
        yield from (Fault(fault.message, ("mobility", *fault.below)) for fault in mobility.trips.misfits(cells.count))
