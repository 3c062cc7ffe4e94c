"""The mobility of hosts: the model, disconnections and changes of cell."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import create_model, model_validator

from mobilesim.protocols import catalogue
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.mobility_models import MODELS, ON_PLANE, SECTIONS, Crossing, Trips
from mobilesim.scenario.values.fields import Chance, Times, optional, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

_CELL_MODEL_KEYS: Final = {
    "dwell": ("cell-jump", "static"),
    "next": ("cell-jump", "static"),
    "start": ("cell-jump", "static", "trips"),
}

_LEAVING_KEYS: Final = ("gap", "disconnect")
"""The keys that have no effect with model 'static'. A scenario's normal form has them for all models."""


class Disconnect(Section):
    probability: Chance = setting(
        0.0,
        "The probability that a host leaving a cell disconnects instead of entering the next. It reconnects in the "
        "same cell or in a possible next one, all equally likely; on a plane, in the cell of its position.",
    )
    duration: Times = setting("exponential 10 s", "The time that a host stays disconnected.")
    policy: Literal["store", "drop"] = setting(
        "store",
        "Messages for a disconnected host: 'store': its station stores them; 'drop': the host announces its "
        "disconnection, and its station discards messages for it until it reconnects.",
    )


class _Mobility(Section):
    model: str = "cell-jump"
    dwell: Times = setting("exponential 10 s", "The time that a host stays in a cell, for 'cell-jump'.")
    next: Literal["neighbour", "uniform"] = setting(
        "neighbour",
        "The next cell: 'neighbour': a neighbouring cell; 'uniform': any other cell. A disconnected host may also "
        "return to the same cell.",
    )
    gap: Times = setting("0 s", "The time without a cell, between leaving a cell and entering the next.")
    disconnect: Disconnect = setting({}, "Temporary disconnections of hosts.")
    start: Literal["random", "spread"] = setting(
        "random", "The first cells of hosts: drawn at random, or spread evenly; not for models on a plane."
    )
    crossing: Crossing | None = optional("Cell changes of hosts on a plane.")

    @model_validator(mode="before")
    @classmethod
    def _add_sections(cls, raw: object) -> object:
        model = raw.get("model") if isinstance(raw, Mapping) else None
        if not isinstance(model, str) or not isinstance(raw, Mapping):
            return raw
        keys = [SECTIONS[model]] if model in SECTIONS else []
        keys += ["crossing"] if model in ON_PLANE else []
        return {**raw, **{key: {} for key in keys if raw.get(key) is None}}

    def unwritten(self) -> set[str]:
        return {key for key in type(self).model_fields if not self._applies(key)}

    @property
    def on_plane(self) -> bool:
        return self.model in ON_PLANE

    @property
    def model_settings(self) -> Any:  # noqa: ANN401 - each model's own section
        return getattr(self, SECTIONS[self.model])

    @property
    def cell_crossing(self) -> Crossing:
        return self.crossing or Crossing()

    def _applies(self, key: str) -> bool:
        if key == "crossing":
            return self.on_plane
        if key in SECTIONS.values():
            return SECTIONS.get(self.model) == key
        return self.model in _CELL_MODEL_KEYS.get(key, (self.model,))

    def faults(self) -> Iterator[Fault]:
        if self.model == "cell-jump" and self.dwell.mean == 0:
            message = "with a time of 0 s in each cell, simulated time would never advance; write more than 0 s"
            yield Fault(message, ("dwell",))
        for key in type(self).model_fields:
            if key in self.model_fields_set and getattr(self, key) is not None and not self._applies(key):
                yield self._inapplicable(key)
        if self.model == "static":
            message = "does not apply to hosts that never leave a cell; write 'model: cell-jump', or leave this key out"
            yield from (Fault(message, (key,)) for key in _LEAVING_KEYS if self.changed(key))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        cells, trips = scenario.cells, getattr(self, "trips", None)
        for choice in scenario.protocols if self.disconnect.policy == "drop" else ():
            placement = catalogue.PLACEMENTS[choice.placement]
            if not placement.drops:
                message = (
                    f"{choice.label} orders at the {placement.orders_at}, which would wait for ever for a dropped "
                    "message; write 'store', or leave that protocol out"
                )
                yield Fault(message, ("disconnect", "policy"))
        if scenario.network == "static":
            return
        if self.on_plane and cells.shape == "graph":
            message = f"'{self.model}' needs cells with positions; write 'shape: grid', 'hex' or 'sites' below cells"
            yield Fault(message, ("model",))
        if trips is not None and cells.count is not None:
            yield from (fault.under("trips") for fault in trips.size_faults(cells.count))

    def _inapplicable(self, key: str) -> Fault:
        owners = [model for model, section in SECTIONS.items() if section == key] or _CELL_MODEL_KEYS.get(key, ON_PLANE)
        named = " or ".join(f"'model: {owner}'" for owner in owners[:2])
        return Fault(f"does not apply to model '{self.model}'; write {named}, or leave this key out", (key,))


def _fields() -> Iterator[tuple[str, tuple[Any, Any]]]:
    cells = "; ".join(f"'{name}': {model.description}" for name, model in MODELS.items() if not model.on_plane)
    planes = ", ".join(map(repr, ON_PLANE))
    help_text = f"{cells}. Models on a plane, for cells with positions: {planes}."
    yield "model", (Literal[tuple(MODELS)], setting("cell-jump", help_text))
    for name, key in SECTIONS.items():
        model: Any = MODELS[name]
        yield key, (model.section | None, optional(f"For model '{name}': {model.description}.", *model.examples))


if TYPE_CHECKING:

    class Mobility(_Mobility):
        trips: Trips | None

else:
    Mobility = create_model("Mobility", __base__=_Mobility, __module__=__name__, **dict(_fields()))
