"""The rows of the catalogue: options, claims, orderings, placements, and protocols as pairs of the two."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, Literal, cast

from protocols.frozen_value import value
from protocols.machine import System
from protocols.ordering import Groups, Ordering, OrderingFactory

OptionValue = str | int | bool
Inhibition = Literal["none", "by false dependencies only", "yes", "yes, less as k grows"]
Serves = Literal["all", "unicasts", "broadcasts", "groups"]


AT_MOST: Final = "at most "
HOSTS: Final = "n_h"
NO_PAPER: Final = "-"
"""Stands for the paper of what is in no paper."""


def _about(title: str, paper: str) -> str:
    return title if paper == NO_PAPER else f"{title} ({paper})"


def yaml_text(setting: OptionValue) -> str:
    """Return an option's value as YAML writes it."""
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


@value
class Option:
    """An option of a protocol. The default is `preset`, or else the first of its values."""

    help: str
    values: tuple[OptionValue, ...] | range
    preset: OptionValue | None = None

    @property
    def default(self) -> OptionValue:
        return self.values[0] if self.preset is None else self.preset

    @property
    def few(self) -> tuple[OptionValue, ...]:
        """All values; of a range the first two and the last."""
        if isinstance(self.values, range):
            return (*self.values[:2], self.values[-1])
        return self.values

    @property
    def choices(self) -> str:
        if isinstance(self.values, range):
            return f"{self.values[0]}..{self.values[-1]}"
        return "|".join(map(yaml_text, self.values))


@value
class Claims:
    """What a protocol claims. Header integers and wired hand-off messages are formulas in n_h, n_s, k and d; a header
    that depends on the execution is `at most` a formula.
    """

    causal: bool
    fifo: bool
    exactly_once: bool
    header: str
    handoff: str
    inhibition: Inhibition


@value
class OrderingRow:
    name: str
    title: str
    paper: str
    header: str
    causal: bool = True
    fifo: bool = True
    stamps: Literal["message", "destination"] = "message"
    """Whether all destinations of a message get the same stamp, or each its own."""
    serves: Serves = "all"
    """The messages that it can order: `broadcasts` are for all other processes, messages to `groups` for all other
    members of a group.
    """
    options: tuple[tuple[str, Option], ...] = ()
    sends_control: bool = False
    """Whether its processes send control messages (`protocols.ordering.ActiveProcess`)."""
    inhibits: bool = False
    """Whether it may delay messages that causal order would release."""
    numbered_by: Literal["sender", "origin"] = "sender"
    """Whether the messages in its stamps are numbered by their senders, or by the stations where they start."""
    module: str = ""
    symbol: str = ""
    """The module and the class, where these do not have the ordering's name."""

    @property
    def about(self) -> str:
        return _about(self.title, self.paper)

    def load(self) -> Callable[..., Ordering]:
        module = import_module(self.module or f"protocols.orderings.{self.name.replace('-', '_')}")
        return cast("Callable[..., Ordering]", getattr(module, self.symbol or self.name.title().replace("-", "")))


@value
class PlacementRow:
    name: str
    title: str
    paper: str
    handoff: str
    inhibition: Inhibition
    """The unnecessary delay under an ordering that keeps causal order."""
    orders_at: str = "station"
    """Whether a message waits for its order at the `host` or at its `station`."""
    options: tuple[tuple[str, Option], ...] = ()
    processes: str = HOSTS
    """The number of processes, as a formula."""
    keeps_fifo: bool = True
    """Whether FIFO order between processes is FIFO order between hosts; not if hosts change their process."""
    floods: bool = False
    """Whether one packet carries all copies of a message."""
    drops: bool = True
    """Whether a station can drop a message without other messages waiting for it for ever."""
    originates: bool = False
    """Whether stations can send messages of their own."""
    carries_control: bool = False
    """Whether control messages of processes reach the others."""
    numbers_origins: bool = False
    """Whether stations number the messages that start at them, visibly for orderings."""

    @property
    def about(self) -> str:
        return _about(self.title, self.paper)

    def load(self) -> Callable[..., System]:
        return cast("Callable[..., System]", import_module(f"protocols.placements.{self.name}").build)


@value
class ProtocolRow:
    name: str
    placement_row: PlacementRow
    ordering_row: OrderingRow
    paper: str
    claims: Claims
    option_rows: tuple[tuple[str, Option], ...] = ()

    @property
    def placement(self) -> str:
        return self.placement_row.name

    @property
    def ordering(self) -> str:
        return self.ordering_row.name

    @property
    def cited(self) -> str:
        """The paper on the pair, or ''."""
        return self.paper.removesuffix(NO_PAPER)

    @property
    def sources(self) -> str:
        """The paper on the pair, or else those on its parts."""
        parts = dict.fromkeys((self.placement_row.paper, self.ordering_row.paper))
        return self.cited or "; ".join(paper for paper in parts if paper != NO_PAPER)

    @property
    def serves(self) -> Serves:
        return self.ordering_row.serves

    @property
    def options(self) -> Mapping[str, Option]:
        return dict(self.option_rows)

    def build(
        self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue] = {}, groups: Groups = ()
    ) -> System:
        """Build the machines of a run; host h starts in the cell of station homes[h]. `groups` are of hosts."""
        own = {name: value for name, value in options.items() if name in dict(self.ordering_row.options)}
        others = {name: value for name, value in options.items() if name not in own}
        keywords: dict[str, Any] = {**own, "groups": groups} if self.serves == "groups" else own
        ordering: OrderingFactory = (
            partial(self.ordering_row.load(), **keywords) if keywords else self.ordering_row.load()
        )
        return self.placement_row.load()(stations, homes, ordering, **others)
