"""What a row of the catalogue says: of an option, an ordering, a placement, and of the pair that they make."""

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
"""In the place of a paper: it is in none."""


def _about(title: str, paper: str) -> str:
    return title if paper == NO_PAPER else f"{title} ({paper})"


def yaml_text(setting: OptionValue) -> str:
    """As YAML writes it."""
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


@value
class Option:
    """Its default is the first of its values, unless `preset` names another."""

    help: str
    values: tuple[OptionValue, ...] | range
    preset: OptionValue | None = None

    @property
    def default(self) -> OptionValue:
        return self.values[0] if self.preset is None else self.preset

    @property
    def few(self) -> tuple[OptionValue, ...]:
        """All of its values, or of a range both ends and what is next to the first."""
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
    """What a protocol promises. Header integers and wired hand-off messages are formulas in n_h, n_s, k and d; a header
    that depends on what has happened is `at most` one.
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
    module: str
    symbol: str
    title: str
    paper: str
    header: str
    causal: bool
    fifo: bool
    stamps: Literal["message", "destination"] = "message"
    """What gets a stamp: a message, the same for all destinations, or each destination its own."""
    serves: Serves = "all"
    """Which messages it can order: `broadcasts` are for all other processes, messages to `groups` for all other members
    of one of the groups that there are.
    """
    options: tuple[tuple[str, Option], ...] = ()
    sends_control: bool = False
    """Whether its processes have something to say besides messages (`protocols.ordering.ActiveProcess`)."""
    inhibits: bool = False
    """Whether it may hold back what causal order would let go."""
    numbered_by: Literal["sender", "origin"] = "sender"
    """Who numbers the messages that its stamps name: their senders, or the stations where they start."""

    @property
    def about(self) -> str:
        return _about(self.title, self.paper)

    def load(self) -> Callable[..., Ordering]:
        return cast("Callable[..., Ordering]", getattr(import_module(self.module), self.symbol))


@value
class PlacementRow:
    name: str
    module: str
    title: str
    paper: str
    handoff: str
    inhibition: Inhibition
    """What it holds back that causal order would let go, under an ordering that keeps causal order."""
    orders_at: str
    """Where a message waits for its order: at the host or at its station."""
    options: tuple[tuple[str, Option], ...]
    processes: str = HOSTS
    """How many processes there are."""
    keeps_fifo: bool = True
    """Whether FIFO between processes is FIFO between hosts: not where a host changes its process."""
    floods: bool = False
    """Whether one packet carries all copies of a message."""
    drops: bool = True
    """Whether a station can give up a message without anything waiting for it ever after."""
    originates: bool = False
    """Whether stations can send messages of their own."""
    carries_control: bool = False
    """Whether what processes say besides messages gets to the others."""
    numbers_origins: bool = False
    """Whether a station numbers the messages that start at it, for all to see."""

    @property
    def hosts_alone(self) -> bool:
        """Whether host h is process h, and there is no other process."""
        return self.processes == HOSTS

    @property
    def hosts_first(self) -> bool:
        """Whether host h is process h."""
        return HOSTS in self.processes

    @property
    def about(self) -> str:
        return _about(self.title, self.paper)

    def load(self) -> Callable[..., System]:
        return cast("Callable[..., System]", import_module(self.module).build)


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
        """The paper that is about the pair; nothing if there is none."""
        return self.paper.removesuffix(NO_PAPER)

    @property
    def sources(self) -> str:
        """That, or the papers of its parts."""
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
        """The machines of one run; host h starts in the cell of station homes[h]. `groups` are of hosts."""
        its = {name: value for name, value in options.items() if name in dict(self.ordering_row.options)}
        others = {name: value for name, value in options.items() if name not in its}
        told: dict[str, Any] = {**its, "groups": groups} if self.serves == "groups" else its
        ordering: OrderingFactory = partial(self.ordering_row.load(), **told) if told else self.ordering_row.load()
        return self.placement_row.load()(stations, homes, ordering, **others)
