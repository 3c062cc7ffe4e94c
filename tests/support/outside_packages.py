"""Packages outside of mobilesim: their modules and, if they are installed, the metadata of their distribution."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from sys import modules
from textwrap import dedent

import pytest

from mobilesim.extensions import plugin_files
from mobilesim.extensions.resolution import clear_cache
from mobilesim.protocols import catalogue

SPARSE = dedent(
    '''\
    """The matrix of sends under another name, and what its author might also write."""

    from mobilesim.contract.orderings import Option, OrderingRow, declares
    from mobilesim.protocols.orderings.rst import Rst


    @declares(OrderingRow("sparse", "matrix of sends", "-", "N^2", options=(("limit", Option("a limit", (8, 16))),)))
    class Sparse(Rst):
        def __init__(self, size: int, limit: int = 8) -> None:
            super().__init__(size)


    @declares(OrderingRow("future", "-", "-", "N^2"), contract=2)
    class Future(Rst):
        pass


    class Undeclared(Rst):
        pass


    @declares(OrderingRow("misspelt", "-", "-", "N^2", serves="broadcast"))
    class Misspelt(Rst):
        pass


    @declares(OrderingRow("unfinished", "-", "-", "N^2"))
    class Unfinished(Rst):
        def process(self, index):
            return self.missing_name
    '''
)

WALK = dedent(
    '''\
    """A mobility model and a workload."""

    from mobilesim.contract.models import (
        Count, Fault, MobilityRow, Path, Section, Speed, TrafficSource, WorkloadRow, all_others, declares, setting
    )


    class Walk(Section):
        speed: Speed = setting("2 m/s", "The speed.")

        def faults(self):
            if self.speed > 50:
                yield Fault("hosts do not walk this fast", ("speed",))


    @declares(MobilityRow(Walk, "hosts walk to and fro"))
    def walk(settings, plane, streams, host):
        path = Path(plane.width * streams.stream("movement", host).random(), plane.height / 2)
        while True:
            yield path.to(plane.width, plane.height / 2, settings.speed)
            yield path.to(0, plane.height / 2, settings.speed)


    class Ring(Section):
        step: Count = setting(1, "The distance from source to destination.")


    @declares(WorkloadRow(Ring, "messages along a ring"))
    def ring(settings, traffic):
        traffic.address = lambda: (((traffic.host + settings.step) % traffic.hosts,), -1, 10)


    @declares(WorkloadRow(None, "messages to everyone"))
    def too_many(settings, traffic):
        traffic.address = lambda: (all_others(traffic.hosts, traffic.host), -1, 10)


    @declares(WorkloadRow(None, "a workload with a mistake"))
    def mistaken(settings, traffic):
        traffic.adress()


    @declares(MobilityRow(None, "a model with a mistake"))
    def stumble(settings, plane, streams, host):
        yield Path(0, 0).to(5, 5, 1)
        yield Path(0, 0).to(5)
    '''
)


@contextmanager
def fresh_extensions() -> Iterator[None]:
    """Forget the outside packages of earlier tests, and those of a test at its end."""
    before = set(modules)
    plugin_files.LOADED.clear()
    clear_cache()
    try:
        yield
    finally:
        for name in set(modules) - before:
            path = getattr(modules[name], "__file__", None) or ""
            if "/mobilesim/" not in path and "site-packages" not in path and "/lib/python" not in path:
                del modules[name]
        plugin_files.LOADED.clear()
        catalogue.OUTSIDE_ORDERINGS.clear()
        catalogue.OUTSIDE_PLACEMENTS.clear()
        clear_cache()


def package(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str],
    entry_points: str = "",
    name: str = "outside",
) -> None:
    """Put modules on the path. With entry points, the folder looks like that of an installed distribution 1.5."""
    folder.mkdir(exist_ok=True)
    for module, text in files.items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    if entry_points:
        metadata = folder / f"{name}-1.5.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(dedent(entry_points), encoding="utf-8")
        (metadata / "top_level.txt").write_text("\n".join(files), encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    clear_cache()
