"""The results as a table and as JSON. A ratio is the median over the rounds, with the least and the most."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from benchmarks import static_network
from benchmarks.fresh_process import COMPILED, PURE
from benchmarks.programs import (
    CALLBACKS,
    COMPONENTS,
    FEW_HOSTS,
    HEAP,
    LIMIT,
    MOVEMENTS,
    PROCESSES,
    STATIC_NETWORKS,
    TEN_THOUSAND_HOSTS,
    TEN_THOUSAND_HOSTS_WITH_100,
    BenchmarkResult,
    label,
)

Results = Mapping[str, BenchmarkResult]

_BASELINES: Final = (CALLBACKS, COMPONENTS, LIMIT)
_HEADINGS: Final = ("us/message", "min", "max", *(f"x {name}" for name in _BASELINES))
_WIDTHS: Final = (10, 8, 8, 24, 24, 24)
_MEGABYTE: Final = 1e6
_CORES: Final = (COMPILED, PURE)


@dataclass(frozen=True, slots=True)
class Target:
    """The maximum ratio of the CPU times of two programs. `cores`: the cores for which it is a target."""

    what: str
    program: str
    other: str
    at_most: float
    cores: tuple[str, ...] = _CORES


_FULL: Final = "with oracle and trace, and three hops in"
TARGETS: Final = (
    Target(f"av1 {_FULL} ns.py", "av1-trace", COMPONENTS, 0.25, (COMPILED,)),
    Target(f"av1 {_FULL} SimPy with callbacks", "av1-trace", CALLBACKS, 1.6, (COMPILED,)),
    Target("av1 with oracle and trace, and its flow in C", "av1-trace", LIMIT, 15, (COMPILED,)),
    Target(f"av2 {_FULL} ns.py", "av2-trace", COMPONENTS, 0.7, (COMPILED,)),
    Target(f"av1 {_FULL} ns.py", "av1-trace", COMPONENTS, 1.0, (PURE,)),
    Target("fifo without oracle, and SimPy with a process per message", "fifo-bare", PROCESSES, 3.0),
    Target("fifo without oracle, and SimPy with callbacks", "fifo-bare", CALLBACKS, 3.0),
    Target("av1 with and without oracle", "av1-oracle", "av1-bare", 1.25),
    Target("av1 with and without trace", "av1-trace", "av1-oracle", 1.35),
    Target("av1 with 1,000 hosts and with 100", "av1-trace", FEW_HOSTS, 3.0),
    Target("av1 and av2 with 1,000 hosts", "av1-trace", "av2-trace", 1.5),
    Target("av2 with 10,000 hosts and with 100", TEN_THOUSAND_HOSTS, TEN_THOUSAND_HOSTS_WITH_100, 1.5),
    *(
        Target(f"{protocol}, {setting}, with {movement} and with cell changes", name, f"{protocol}-{setting}", 1.2)
        for name, (protocol, setting, movement) in MOVEMENTS.items()
    ),
)

_MEASURED: Final = ("fifo", "av1", "av2")
# A factor, and the two programs of each protocol that it compares.
FACTORS: Final = (("trace on/off", "trace", "oracle"), ("oracle on/off", "oracle", "bare"))


@dataclass(frozen=True, slots=True)
class Ratio:
    median: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.least:.2f}-{self.most:.2f})"


def document(results: Results, messages: int) -> dict[str, Any]:
    return {
        "messages": messages,
        "microseconds": {name: result.all for name, result in results.items()},
        "medians": {name: result.median for name, result in results.items()},
        "targets": [
            {"what": what, "core": core, "ratio": ratio.median, "at_most": most, "met": ratio.median <= most}
            for what, core, ratio, most in _judged(results)
        ],
        "factors": [
            {"factor": factor, "of": of, "ratio": ratio.median, "least": ratio.least, "most": ratio.most}
            for factor, of, ratio in _factors(results)
        ],
        "static_networks": [
            {"name": name, "messages_per_second": rate, "times_naive": times, "at_least": least}
            for name, rate, times, least in _static_networks(results)
        ],
        "memory": {name: list(result.rounds[-1].memory) for name, result in results.items()},
    }


def lines(results: Results) -> Iterator[str]:
    yield from _table(results)
    yield from _factor_lines(results)
    yield from _target_lines(results)
    yield from _rate_lines(results)
    yield from _memory_lines(results)


def ratio_of(results: Results, name: str, other: str) -> Ratio | None:
    """Return the ratio of two programs, or None if one was not measured."""
    if name not in results or other not in results:
        return None
    ratios = [one / two for one, two in zip(results[name].all, results[other].all, strict=False)]
    return Ratio(median(ratios), min(ratios), max(ratios)) if ratios else None


def _table(results: Results) -> Iterator[str]:
    width = max(map(len, results), default=0)
    yield _row(" " * width, _HEADINGS)
    for name, result in results.items():
        spread = [f"{number:.2f}" for number in (result.median, min(result.all), max(result.all))]
        yield _row(f"{name:<{width}}", [*spread, *(_against(results, name, other) for other in _BASELINES)])


def _against(results: Results, name: str, other: str) -> str:
    """Return the ratio to a baseline, which is of no use for a static network: its messages have many destinations."""
    return "-" if name.startswith("static-") else str(ratio_of(results, name, other) or "-")


def _row(name: str, cells: Sequence[str]) -> str:
    return name + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))


def _factors(results: Results) -> Iterator[tuple[str, str, Ratio]]:
    """Yield for each factor: its name, the program that it belongs to, and the ratio."""
    for factor, one, other in FACTORS:
        for core in _CORES:
            for protocol in _MEASURED:
                names = label(f"{protocol}-{one}", core), label(f"{protocol}-{other}", core)
                if (ratio := ratio_of(results, *names)) is not None:
                    yield factor, label(protocol, core), ratio
    for name in results:
        program = name.removesuffix(f"/{COMPILED}")
        if program != name and (ratio := ratio_of(results, name, label(program, PURE))) is not None:
            yield "compiled/pure", program, ratio


def _factor_lines(results: Results) -> Iterator[str]:
    for factor, of, ratio in _factors(results):
        yield f"{factor}, {of}: {ratio}"


def _judged(results: Results) -> Iterator[tuple[str, str, Ratio, float]]:
    for target in TARGETS:
        for core in target.cores:
            ratio = ratio_of(results, label(target.program, core), label(target.other, core))
            if ratio is not None:
                yield target.what, core, ratio, target.at_most


def _target_lines(results: Results) -> Iterator[str]:
    for what, core, ratio, most in _judged(results):
        met = "met" if ratio.median <= most else "missed"
        yield f"{what}, {core}: {ratio} (target: at most {most:g}) {met}"


def _static_networks(results: Results) -> Iterator[tuple[str, float, float | None, float | None]]:
    """Yield for each ordering: name, messages per second, speedup over a naive implementation, and minimum speedup."""
    for program, (ordering, hosts) in STATIC_NETWORKS.items():
        for name in (label(program, core) for core in _CORES):
            if name in results:
                microseconds, times = results[name].median, None
                if HEAP in results:
                    times = static_network.speedup(ordering, hosts, microseconds, results[HEAP].median)
                yield name, 1e6 / microseconds, times, static_network.TARGETS.get(hosts)


def _rate_lines(results: Results) -> Iterator[str]:
    for name, rate, times, least in _static_networks(results):
        text = f"{name}: {rate:,.0f} messages/s"
        if times is not None and least is not None:
            met = "met" if times >= least else "missed"
            text += f", {times:.1f} x naive (target: at least {least:g}) {met}"
        yield text


def _memory_lines(results: Results) -> Iterator[str]:
    for name, result in results.items():
        samples = result.rounds[-1].memory
        if samples:
            yield f"peak memory of {name}: " + ", ".join(
                f"{peak / _MEGABYTE:.0f} MB by {sent:,} messages" for sent, peak in _spaced(samples)
            )


def _spaced(samples: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Return five samples at equal distances, including the last sample."""
    count = len(samples)
    return [samples[count * part // 5 - 1] for part in range(1, 6)] if count >= 5 else list(samples)
