"""The mobility of hosts: the model, disconnections and changes of cell."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import create_model, model_validator

from mobilesim.extensions.resolution import Extension, Kind
from mobilesim.protocols import catalogue
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sections.mobility_models import (
    MODELS,
    ON_PLANE,
    SECTIONS,
    Crossing,
    Trips,
    mobility_row,
    outside_model,
    whole_section,
)
from mobilesim.scenario.sections.outside_model import OutsideSettings, model_name, with_settings
from mobilesim.scenario.values.fields import Chance, Flag, Times, optional, setting
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

_CELL_MODEL_KEYS: Final = {
    "dwell": ("cell-jump", "static"),
    "next": ("cell-jump", "static"),
    "start": ("cell-jump", "static", "trips"),
}

_LEAVING_KEYS: Final = ("gap", "disconnect", "at_end")
"""The keys that have no effect with model 'static'. A scenario's normal form has them for all models."""


class Disconnect(Section):
    probability: Chance = setting(
        0.0,
        "The probability that a host leaving a cell disconnects instead of entering the next. It reconnects in the "
        "same cell or in a possible next one, all equally likely; on a plane, in the cell of its position.",
    )
    duration: Times = setting("exponential 10 s", "The time that a host stays disconnected.")
    announced: Flag = setting(
        True,
        "Whether a host announces its disconnection: it switches off on purpose, and leaves when its station has "
        "received the announcement. The station then transmits nothing to it until it reconnects. If not, the host is "
        "cut off, and its station goes on transmitting until it learns where the host is.",
    )
    policy: Literal["store", "drop"] = setting(
        "store",
        "Messages for a disconnected host: 'store': its station stores them; 'drop': the host requests in its "
        "announcement that they are discarded until it reconnects.",
    )

    def faults(self) -> Iterator[Fault]:
        if self.policy == "drop" and not self.announced:
            message = "a station drops messages only if the host has announced this; write 'store', or leave out"
            yield Fault(f"{message} 'announced: false'", ("policy",))


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
    at_end: Literal["return", "leave"] = setting(
        "return",
        "What hosts do that are disconnected when hosts stop sending: 'return': they reconnect after their "
        "disconnection, and get their messages; 'leave': they stay away, and their messages are not delivered.",
    )
    start: Literal["random", "spread"] = setting(
        "random", "The first cells of hosts: drawn at random, or spread evenly; not for models on a plane."
    )
    crossing: Crossing | None = optional("Cell changes of hosts on a plane.")
    settings: OutsideSettings | None = optional("The settings of a model of another package.", {"speed": "2 m/s"})

    @model_validator(mode="before")
    @classmethod
    def _add_sections(cls, given: object) -> object:
        raw = whole_section(given)
        model = raw.get("model") if isinstance(raw, Mapping) else None
        if not isinstance(model, str) or not isinstance(raw, Mapping):
            return raw
        if model not in MODELS:
            return with_settings(raw, Kind.MOBILITY, on_plane="crossing")
        keys = [SECTIONS[model]] if model in SECTIONS else []
        keys += ["crossing"] if model in ON_PLANE else []
        return {**raw, **{key: {} for key in keys if raw.get(key) is None}}

    def unwritten(self) -> set[str]:
        return {key for key in type(self).model_fields if not self._applies(key)}

    @property
    def single_cell_fault(self) -> str | None:
        """Return why hosts that do not move on a plane cannot be in a network of one cell; None if they can."""
        if self.model == "static" or (self.model == "cell-jump" and self.disconnect.probability):
            return None
        return (
            "hosts cannot leave a single cell; write more cells, 'mobility: {model: static}' or, for hosts that "
            "disconnect and return, 'mobility: {disconnect: {probability: 1}}'"
        )

    @property
    def on_plane(self) -> bool:
        return mobility_row(self.model).on_plane

    @property
    def model_settings(self) -> Any:  # noqa: ANN401 - each model's own section
        return getattr(self, SECTIONS[self.model]) if self.model in MODELS else self.settings

    @property
    def extension(self) -> Extension | None:
        return outside_model(self.model)

    @property
    def cell_crossing(self) -> Crossing:
        return self.crossing or Crossing()

    def _applies(self, key: str) -> bool:
        if key == "crossing":
            return self.on_plane
        if key in SECTIONS.values():
            return SECTIONS.get(self.model) == key
        if key == "settings":
            return self.model not in MODELS and mobility_row(self.model).section is not None
        if key == "start" and self.model not in MODELS:
            return not self.on_plane
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
            placement = catalogue.placement_row(choice.placement)
            if not placement.drops:
                message = (
                    f"{choice.label} orders at the {placement.orders_at}, which would wait for ever for a dropped "
                    "message; write 'store', or leave that protocol out"
                )
                yield Fault(message, ("disconnect", "policy"))
        if scenario.network == "static":
            return
        for choice in scenario.protocols if self.at_end == "leave" else ():
            if (blocked := choice.blocked_by_absence("at_end: leave")) is not None:
                yield Fault(blocked, ("at_end",))
        if self.on_plane and cells.shape == "graph":
            message = f"'{self.model}' needs cells with positions; write 'shape: grid', 'hex' or 'sites' below cells"
            yield Fault(message, ("model",))
        if trips is not None and cells.count is not None:
            yield from (fault.under("trips") for fault in trips.size_faults(cells.count))

    def _inapplicable(self, key: str) -> Fault:
        if key == "settings":
            remedy = f"write '{SECTIONS[self.model]}'" if self.model in SECTIONS else "leave this key out"
            return Fault(f"is for models of other packages, not for '{self.model}'; {remedy}", (key,))
        owners = [model for model, section in SECTIONS.items() if section == key] or _CELL_MODEL_KEYS.get(key, ON_PLANE)
        named = " or ".join(f"'model: {owner}'" for owner in owners[:2])
        return Fault(f"does not apply to model '{self.model}'; write {named}, or leave this key out", (key,))


def _fields() -> Iterator[tuple[str, tuple[Any, Any]]]:
    cells = "; ".join(f"'{name}': {model.description}" for name, model in MODELS.items() if not model.on_plane)
    planes = ", ".join(map(repr, ON_PLANE))
    help_text = f"{cells}. Models on a plane, for cells with positions: {planes}."
    others = "A model of another package is named by its entry point, or by its path, like 'package.module:name'."
    name_of_model = Annotated[str, *model_name(Kind.MOBILITY, MODELS)]
    yield "model", (name_of_model, setting("cell-jump", f"{help_text} {others}"))
    for name, key in SECTIONS.items():
        model: Any = MODELS[name]
        yield key, (model.section | None, optional(f"For model '{name}': {model.description}.", *model.examples))


if TYPE_CHECKING:

    class Mobility(_Mobility):
        trips: Trips | None

else:
    Mobility = create_model("Mobility", __base__=_Mobility, __module__=__name__, **dict(_fields()))
