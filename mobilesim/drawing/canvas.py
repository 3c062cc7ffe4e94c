"""An SVG document, and the projection of the plane onto it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from mobilesim.geometry.voronoi import Site

MADE: Final = "<!-- drawn by mobilesim -->"

PAPER: Final = "#ffffff"
REACHED: Final = "#edf3f9"
BORDER: Final = "#b4c0cd"
WIRE: Final = "#9a8f7a"
INK: Final = "#3a4552"

Attribute = str | float


class Canvas:
    def __init__(self, width: float, height: float, title: str) -> None:
        self._size = number(width), number(height)
        self._title = title
        self._lines: list[str] = []

    def element(self, name: str, **attributes: Attribute) -> None:
        self._lines.append(f"<{name}{_written(attributes)}/>")

    def text(self, content: str, **attributes: Attribute) -> None:
        self._lines.append(f"<text{_written(attributes)}>{escape(content)}</text>")

    @contextmanager
    def group(self, name: str = "g", **attributes: Attribute) -> Iterator[None]:
        self._lines.append(f"<{name}{_written(attributes)}>")
        yield
        self._lines.append(f"</{name}>")

    def document(self) -> str:
        width, height = self._size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            'font-family="system-ui, sans-serif" font-size="13">'
        )
        return "\n".join([MADE, head, f"<title>{escape(self._title)}</title>", *self._lines, "</svg>", ""])


@dataclass(frozen=True, slots=True)
class Frame:
    """Maps metres on the plane to pixels. North is up."""

    scale: float
    left: float
    bottom: float

    def at(self, point: Site) -> Site:
        return self.left + self.scale * point[0], self.bottom - self.scale * point[1]

    def rounded(self, point: Site) -> Site:
        x, y = self.at(point)
        return round(x, 1), round(y, 1)


def number(value: float) -> str:
    return _tenths(round(value * 10))


def path_data(lines: Iterable[Sequence[Site]]) -> str:
    """Return the `d` attribute of lines. A line with one point is a dot.

    Steps are differences of coordinates in whole tenths of a pixel, so rounding errors do not add up.
    """
    steps: list[str] = []
    here: tuple[int, int] | None = None
    for line in lines:
        points = [(round(x * 10), round(y * 10)) for x, y in line]
        steps.append(_step("M", points[0]) if here is None else _step("m", points[0], here))
        here = points[0]
        turns = [(before, after) for before, after in pairwise(points) if before != after]
        steps += [_step("l", after, before) for before, after in turns] or ["h0"]
        here = points[-1]
    return "".join(steps)


def _step(letter: str, to: tuple[int, int], since: tuple[int, int] = (0, 0)) -> str:
    return f"{letter}{_tenths(to[0] - since[0])} {_tenths(to[1] - since[1])}"


def _tenths(value: int) -> str:
    whole, tenth = divmod(abs(value), 10)
    return f"{'-' * (value < 0)}{whole}{f'.{tenth}' if tenth else ''}"


def _written(attributes: dict[str, Attribute]) -> str:
    texts = ((name, it if isinstance(it, str) else number(it)) for name, it in attributes.items())
    return "".join(f" {name.replace('_', '-')}={quoteattr(text)}" for name, text in texts)
