"""Explore every schedule of a small network: the question with its checks, and the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mobilesim.api.progress import Progress
from mobilesim.api.protocol_choices import chosen_options, named_row
from mobilesim.errors import UserError, counted, parameter, python_call
from mobilesim.explorer import api
from mobilesim.explorer.counterexample_text import LEGEND, listing, verdict_text
from mobilesim.explorer.exploration import Exploration, Search
from mobilesim.explorer.members.text import LEGEND as MEMBERS_LEGEND
from mobilesim.explorer.members.text import Narrated
from mobilesim.explorer.members.text import listing as members_listing
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.oracle.verdicts import FaultKind, tolerated_faults
from mobilesim.protocols.catalogue import ORDERINGS
from mobilesim.protocols.catalogue_rows import OptionValue, ProtocolRow, yaml_text
from mobilesim.protocols.flush import VIEW_CHANGES, ViewChange
from mobilesim.protocols.machine import System
from mobilesim.protocols.ordering import Groups, OrderingFactory

if TYPE_CHECKING:
    from mobilesim.api.tapes.recorded_tape import RecordedTape

MOST_MACHINES: Final = 64

SwitchOff = Literal["store", "drop"] | None
"""What happens to messages for hosts that announce that they switch off; None if hosts announce nothing."""

"""Returns the location of a parameter and its value in a message, such as `--hosts 1` or `hosts=1`."""


class Size(NamedTuple):
    """The size of a network: what is there at the start, and what may happen in total."""

    stations: int
    hosts: int
    messages: int
    moves: int
    joins: int
    leaves: int


@dataclass(frozen=True, slots=True)
class Question:
    row: ProtocolRow
    options: dict[str, OptionValue]
    stations: int
    homes: tuple[int, ...]
    bounds: Bounds
    limit: int | None = None
    reduced: bool = True

    @property
    def new_system(self) -> System:
        return self.row.build(self.stations, self.homes, self.options, self.bounds.groups)

    @property
    def new_ordering(self) -> OrderingFactory:
        return self.row.ordering_factory(self.options)

    @property
    def view_change(self) -> ViewChange:
        return VIEW_CHANGES[self.row.ordering_row.views]

    def answer(self, *, progress: bool) -> "ExplorationResult":
        search = partial(api.explore, self.row.build, self.stations, self.homes, self.bounds, self.options)
        search = partial(search, reduced=self.reduced)
        if self.bounds.changes:
            search = partial(api.explore_members, self.new_ordering, len(self.homes), self.bounds, self.view_change)
        with Progress(quiet=not progress).meter(self.row.name) as meter:
            try:
                found = search(
                    limit=self.limit,
                    on_progress=lambda *far: meter.show(None, _rate(*far)),
                )
            except Exception as error:
                if (fault := protocols_fault(error)) is None:
                    raise
                raise UserError(f"{self.row.name}: {fault}") from None
        return ExplorationResult(self, found)


class ExplorationResult:
    """The answer to an exploration. It is true if no schedule has a fault and all were tried.

    >>> import mobilesim as ms
    >>> bool(ms.explore("av1", messages=1, moves=1))
    True
    >>> ms.explore("unordered").fault
    'host 1 delivers m1 before m0, which the same host sent before it'
    """

    def __init__(self, question: Question, found: Exploration) -> None:
        self.question = question
        self._found = found
        self._listing = _listing(question, found)

    @property
    def ending(self) -> str:
        """`exhausted`, `fault`, `limit` or `interrupted`."""
        return str(self._found.ending)

    @property
    def states(self) -> int:
        """The number of different states."""
        return self._found.states

    @property
    def transitions(self) -> int:
        """The number of steps between states."""
        return self._found.transitions

    @property
    def depth(self) -> int:
        """The number of steps of the longest schedule that was tried."""
        return self._found.depth

    @property
    def fault(self) -> str | None:
        """The fault at the end of the counter-example, in one sentence; None without a fault."""
        return self._listing[-1].removeprefix("fault: ") if self._listing else None

    @property
    def steps(self) -> list[str]:
        """The steps of the counter-example; empty without a fault."""
        return self._listing[1:-1]

    @property
    def tape(self) -> "RecordedTape | None":
        """The counter-example as a tape: its times are the numbers of the steps. None without a fault."""
        from mobilesim.api.tapes.counterexample import tape_of

        return None if self.fault is None else tape_of(self.question, self._found.schedule)

    def save(self, directory: str | Path) -> list[Path]:
        """Write the counter-example to a directory: its listing, a space-time diagram, the viewer's page, and its
        tape. Return the paths; none without a fault.
        """
        from mobilesim.api.tapes.counterexample import save

        return [] if self.fault is None else save(self, Path(directory))

    @property
    def document(self) -> dict[str, Any]:
        """The answer as JSON data."""
        question, found = self.question, self._found
        bounds = asdict(question.bounds)
        tolerated = sorted(bounds.pop("tolerated"))
        return {
            "protocol": question.row.name,
            "options": question.options,
            "stations": question.stations,
            "hosts": len(question.homes),
            "homes": question.homes,
            **bounds,
            **({"destinations": None} if question.bounds.groups else {}),
            "claims_causal": question.row.claims.causal,
            "claims_fifo": question.row.claims.fifo,
            "claims_short_chains": question.row.claims.short_chains,
            "tolerated": tolerated,
            **{key: getattr(found, key) for key in ("ending", "reduced", "shortest", "states", "transitions", "depth")},
            "seconds": round(found.seconds, 3),
            "fault_kind": found.fault_kind,
            "fault": self.fault,
            "listing": self.steps,
        }

    def __bool__(self) -> bool:
        return self.ending == "exhausted"

    def __str__(self) -> str:
        row, groups, found = self.question.row, self.question.bounds.groups, self._found
        title = f"{row.name} in groups {written(groups)}" if groups else row.name
        counts = f"{counted(found.states, 'state')}, {counted(found.transitions, 'transition')}, depth {found.depth}"
        return "\n".join([f"{title}: {counts}, {found.seconds:.1f} s: {verdict_text(row, found)}", *self._listing])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


@python_call()
def explore(
    protocol: str,
    *,
    stations: int = 2,
    hosts: int = 2,
    messages: int = 2,
    moves: int = 2,
    joins: int = 0,
    leaves: int = 0,
    destinations: int | None = None,
    groups: Sequence[Sequence[int]] | None = None,
    homes: Sequence[int] | str | None = None,
    options: Mapping[str, OptionValue] | None = None,
    fifo: bool = False,
    switch_off: SwitchOff = None,
    judge_claims_only: bool = False,
    limit: int | None = None,
    reduction: bool = True,
    progress: bool = False,
) -> ExplorationResult:
    """Try every order of messages, hand-offs and packets in a small network; find a shortest schedule with a fault.

    `joins`, `leaves`: the numbers of hosts that join and leave a static network, without stations and moves.
    `destinations`: of each message; by default one, or all for an ordering of broadcasts. `groups`: the hosts of each
    group. `homes`: the first cell of each host. `options`: of the protocol. `fifo`: wired links are FIFO. `switch_off`:
    hosts may announce that they switch off, and messages for them are stored ('store') or dropped ('drop').
    `judge_claims_only`: check only what the protocol claims. `limit`: of states. `reduction`: try one of equal orders.

    >>> import mobilesim as ms
    >>> print(ms.explore("fifo", hosts=3, destinations=2, moves=0).steps[0])
      1  h0 submits m0 to h1 h2                      h0 ~> s0 Data(#0 m0 for h1 h2)
    """
    texts = [f"{name}={yaml_text(value)}" for name, value in (options or {}).items()]
    asked = question(
        protocol,
        texts,
        Size(stations, hosts, messages, moves, joins, leaves),
        destinations=destinations,
        groups=groups,
        homes=homes,
        fifo=fifo,
        switch_off=switch_off,
        judge_claims_only=judge_claims_only,
        limit=limit,
        reduction=reduction,
    )
    found = asked.answer(progress=progress)
    if found.ending == "interrupted":
        raise KeyboardInterrupt
    return found


def question(
    protocol: str,
    options: list[str],
    size: Size,
    *,
    destinations: int | None,
    groups: Sequence[Sequence[int]] | None,
    homes: Sequence[int] | str | None,
    fifo: bool,
    switch_off: SwitchOff,
    judge_claims_only: bool,
    limit: int | None,
    reduction: bool,
) -> Question:
    """Return the checked question. `options`: texts `option=value` of the protocol."""
    row = named_row(protocol)
    stations, hosts, messages, moves, joins, leaves = size
    for name, least, number in (("stations", 1, stations), ("hosts", 2, hosts)):
        if _at_least(least, name, number) > MOST_MACHINES:
            remedy = "every schedule is tried, so start with 2 or 3"
            raise UserError(f"{parameter(name, number)}: expected at most {MOST_MACHINES}; {remedy}")
    first = _homes(homes, stations, hosts)
    chosen = chosen_options(row, options)
    for name, number in (("messages", messages), ("moves", moves), ("joins", joins), ("leaves", leaves)):
        _at_least(0, name, number)
    if joins or leaves:
        place = parameter("joins", joins) if joins else parameter("leaves", leaves)
        given = {"homes": homes, "groups": groups, "fifo": fifo, "switch_off": switch_off}
        _check_membership(row, chosen, place, [name for name, value in given.items() if value])
    in_groups = row.serves == "groups" or groups is not None
    copies, members = (
        (1, _groups(row, groups, destinations, hosts)) if in_groups else (_destinations(row, destinations, hosts), ())
    )
    _check_channels(row, chosen, fifo=fifo and not moves)
    tolerated = tolerated_faults(row.claims) if judge_claims_only else frozenset[FaultKind]()
    if switch_off not in {None, "store", "drop"}:
        raise UserError(f"{parameter('switch_off', switch_off)}: expected 'store' or 'drop'")
    drops, stores = switch_off == "drop", switch_off == "store"
    bounds = Bounds(messages, moves, copies, fifo, drops, members, tolerated, joins, leaves, stores)
    most = None if limit is None else _at_least(1, "limit", limit)
    return Question(row, chosen, stations, first, bounds, most, reduction)


def default_groups(hosts: int) -> Groups:
    """Return two groups that share the middle host; one group if there are two hosts."""
    middle = hosts // 2
    halves = tuple(range(middle + 1)), tuple(range(middle, hosts))
    return tuple(half for half in halves if len(half) > 1)


def written(groups: Sequence[Sequence[int]]) -> str:
    return "/".join(",".join(map(str, members)) for members in groups)


def _check_channels(row: ProtocolRow, options: Mapping[str, OptionValue], *, fifo: bool) -> None:
    setting = row.ordering_row.fifo_setting(options)
    if setting is not None and not fifo:
        remedy = f"write {parameter('fifo')} and {parameter('moves', 0)}, or leave this option out"
        raise UserError(f"{row.name}: with '{setting}', {row.ordering} needs FIFO channels between hosts; {remedy}")


def _check_membership(row: ProtocolRow, options: Mapping[str, OptionValue], place: str, others: list[str]) -> None:
    """Refuse joins and leaves (`place`) with other processes than those of hosts, and with other arguments."""
    if not row.ordering_row.is_dynamic or row.placement != "resident":
        able = ", ".join(f"resident+{each.name}" for each in ORDERINGS.values() if each.is_dynamic)
        reason = row.ordering_row.fixed_reason
        raise UserError(f"{place}: {row.name} has a fixed set of processes{reason}; write one of {able}")
    if (setting := row.ordering_row.fixed_setting(options)) is not None:
        raise UserError(f"{place}: with '{setting}', {row.name} has a fixed set of processes; leave this option out")
    for name in others:
        raise UserError(f"{place}: hosts join and leave a static network; leave {parameter(name)} out")


def _at_least(least: int, name: str, number: int) -> int:
    if not isinstance(number, int):
        raise UserError(f"{parameter(name, repr(number))}: expected a whole number")
    if number < least:
        raise UserError(f"{parameter(name, number)}: expected {least} or more")
    return number


def _homes(given: Sequence[int] | str | None, stations: int, hosts: int) -> tuple[int, ...]:
    usual = api.homes_of(stations, hosts)
    if given is None:
        return usual
    text = given if isinstance(given, str) else ",".join(map(str, given))
    homes = [int(home) if home.strip().isdecimal() else -1 for home in text.split(",")]
    if len(homes) != hosts or not all(0 <= home < stations for home in homes):
        expected = f"expected {hosts} station numbers from 0 to {stations - 1}"
        raise UserError(f"{parameter('homes', text)}: {expected}, such as {','.join(map(str, usual))}")
    return tuple(homes)


def _destinations(row: ProtocolRow, destinations: int | None, hosts: int) -> int:
    most = hosts - 1
    only = {"unicasts": 1, "broadcasts": most}.get(row.serves)
    wanted = (only or 1) if destinations is None else destinations
    if not 1 <= wanted <= most:
        raise UserError(f"{parameter('destinations', wanted)}: expected 1 to {most} with {counted(hosts, 'host')}")
    if only not in {None, wanted}:
        remedy = f"write {parameter('destinations', only)} for {counted(hosts, 'host')}, or leave this option out"
        raise UserError(f"{parameter('destinations', wanted)}: {row.name} orders {row.serves} only; {remedy}")
    return wanted


def _groups(row: ProtocolRow, groups: Sequence[Sequence[int]] | None, destinations: int | None, hosts: int) -> Groups:
    if groups is not None and row.serves in {"unicasts", "broadcasts"}:
        place = parameter("groups", written(groups))
        raise UserError(f"{place}: {row.name} orders {row.serves} only; leave this option out")
    if destinations is not None:
        reason = "a message to a group goes to all its other members; leave this option out"
        raise UserError(f"{parameter('destinations', destinations)}: {reason}")
    if groups is None:
        return default_groups(hosts)
    if not groups:
        raise UserError(f"{parameter('groups', '[]')}: write at least one group, or leave this option out")
    return tuple(_members(members, hosts, parameter("groups", written(groups))) for members in groups)


def _members(members: Sequence[int], hosts: int, place: str) -> tuple[int, ...]:
    for member in members:
        if not 0 <= member < hosts:
            raise UserError(f"{place}: there is no host {member}; there are 0 to {hosts - 1}")
        if members.count(member) > 1:
            raise UserError(f"{place}: host {member} occurs twice in a group")
    if len(members) < 2:
        what = f"host {members[0]} is alone in its group" if members else "a group is empty"
        raise UserError(f"{place}: {what}; write two hosts or more")
    return tuple(sorted(members))


def _rate(search: Search, waiting: int) -> str:
    rate = search.states / search.seconds
    return f"{search.progress} ({waiting:,} to visit), depth {search.depth}, {rate:,.0f} states/s"


def _listing(question: Question, found: Exploration) -> list[str]:
    if found.ending != "fault":
        return []
    if question.bounds.changes:
        hosts = len(question.homes)
        world = Narrated(question.new_ordering(hosts), hosts, question.bounds, *question.view_change)
        return [f"({MEMBERS_LEGEND})", *members_listing(world, found.schedule)]
    start = " ".join(f"h{host}@s{home}" for host, home in enumerate(question.homes))
    steps = listing(question.new_system, question.homes, question.bounds, found.schedule)
    return [f"({LEGEND}; start: {start})", *steps]
