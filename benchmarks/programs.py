"""The measured programs. They run in several rounds, in turn within each round. Each measurement is a new process.

A program of mobilesim is measured with the compiled core and in pure Python, one after the other. CPU time is measured,
because wall time depends more on other load of the machine. Nothing runs in parallel. The setup of hosts, links and
files is not measured.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from benchmarks.fresh_process import PURE, run_module
from benchmarks.limit_program import compiler, run_limit
from mobilesim.protocols import catalogue

if TYPE_CHECKING:
    from benchmarks.simulator import CpuMeter


@dataclass(frozen=True, slots=True)
class Measurement:
    """The CPU time per message in microseconds, and samples of memory: (messages sent so far, peak memory in bytes)."""

    microseconds: float
    memory: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """The measurements of a program, one per round."""

    name: str
    rounds: tuple[Measurement, ...]

    @property
    def all(self) -> list[float]:
        return [measurement.microseconds for measurement in self.rounds]

    @property
    def median(self) -> float:
        return median(self.all)


Benchmark: TypeAlias = Callable[[int], Measurement]


class Program(Protocol):
    def run(self) -> int: ...


def _time(program: Program, messages: int) -> Measurement:
    start = process_time()
    arrived = program.run()
    seconds = process_time() - start
    assert arrived == messages
    return Measurement(seconds / messages * 1e6)


def _processes(messages: int) -> Measurement:
    from benchmarks.simpy_programs import ProcessPerMessage

    return _time(ProcessPerMessage(messages), messages)


def _callbacks(messages: int) -> Measurement:
    from benchmarks.simpy_programs import CallbackPerHop

    return _time(CallbackPerHop(messages), messages)


def _components(messages: int) -> Measurement:
    from benchmarks.nspy_program import NsPyNetwork

    return _time(NsPyNetwork(messages), messages)


def _limit(messages: int) -> Measurement:
    counts = run_limit(messages)
    assert counts.deliveries == messages
    return Measurement(counts.seconds / messages * 1e6)


def _simulator(
    messages: int, *, protocol: str, setting: str, hosts: int = 1_000, movement: str | None = None
) -> Measurement:
    from benchmarks.simulator import run_protocol

    return _metered(run_protocol(protocol, setting, hosts, messages, movement), messages)


def _ten_thousand_hosts(messages: int, *, hosts: int) -> Measurement:
    from benchmarks.simulator import run_ten_thousand_hosts

    return _metered(run_ten_thousand_hosts(hosts, messages), messages)


def _static_network(messages: int, *, ordering: str, hosts: int) -> Measurement:
    """Measure an ordering with fewer messages, because most messages have many destinations."""
    from benchmarks.static_network import number_of_messages, run_ordering

    sent = number_of_messages(ordering, hosts, messages)
    return Measurement(run_ordering(ordering, hosts, sent).seconds / sent * 1e6)


def _heap(_: int) -> Measurement:
    from benchmarks.static_network import PAIRS, heap_seconds

    return Measurement(heap_seconds() / PAIRS * 1e6)


def _metered(meter: "CpuMeter", messages: int) -> Measurement:
    return Measurement(meter.seconds / messages * 1e6, tuple(meter.memory))


PROCESSES: Final = "simpy-processes"
CALLBACKS: Final = "simpy-callbacks"
COMPONENTS: Final = "ns.py"
LIMIT: Final = "limit.c"
FEW_HOSTS: Final = "av1-trace-100-hosts"
TEN_THOUSAND_HOSTS: Final = "av2-trace-10000-hosts"
TEN_THOUSAND_HOSTS_WITH_100: Final = "av2-trace-100-of-10000-hosts"
HEAP: Final = "heapq"

WITHOUT_CORE: Final = frozenset({PROCESSES, CALLBACKS, COMPONENTS, LIMIT, HEAP})
"""The programs that are not programs of mobilesim."""

STATIC_NETWORKS: Final = {
    f"static-{hosts}-{ordering}": (ordering, hosts)
    for hosts in (20, 50, 200)
    for ordering in (row.ordering for row in catalogue.pairs() if row.placement == "resident")
}

MOVEMENTS: Final = {
    f"{protocol}-{setting}-{movement}": (protocol, setting, movement)
    for protocol, setting in (("fifo", "bare"), ("av1", "trace"))
    for movement in ("waypoint", "gauss-markov")
}

PROGRAMS: Final[Mapping[str, Benchmark]] = {
    PROCESSES: _processes,
    CALLBACKS: _callbacks,
    COMPONENTS: _components,
    LIMIT: _limit,
    **{
        f"{protocol}-{setting}": partial(_simulator, protocol=protocol, setting=setting)
        for protocol in ("fifo", "av1", "av2")
        for setting in ("bare", "oracle", "trace")
    },
    **{
        name: partial(_simulator, protocol=protocol, setting=setting, movement=movement)
        for name, (protocol, setting, movement) in MOVEMENTS.items()
    },
    FEW_HOSTS: partial(_simulator, protocol="av1", setting="trace", hosts=100),
    TEN_THOUSAND_HOSTS: partial(_ten_thousand_hosts, hosts=10_000),
    TEN_THOUSAND_HOSTS_WITH_100: partial(_ten_thousand_hosts, hosts=100),
    HEAP: _heap,
    **{
        name: partial(_static_network, ordering=ordering, hosts=hosts)
        for name, (ordering, hosts) in STATIC_NETWORKS.items()
    },
}


def missing(name: str) -> str | None:
    """Return what a program needs and this machine does not have, or None if the program can run."""
    if name == LIMIT and compiler() is None:
        return "there is no C compiler"
    if name == COMPONENTS and find_spec("ns") is None:
        return "ns.py is not installed"
    return None


@dataclass(frozen=True, slots=True)
class Variant:
    """A program and the core that it runs with."""

    program: str
    core: str

    @property
    def label(self) -> str:
        return label(self.program, self.core)


def label(program: str, core: str) -> str:
    """Return the name of a result: with the core, if the program is one of mobilesim."""
    return program if program in WITHOUT_CORE else f"{program}/{core}"


def variants(names: Sequence[str], cores: Sequence[str]) -> list[Variant]:
    """Return the variants of the programs in the order of measurement."""
    return [Variant(name, core) for name in names for core in ((PURE,) if name in WITHOUT_CORE else cores)]


def run_rounds(chosen: Sequence[Variant], messages: int, rounds: int) -> Iterator[tuple[str, Measurement]]:
    """Run the programs in turn (A B C, A B C, ...), so that a temporary load of the machine affects all of them."""
    for _ in range(rounds):
        for variant in chosen:
            found = run_module("benchmarks.one_program", [variant.program, str(messages)], variant.core)
            assert found["core"] == variant.core
            samples = ((int(sent), int(peak)) for sent, peak in found["memory"])
            yield variant.label, Measurement(found["microseconds"], tuple(samples))
