"""The rules that every ordering follows, checked call by call in random executions.

A `GuardedProcess` calls a process and checks the result of every call. From time to time, the whole execution is
replaced by a restored snapshot, so a state that is not stored completely makes a difference to a twin that is not
replaced.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Final

from mobilesim.conformance.executions import Event, Sent
from mobilesim.conformance.rescanning_inbox import RescanningInbox
from mobilesim.conformance.verdict import ContractError
from mobilesim.extensions.part_checks import mutable_stamp
from mobilesim.protocols.catalogue_rows import OptionValue, OrderingRow
from mobilesim.protocols.mailbox import Inbox
from mobilesim.protocols.ordering import Key, Ordering, Process
from mobilesim.protocols.packets import Copy, Message, Stamp
from mobilesim.protocols.state import key, restore, shared_objects, snapshot

Make = Callable[[int], Ordering]

_RESTORED_EVERY: Final = 5
"""After this number of events, an execution is replaced by a restored snapshot of itself."""


def makers(row: OrderingRow) -> Mapping[str, Make]:
    """Return the ordering with default options, and with one example of another value of each option."""
    factory = row.load()
    sets: dict[str, dict[str, OptionValue]] = {"default options": {}}
    for name, option in row.options:
        others = [value for value in option.examples if value != option.default]
        sets |= {f"{name}={value}": {name: value} for value in others}
    return {label: partial(factory, **chosen) for label, chosen in sets.items()}


def check_types(make: Make, size: int, *, may_share: bool) -> None:
    """Check the classes of an ordering and of its processes, and that a process can be stored."""
    ordering = make(size)
    _require(isinstance(ordering, Ordering), f"it builds a {type(ordering).__name__}, which is no Ordering")
    processes = [ordering.process(index) for index in range(size)]
    for process in processes:
        kind = type(process).__name__
        _require(isinstance(process, Process), f"process() returns a {kind}, which is no Process")
        _check_size(f"{kind}.integers", process.integers)
        _check_stored(process)
    for one, other in combinations(processes, 2):
        _require(one is not other, "process() returns the same object for two processes")
    if not may_share and (shared := shared_objects(processes)):
        names = ", ".join(sorted({type(part).__name__ for part in shared}))
        raise ContractError(f"two processes share an object that may change ({names}); give each process its own")


def _check_stored(state: Any) -> None:  # noqa: ANN401 - the state of a process, or a stamp
    name = type(state).__name__
    try:
        again = restore(snapshot(state))
        same = key(again) == key(state)
    except Exception as error:
        raise ContractError(f"{name} cannot be stored and restored: {type(error).__name__}: {error}") from error
    _require(same, f"a restored snapshot of {name} differs from it")


def _check_size(name: str, integers: object) -> None:
    whole = type(integers) is int and integers >= 0
    _require(whole, f"{name} is {integers!r}; expected a whole number of 0 or more")


def _require(holds: object, message: str) -> None:
    if not holds:
        raise ContractError(message)


class GuardedProcess(Process):
    """A process whose calls are checked."""

    __slots__ = ("inner", "largest")

    def __init__(self, inner: Process) -> None:
        self.inner = inner
        self.largest = 0
        """The largest number of integers of a stamp."""

    @property
    def releases_at_send(self) -> bool:  # type: ignore[override]  # a variable of the class, which is only read
        return self.inner.releases_at_send

    def sent_keys(self) -> Sequence[Key]:
        return _keys("sent_keys", self.inner.sent_keys())

    def send(self, destinations: tuple[int, ...], group: int) -> Sequence[tuple[tuple[int, ...], Stamp]]:
        stamped = tuple(self.inner.send(destinations, group))
        targets = sorted(target for chosen, _ in stamped for target in chosen)
        expected = f"expected each of the destinations {destinations} once"
        _require(targets == sorted(destinations), f"send returns stamps for {tuple(targets)}; {expected}")
        for _, stamp in stamped:
            _check_stamp(stamp)
            self.largest = max(self.largest, stamp.integers)
        return stamped

    def missing(self, stamp: Stamp) -> Key | None:
        before = key(self.inner)
        missing = self.inner.missing(stamp)
        _require(isinstance(missing, Hashable), f"missing returns {missing!r}, which is not hashable")
        _require(key(self.inner) == before, "missing changes the state of the process")
        _require(self.inner.missing(stamp) == missing, "a second call of missing returns another key")
        return missing

    def deliver(self, stamp: Stamp) -> Sequence[Key]:
        return _keys("deliver", self.inner.deliver(stamp))

    @property
    def integers(self) -> int:
        return self.inner.integers


def _keys(method: str, keys: Sequence[Key]) -> Sequence[Key]:
    _require(isinstance(keys, Sequence), f"{method} returns a {type(keys).__name__}; expected a sequence of keys")
    for each in keys:
        _require(isinstance(each, Hashable), f"{method} returns {each!r}, which is not hashable")
    return keys


def _check_stamp(stamp: object) -> None:
    kind = type(stamp).__name__
    _require(isinstance(stamp, Stamp), f"send returns a {kind}, which is no Stamp")
    assert isinstance(stamp, Stamp)
    _check_size(f"{kind}.integers", stamp.integers)
    fault = mutable_stamp(stamp)
    _require(fault is None, fault or "")
    _check_stored(stamp)


def check_execution(make: Make, size: int, events: Iterable[Event]) -> int:
    """Check all calls in an execution, and that the inbox releases what a search of all messages would release. Return
    the largest number of integers of a stamp.
    """
    execution, twin = _Execution.of(make(size), size), _Twin(make(size), size)
    for number, event in enumerate(events, 1):
        if number % _RESTORED_EVERY == 0:
            execution = restore(snapshot(execution))
        if isinstance(event, Sent):
            stamped, expected = execution.send(event.message), twin.send(event.message)
            _require(
                stamped == expected, "two processes with the same calls return different stamps, or one was stored"
            )
            released, due = execution.released_by_send(event.message), twin.released_by_send(event.message)
        else:
            released, due = execution.arrive(event.message, event.target), twin.arrive(event.message, event.target)
        _compare(event.message, "send" if isinstance(event, Sent) else "arrival", released, due)
    return execution.finish()


Stamped = list[tuple[tuple[int, ...], bytes]]
"""The destinations of stamps, each with the key of the stamp."""


@dataclass(slots=True)
class _Execution:
    """Guarded processes with the inboxes of the product, and the stamps of the copies, by message and target."""

    inboxes: list[Inbox[Copy]]
    stamps: dict[tuple[int, int], Stamp]

    @classmethod
    def of(cls, ordering: Ordering, size: int) -> "_Execution":
        return cls([Inbox(GuardedProcess(ordering.process(index))) for index in range(size)], {})

    def send(self, message: Message) -> Stamped:
        stamped = self.inboxes[message.source].process.send(message.destinations, message.group)
        self.stamps |= {(message.id, target): stamp for targets, stamp in stamped for target in targets}
        return [(targets, key(stamp)) for targets, stamp in stamped]

    def released_by_send(self, message: Message) -> list[int]:
        inbox = self.inboxes[message.source]
        return _numbers(inbox.released_by_send() if inbox.process.releases_at_send else ())

    def arrive(self, message: Message, at: int) -> list[int]:
        return _numbers(self.inboxes[at].arrive(Copy(message, (at,), self.stamps[message.id, at])))

    def finish(self) -> int:
        """Check that every message was delivered; return the largest number of integers of a stamp."""
        for at, inbox in enumerate(self.inboxes):
            for copy in inbox.items():
                missed = f"m{copy.message.id} is never delivered to process {at}"
                raise ContractError(f"{missed}, although all messages arrive")
        return max(getattr(inbox.process, "largest", 0) for inbox in self.inboxes)


class _Twin:
    """The same processes with inboxes that search all waiting messages."""

    def __init__(self, ordering: Ordering, size: int) -> None:
        self.inboxes = [RescanningInbox(ordering.process(index)) for index in range(size)]
        self.stamps: dict[tuple[int, int], Stamp] = {}

    def send(self, message: Message) -> Stamped:
        stamped = self.inboxes[message.source].process.send(message.destinations, message.group)
        self.stamps |= {(message.id, target): stamp for targets, stamp in stamped for target in targets}
        return [(targets, key(stamp)) for targets, stamp in stamped]

    def released_by_send(self, message: Message) -> list[int]:
        return _numbers(self.inboxes[message.source].sent())

    def arrive(self, message: Message, at: int) -> list[int]:
        return _numbers(self.inboxes[at].arrive(Copy(message, (at,), self.stamps[message.id, at])))


def _numbers(copies: Iterable[Copy]) -> list[int]:
    return [copy.message.id for copy in copies]


def _compare(message: Message, what: str, released: Sequence[int], expected: Sequence[int]) -> None:
    if released == expected:
        return
    if sorted(released) == sorted(expected):
        order = f"in the order {released}; by the order of arrival it would be {expected}"
        raise ContractError(f"the {what} of m{message.id} releases messages {order}: a key was returned too late")
    if late := sorted(set(expected) - set(released)):
        method = "sent_keys" if what == "send" else "deliver"
        missed = f"the {what} of m{message.id} allows the delivery of m{late[0]}, which stays blocked"
        raise ContractError(f"{missed}: {method} must return the keys that `missing` names (see `releases_at_send`)")
    raise ContractError(f"the {what} of m{message.id} releases {released}, but a search of all messages {expected}")
