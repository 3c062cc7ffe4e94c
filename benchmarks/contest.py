"""Who is measured, and how: one after the other, round after round, each time in a process of its own.

CPU time is measured and not the clock on the wall, so that others who use the machine disturb less; nothing that is
measured runs in parallel. Making hosts, links and files ready is not counted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from protocols import catalogue

if TYPE_CHECKING:
    from benchmarks.emulation import Meter


@dataclass(frozen=True, slots=True)
class Measurement:
    """CPU microseconds per message; where memory is looked at, after how many messages it was at most so many bytes."""

    microseconds: float
    memory: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """A contestant's rounds so far."""

    name: str
    rounds: tuple[Measurement, ...]

    @property
    def all(self) -> list[float]:
        return [measurement.microseconds for measurement in self.rounds]

    @property
    def median(self) -> float:
        return median(self.all)


Contestant: TypeAlias = Callable[[int], Measurement]


class Program(Protocol):
    def run(self) -> int: ...


def _time(program: Program, messages: int) -> Measurement:
    start = process_time()
    arrived = program.run()
    seconds = process_time() - start
    assert arrived == messages
    return Measurement(seconds / messages * 1e6)


def _processes(messages: int) -> Measurement:
    from benchmarks.hops import Processes

    return _time(Processes(messages), messages)


def _callbacks(messages: int) -> Measurement:
    from benchmarks.hops import Callbacks

    return _time(Callbacks(messages), messages)


def _components(messages: int) -> Measurement:
    from benchmarks.nspy import Components

    return _time(Components(messages), messages)


def _emulation(
    messages: int, *, protocol: str, setting: str, hosts: int = 1_000, movement: str | None = None
) -> Measurement:
    from benchmarks.emulation import play

    return _metered(play(protocol, setting, hosts, messages, movement), messages)


def _crowd(messages: int, *, hosts: int) -> Measurement:
    from benchmarks.emulation import crowd

    return _metered(crowd(hosts, messages), messages)


def _mesh(messages: int, *, ordering: str, hosts: int) -> Measurement:
    """A tenth of the messages: each arrives at half of the hosts."""
    from benchmarks.mesh import play

    sent = max(1, messages // 10)
    return Measurement(play(ordering, hosts, sent).seconds / sent * 1e6)


def _heap(_: int) -> Measurement:
    from benchmarks.mesh import PAIRS, calibrate

    return Measurement(calibrate() / PAIRS * 1e6)


def _metered(meter: "Meter", messages: int) -> Measurement:
    return Measurement(meter.seconds / messages * 1e6, tuple(meter.memory))


PROCESSES: Final = "simpy-processes"
CALLBACKS: Final = "simpy-callbacks"
COMPONENTS: Final = "ns.py"
FEW_HOSTS: Final = "av1-trace-100-hosts"
CROWD: Final = "av2-trace-crowd"
FEW_OF_CROWD: Final = "av2-trace-crowd-100"
HEAP: Final = "heapq"

MESHES: Final = {
    f"mesh-{hosts}-{ordering}": (ordering, hosts)
    for hosts in (20, 50)
    for ordering in (row.ordering for row in catalogue.pairs() if row.placement == "resident")
}

WALKERS: Final = {
    f"{protocol}-{setting}-{movement}": (protocol, setting, movement)
    for protocol, setting in (("fifo", "bare"), ("av1", "trace"))
    for movement in ("waypoint", "gauss-markov")
}

CONTESTANTS: Final[Mapping[str, Contestant]] = {
    PROCESSES: _processes,
    CALLBACKS: _callbacks,
    COMPONENTS: _components,
    **{
        f"{protocol}-{setting}": partial(_emulation, protocol=protocol, setting=setting)
        for protocol in ("fifo", "av1", "av2")
        for setting in ("bare", "oracle", "trace")
    },
    **{
        name: partial(_emulation, protocol=protocol, setting=setting, movement=movement)
        for name, (protocol, setting, movement) in WALKERS.items()
    },
    FEW_HOSTS: partial(_emulation, protocol="av1", setting="trace", hosts=100),
    CROWD: partial(_crowd, hosts=10_000),
    FEW_OF_CROWD: partial(_crowd, hosts=100),
    HEAP: _heap,
    **{name: partial(_mesh, ordering=ordering, hosts=hosts) for name, (ordering, hosts) in MESHES.items()},
}


def compete(names: Sequence[str], messages: int, rounds: int) -> Iterator[tuple[str, Measurement]]:
    """A B C, A B C, ...: what disturbs the machine for a while disturbs all of them."""
    fresh = get_context("spawn")
    for _ in range(rounds):
        with ProcessPoolExecutor(1, mp_context=fresh, max_tasks_per_child=1) as process:
            for name in names:
                yield name, process.submit(CONTESTANTS[name], messages).result()
