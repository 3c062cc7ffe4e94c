"""The rows of the catalogue: orderings, placements, protocols (pairs of the two), and their options and claims."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, Literal, cast

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups, Ordering, OrderingFactory

OptionValue = str | int | bool
Inhibition = Literal["none", "by false dependencies only", "yes", "yes, less as k grows"]
Serves = Literal["all", "unicasts", "broadcasts", "groups"]

AT_MOST: Final = "at most "
HOSTS: Final = "n_h"
NO_PAPER: Final = "-"
"""The entry for a row that has no paper."""


def yaml_text(setting: OptionValue) -> str:
    """Return an option's value as YAML writes it."""
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


@value
class Option:
    """An option of a protocol. The default is `preset`, or the first value if there is no preset. `needs`: the value of
    another option without which this option has no effect.
    """

    help: str
    values: tuple[OptionValue, ...] | range
    preset: OptionValue | None = None
    needs: tuple[str, OptionValue] | None = None
    floods_only: bool = False
    """Whether an option of an ordering has an effect only under a placement that floods messages."""

    @property
    def default(self) -> OptionValue:
        return self.values[0] if self.preset is None else self.preset

    @property
    def examples(self) -> tuple[OptionValue, ...]:
        """All values, or the first two and the last of a range."""
        if isinstance(self.values, range):
            return (*self.values[:2], self.values[-1])
        return self.values

    @property
    def choices(self) -> str:
        if isinstance(self.values, range):
            return f"{self.values[0]}..{self.values[-1]}"
        return "|".join(map(yaml_text, self.values))


Options = tuple[tuple[str, Option], ...]


def option_without_effect(options: Mapping[str, Option], settings: Mapping[str, OptionValue]) -> tuple[str, str] | None:
    """Return the first option that is changed although it needs another value of another option, and what it needs."""
    for name, setting in settings.items():
        option = options[name]
        if option.needs is not None and setting != option.default:
            other, needed = option.needs
            if settings.get(other, options[other].default) != needed:
                return name, f"{other}: {yaml_text(needed)}"
    return None


@value
class Claims:
    """The claims of a protocol. `header` (in integers) and `handoff` (in wired packets) are formulas in the numbers of
    hosts n_h, of stations n_s, of logical stations per cell k, and of destinations d. If a header depends on the
    execution, its formula is an upper bound and begins with `at most`. Options with whole numbers are variables, too.
    `violation_rate`: the promised upper bound of the share of deliveries that violate causal order, or None.
    """

    causal: bool
    fifo: bool
    exactly_once: bool
    header: str
    handoff: str
    inhibition: Inhibition
    violation_rate: float | None = None
    short_chains: bool = False
    """Whether a protocol without causal order keeps the order along causal chains of one or two messages."""


@value
class _Part:
    name: str
    title: str
    paper: str

    @property
    def cited(self) -> str:
        """The paper, or '' if there is none."""
        return self.paper.removesuffix(NO_PAPER)

    @property
    def about(self) -> str:
        return f"{self.title} ({self.cited})" if self.cited else self.title


@value
class OrderingRow(_Part):
    header: str
    causal: bool = True
    fifo: bool = True
    violation_rate: float | None = None
    """For a probabilistic ordering, which is not `causal`: the promised upper bound of the share of deliveries that
    violate causal order, with the default options.
    """
    short_chains: bool = False
    """Whether an ordering that is not `causal` keeps the order along causal chains of one or two messages: if p0 sends
    m0 to p2 and then m1 to p1, which answers m1 by m2 to p2, then p2 delivers m0 before m2.
    """
    stamps: Literal["message", "destination"] = "message"
    """Whether a message has one stamp, or a separate stamp for each destination."""
    serves: Serves = "all"
    """The accepted messages: `broadcasts` are for all other processes, `groups` for all other members of a group."""
    options: Options = ()
    sends_control: bool = False
    """Whether the processes send control messages (`protocols.ordering.ActiveProcess`)."""
    relays: bool = False
    """Whether processes pass on messages of other processes (`protocols.ordering.RelayProcess`)."""
    inhibits: bool = False
    """Whether the ordering may delay messages that causal order would release."""
    numbered_by: Literal["sender", "origin"] = "sender"
    """Whether a stamp names an earlier message by its number at the sender, or at the station that floods it."""
    needs_fifo: tuple[tuple[str, OptionValue], ...] = ()
    """The values of options with which the ordering keeps its claims on FIFO channels only."""
    membership: tuple[tuple[str, OptionValue], ...] | None = None
    """The values of options with which processes may join and leave (`Ordering.member`); None if they never may."""
    views: Literal["announced", "flushed"] = "announced"
    """How views change for processes that may join and leave (`protocols.membership`). `announced`: while messages are
    sent. `flushed`: after all messages of the old view, with a new process for each view; messages are broadcasts.
    """
    fixed_because: str = ""
    """Why processes cannot join and leave, if more is known about this than that the ordering does not support it."""
    shares_memory: bool = False
    """Whether processes share data that the paper's processes would have separately, to take less memory."""
    family: str = ""
    """The package in `protocols.orderings` that contains the module; empty for `protocols.orderings` itself."""
    module: str = ""
    symbol: str = ""
    """The module and the class, if their names do not follow from the family and the ordering's name."""

    def fifo_setting(self, options: Mapping[str, OptionValue]) -> str | None:
        """Return the first setting of these options that needs FIFO channels, as YAML writes it; None without one."""
        for name, setting in self.needs_fifo:
            if options.get(name) == setting:
                return f"{name}: {yaml_text(setting)}"
        return None

    @property
    def is_dynamic(self) -> bool:
        """Return whether processes may join and leave. Control messages need fixed processes. Messages to all need a
        flush of every view.
        """
        serves = "broadcasts" if self.views == "flushed" else "all"
        return self.membership is not None and self.serves == serves and not self.sends_control

    @property
    def fixed_reason(self) -> str:
        """`fixed_because` as the end of a sentence; '' without it."""
        return f": {self.fixed_because}" if self.fixed_because else ""

    def fixed_setting(self, options: Mapping[str, OptionValue]) -> str | None:
        """Return the first setting of these options with which processes cannot join, as YAML writes it, or None."""
        for name, setting in self.membership or ():
            if (chosen := options.get(name, setting)) != setting:
                return f"{name}: {yaml_text(chosen)}"
        return None

    def load(self) -> Callable[..., Ordering]:
        parts = ("mobilesim.protocols.orderings", self.family, self.name.replace("-", "_"))
        module = import_module(self.module or ".".join(filter(None, parts)))
        return cast("Callable[..., Ordering]", getattr(module, self.symbol or self.name.title().replace("-", "")))


@value
class PlacementRow(_Part):
    handoff: str
    inhibition: Inhibition
    """The inhibition under an ordering that keeps causal order."""
    orders_at: str = "station"
    """Whether a message waits for its causal predecessors at the `host` or at the `station`."""
    options: Options = ()
    processes: str = HOSTS
    """The number of processes, as a formula."""
    floods: bool = False
    """Whether the first station of a message numbers it, and sends every station a packet with all its copies."""
    drops: bool = True
    """Whether a station may drop a message. It must not if later messages would wait for the dropped one forever."""
    originates: bool = False
    """Whether the stations' own applications can send messages."""
    carries_control: bool = False
    """Whether processes can send control messages."""
    relays: bool = False
    """Whether processes can pass on messages of other processes."""
    module: str = ""
    symbol: str = "build"
    """The module, if its name does not follow from the placement's name, and the function in it."""

    def load(self) -> Callable[..., System]:
        module = import_module(self.module or f"mobilesim.protocols.placements.{self.name}")
        return cast("Callable[..., System]", getattr(module, self.symbol))


@value
class ProtocolRow:
    name: str
    placement_row: PlacementRow
    ordering_row: OrderingRow
    paper: str
    claims: Claims

    @property
    def placement(self) -> str:
        return self.placement_row.name

    @property
    def ordering(self) -> str:
        return self.ordering_row.name

    @property
    def cited(self) -> str:
        """The paper on the pair, or '' if there is none."""
        return self.paper.removesuffix(NO_PAPER)

    @property
    def description(self) -> str:
        """What the ordering adds to messages, and where its processes run."""
        return f"{self.ordering_row.title}; {self.placement_row.title}"

    @property
    def source(self) -> str:
        """The paper on the pair or, if there is none, on its ordering; '' if there is none either."""
        return self.cited or self.ordering_row.cited

    @property
    def serves(self) -> Serves:
        return self.ordering_row.serves

    @property
    def options(self) -> Mapping[str, Option]:
        place = self.placement_row
        own = [(name, option) for name, option in self.ordering_row.options if place.floods or not option.floods_only]
        return dict((*place.options, *own))

    def promised_rate(self, options: Mapping[str, OptionValue]) -> float | None:
        """Return the promised rate of causal violations with these options. It is promised for default options only."""
        own = dict(self.ordering_row.options)
        usual = all(options.get(name, option.default) == option.default for name, option in own.items())
        return self.claims.violation_rate if usual else None

    def build(
        self, stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue] = {}, groups: Groups = ()
    ) -> System:
        """Build the machines of a run. Host h starts in cell homes[h]. `groups` are groups of hosts."""
        own = {name for name, _ in self.ordering_row.options}
        others = {name: setting for name, setting in options.items() if name not in own}
        return self.placement_row.load()(stations, homes, self.ordering_factory(options, groups), **others)

    def ordering_factory(self, options: Mapping[str, OptionValue], groups: Groups = ()) -> OrderingFactory:
        """Return the ordering with its own ones of the protocol's options."""
        own: dict[str, Any] = {name: options[name] for name, _ in self.ordering_row.options if name in options}
        if self.serves == "groups":
            own["groups"] = groups
        return partial(self.ordering_row.load(), **own)


def incompatibility(place: PlacementRow, order: OrderingRow) -> str | None:
    """Return the reason why a placement and an ordering cannot be a pair, or None if they can."""
    if order.serves == "broadcasts" and place.processes != HOSTS:
        return f"{order.name} orders broadcasts; {place.name} has {place.processes} processes for n_h hosts"
    if order.serves == "groups" and HOSTS not in place.processes:
        return f"{order.name} orders messages to groups of hosts; {place.name} has no process of a host"
    if order.sends_control and not place.carries_control:
        return f"the processes of {order.name} send control messages; {place.name} carries none"
    if order.relays and not place.relays:
        return f"the processes of {order.name} pass on messages of others; the processes of {place.name} cannot"
    if order.numbered_by == "origin" and not place.floods:
        return f"{order.name} requires messages that stations number; stations of {place.name} number no message"
    return None


def protocol_row(name: str, place: PlacementRow, order: OrderingRow, paper: str) -> ProtocolRow:
    if (reason := incompatibility(place, order)) is not None:
        raise ValueError(reason)
    # An order between processes implies this order between hosts only if no host changes its process.
    fifo = order.causal or (order.fifo and HOSTS in place.processes)
    short_chains = order.short_chains and HOSTS in place.processes
    header, inhibition = _header(place, order), _inhibition(place, order)
    claims = Claims(order.causal, fifo, True, header, place.handoff, inhibition, order.violation_rate, short_chains)
    return ProtocolRow(name, place, order, paper, claims)


def _header(place: PlacementRow, order: OrderingRow) -> str:
    header = order.header.removeprefix(AT_MOST)
    at_most = AT_MOST if header != order.header else ""
    header = header.replace("N", place.processes)
    if order.stamps == "destination" and place.floods:
        header = "d" if header == "1" else f"d ({header})"
    return at_most + header


def _inhibition(place: PlacementRow, order: OrderingRow) -> Inhibition:
    # Only an order along chains of several messages has false dependencies. Without any order, only hand-offs delay
    # messages, so k has no effect.
    if order.inhibits:
        return "yes"
    chains = order.causal or order.short_chains or order.violation_rate is not None
    if place.inhibition == "by false dependencies only" and not chains:
        return "none"
    if place.inhibition == "yes, less as k grows" and not order.fifo:
        return "yes"
    return place.inhibition
