"""What happens between two times."""

from collections.abc import Iterator

from mobilesim.tracks.position import Fix
from mobilesim.tracks.trajectory import Paths


def window(fixes: Iterator[Fix], start: int, end: int | None) -> Iterator[Fix]:
    """Times count from `start`. Who is on its way then begins amid it, and ends amid it at `end`."""
    paths = Paths()
    for fix in _within(fixes, start, end):
        yield from paths.add(fix._replace(time=fix.time - start))


def _within(fixes: Iterator[Fix], start: int, end: int | None) -> Iterator[Fix]:
    before: dict[str, Fix] = {}
    for fix in fixes:
        last = before.get(fix.node)
        before[fix.node] = fix
        if fix.time < start or (last is not None and end is not None and last.time > end):
            continue
        if last is not None and last.here and last.time < start < fix.time:
            yield _between(last, fix, start)
        if end is None or fix.time <= end:
            yield fix
        elif last is not None and last.here:
            yield _between(last, fix, end)
    for last in before.values():
        if last.here and last.time < start:
            yield last._replace(time=start)


def _between(last: Fix, fix: Fix, time: int) -> Fix:
    share = (time - last.time) / (fix.time - last.time)
    return Fix(fix.node, time, last.x + share * (fix.x - last.x), last.y + share * (fix.y - last.y), True)
