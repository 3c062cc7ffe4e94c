"""What came out, as a table and as a document."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchmarks import mesh
from benchmarks.contest import (
    CALLBACKS,
    COMPONENTS,
    CROWD,
    FEW_HOSTS,
    FEW_OF_CROWD,
    HEAP,
    MESHES,
    PROCESSES,
    WALKERS,
    Standing,
)

Standings = Mapping[str, Standing]

_YARDSTICKS: Final = (CALLBACKS, PROCESSES, COMPONENTS)
_HEADINGS: Final = ("us/message", "least", "most", *(f"x {name}" for name in _YARDSTICKS))
_MEGABYTE: Final = 1e6

# What, of whom, compared with whom, and how much that may be at most.
AIMS: Final = (
    ("a full av1 message and three bare hops in ns.py", "av1-trace", COMPONENTS, 1.0),
    ("fifo, bare, and SimPy with a process per message", "fifo-bare", PROCESSES, 3.0),
    ("fifo, bare, and SimPy with callbacks", "fifo-bare", CALLBACKS, 3.0),
    ("av1 with and without its oracle", "av1-oracle", "av1-bare", 1.3),
    ("av1 with and without its trace", "av1-trace", "av1-oracle", 1.35),
    ("av1 with 1,000 hosts and with 100", "av1-trace", FEW_HOSTS, 3.0),
    ("av1 and av2 with 1,000 hosts", "av1-trace", "av2-trace", 1.5),
    ("av2 with 10,000 hosts and with 100", CROWD, FEW_OF_CROWD, 1.5),
    *(
        (f"{protocol}, {setting}, by {movement} and from cell to cell", name, f"{protocol}-{setting}", 1.2)
        for name, (protocol, setting, movement) in WALKERS.items()
    ),
)


def document(standings: Standings, messages: int) -> dict[str, Any]:
    return {
        "messages": messages,
        "microseconds": {name: standing.all for name, standing in standings.items()},
        "medians": {name: standing.median for name, standing in standings.items()},
        "aims": [
            {"what": what, "ratio": ratio, "at_most": most, "met": ratio <= most}
            for what, ratio, most in _ratios(standings)
        ],
        "meshes": [
            {"name": name, "messages_per_second": rate, "times_naive": times, "at_least": least}
            for name, rate, times, least in _meshes(standings)
        ],
        "memory": {name: list(standing.rounds[-1].memory) for name, standing in standings.items()},
    }


def lines(standings: Standings) -> Iterator[str]:
    width = max(map(len, standings), default=0)
    yield " " * width + "".join(f"  {heading:>17}" for heading in _HEADINGS)
    for name, standing in standings.items():
        spread = (standing.median, min(standing.all), max(standing.all))
        cells = [f"{number:.2f}" for number in spread] + [_against(standings, name, other) for other in _YARDSTICKS]
        yield f"{name:<{width}}" + "".join(f"  {cell:>17}" for cell in cells)
    yield from _aims(standings)
    yield from _rates(standings)
    yield from _memory(standings)


def _against(standings: Standings, name: str, other: str) -> str:
    return f"{_ratio(standings, name, other):.2f}" if other in standings else "-"


def _ratio(standings: Standings, name: str, other: str) -> float:
    return standings[name].median / standings[other].median


def _ratios(standings: Standings) -> Iterator[tuple[str, float, float]]:
    for what, name, other, most in AIMS:
        if name in standings and other in standings:
            yield what, _ratio(standings, name, other), most


def _aims(standings: Standings) -> Iterator[str]:
    for what, ratio, most in _ratios(standings):
        yield f"{what}: {ratio:.2f} (aim: at most {most:g}) {'met' if ratio <= most else 'missed'}"


def _meshes(standings: Standings) -> Iterator[tuple[str, float, float | None, float]]:
    """Of every ordering in the static network: messages a second, and how many times what a naive one would do."""
    for name, (ordering, hosts) in MESHES.items():
        if name in standings:
            microseconds, times = standings[name].median, None
            if HEAP in standings:
                times = mesh.quickness(ordering, hosts, microseconds, standings[HEAP].median)
            yield name, 1e6 / microseconds, times, mesh.AIMS[hosts]


def _rates(standings: Standings) -> Iterator[str]:
    for name, rate, times, least in _meshes(standings):
        met = "" if times is None else f", {times:.1f} x naive (aim: at least {least:g}) "
        yield f"{name}: {rate:,.0f} messages/s{met}{'' if times is None else 'met' if times >= least else 'missed'}"


def _memory(standings: Standings) -> Iterator[str]:
    for name, standing in standings.items():
        samples = standing.rounds[-1].memory
        if samples:
            yield f"peak memory of {name}: " + ", ".join(
                f"{peak / _MEGABYTE:.0f} MB by {sent:,} messages" for sent, peak in _few(samples)
            )


def _few(samples: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Five of them, evenly spread, the last one included."""
    count = len(samples)
    return [samples[count * part // 5 - 1] for part in range(1, 6)] if count >= 5 else list(samples)
