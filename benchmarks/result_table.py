"""The results as a table and as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchmarks import static_network
from benchmarks.programs import (
    CALLBACKS,
    COMPONENTS,
    FEW_HOSTS,
    HEAP,
    MOVEMENTS,
    PROCESSES,
    STATIC_NETWORKS,
    TEN_THOUSAND_HOSTS,
    TEN_THOUSAND_HOSTS_WITH_100,
    BenchmarkResult,
)

Results = Mapping[str, BenchmarkResult]

_BASELINES: Final = (CALLBACKS, PROCESSES, COMPONENTS)
_HEADINGS: Final = ("us/message", "min", "max", *(f"x {name}" for name in _BASELINES))
_MEGABYTE: Final = 1e6

# A description, two programs, and the maximum ratio of their CPU times.
TARGETS: Final = (
    ("av1 with oracle and trace, and three hops in ns.py", "av1-trace", COMPONENTS, 1.0),
    ("fifo without oracle, and SimPy with a process per message", "fifo-bare", PROCESSES, 3.0),
    ("fifo without oracle, and SimPy with callbacks", "fifo-bare", CALLBACKS, 3.0),
    ("av1 with and without oracle", "av1-oracle", "av1-bare", 1.3),
    ("av1 with and without trace", "av1-trace", "av1-oracle", 1.35),
    ("av1 with 1,000 hosts and with 100", "av1-trace", FEW_HOSTS, 3.0),
    ("av1 and av2 with 1,000 hosts", "av1-trace", "av2-trace", 1.5),
    ("av2 with 10,000 hosts and with 100", TEN_THOUSAND_HOSTS, TEN_THOUSAND_HOSTS_WITH_100, 1.5),
    *(
        (f"{protocol}, {setting}, with {movement} and with cell changes", name, f"{protocol}-{setting}", 1.2)
        for name, (protocol, setting, movement) in MOVEMENTS.items()
    ),
)


def document(results: Results, messages: int) -> dict[str, Any]:
    return {
        "messages": messages,
        "microseconds": {name: result.all for name, result in results.items()},
        "medians": {name: result.median for name, result in results.items()},
        "targets": [
            {"what": what, "ratio": ratio, "at_most": most, "met": ratio <= most}
            for what, ratio, most in _ratios(results)
        ],
        "static_networks": [
            {"name": name, "messages_per_second": rate, "times_naive": times, "at_least": least}
            for name, rate, times, least in _static_networks(results)
        ],
        "memory": {name: list(result.rounds[-1].memory) for name, result in results.items()},
    }


def lines(results: Results) -> Iterator[str]:
    width = max(map(len, results), default=0)
    yield " " * width + "".join(f"  {heading:>17}" for heading in _HEADINGS)
    for name, result in results.items():
        spread = (result.median, min(result.all), max(result.all))
        cells = [f"{number:.2f}" for number in spread] + [_against(results, name, other) for other in _BASELINES]
        yield f"{name:<{width}}" + "".join(f"  {cell:>17}" for cell in cells)
    yield from _target_lines(results)
    yield from _rate_lines(results)
    yield from _memory_lines(results)


def _against(results: Results, name: str, other: str) -> str:
    return f"{_ratio(results, name, other):.2f}" if other in results else "-"


def _ratio(results: Results, name: str, other: str) -> float:
    return results[name].median / results[other].median


def _ratios(results: Results) -> Iterator[tuple[str, float, float]]:
    for what, name, other, most in TARGETS:
        if name in results and other in results:
            yield what, _ratio(results, name, other), most


def _target_lines(results: Results) -> Iterator[str]:
    for what, ratio, most in _ratios(results):
        yield f"{what}: {ratio:.2f} (target: at most {most:g}) {'met' if ratio <= most else 'missed'}"


def _static_networks(results: Results) -> Iterator[tuple[str, float, float | None, float]]:
    """Yield for each ordering: name, messages per second, speedup over a naive implementation, and minimum speedup."""
    for name, (ordering, hosts) in STATIC_NETWORKS.items():
        if name in results:
            microseconds, times = results[name].median, None
            if HEAP in results:
                times = static_network.speedup(ordering, hosts, microseconds, results[HEAP].median)
            yield name, 1e6 / microseconds, times, static_network.TARGETS[hosts]


def _rate_lines(results: Results) -> Iterator[str]:
    for name, rate, times, least in _static_networks(results):
        met = "" if times is None else f", {times:.1f} x naive (target: at least {least:g}) "
        yield f"{name}: {rate:,.0f} messages/s{met}{'' if times is None else 'met' if times >= least else 'missed'}"


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
