"""A space-time diagram of a short tape, as SVG: a line for each node, an arrow for each packet or frame.

It is made for counter-examples: every step has the same width. Longer tapes are shown by the viewer.
"""

from collections.abc import Iterator
from typing import Final

from mobilesim.drawing.canvas import INK, PAPER, Canvas
from mobilesim.errors import UserError, counted
from mobilesim.tape.events import Arrival, Event, EventKind, Tape

MOST_STEPS: Final = 200

_LEFT: Final = 40.0
_TOP: Final = 44.0
_STEP: Final = 44.0
_ROW: Final = 52.0
_LINE: Final = 18.0
_RADIUS: Final = 5.0

_DATA: Final = "#1f5fa8"
_OTHER: Final = "#9aa5b1"
_FAULT: Final = "#b3261e"
_STATION: Final = "#7c6f57"
_AWAY: Final = "2 5"
_LEGEND: Final = (
    "circle: submits; dot: delivers; blue: a message; grey: other packets; cross: lost; dotted: still in transit"
)


def space_time(tape: Tape, title: str) -> str:
    """Return the diagram of a tape of steps. Below it are its faults, and a legend."""
    steps = int(tape.columns["time"].max(initial=0))
    if tape.header.unit != "step" or steps > MOST_STEPS:
        raise UserError(f"{counted(steps, 'step')}: a picture shows counter-examples of up to {MOST_STEPS} steps")
    faults = [event for event in tape.events() if event.kind is EventKind.FAULT]
    picture = _Picture(tape, steps, faults, title)
    picture.draw(faults)
    return picture.canvas.document()


class _Picture:
    def __init__(self, tape: Tape, steps: int, faults: list[Event], title: str) -> None:
        self.tape, self.steps = tape, steps
        self.faults = {(fault.time, fault.message, fault.host) for fault in faults}
        header = tape.header
        self.rows = [header.stations + host for host in range(header.hosts)] + list(range(header.stations))
        self.width = max(_LEFT + (steps + 1.2) * _STEP, 700.0)
        self.bottom = _TOP + len(self.rows) * _ROW
        self.canvas = Canvas(self.width, self.bottom + (len(faults) + 1) * _LINE, title)

    def x(self, step: float) -> float:
        return _LEFT + step * _STEP

    def y(self, node: int) -> float:
        return _TOP + self.rows.index(node) * _ROW

    def draw(self, faults: list[Event]) -> None:
        canvas, events = self.canvas, list(self.tape.events())
        canvas.element("rect", width="100%", height="100%", fill=PAPER)
        self._draw_steps()
        self._draw_lines(events)
        for event in events:
            if event.kind in {EventKind.FRAME, EventKind.PACKET}:
                self._draw_leg(event)
        submitted: set[int] = set()
        for event in events:
            # A submission has an event for each destination.
            if event.kind is not EventKind.SUBMITTED or event.message not in submitted:
                self._draw_mark(event)
            if event.kind is EventKind.SUBMITTED:
                submitted.add(event.message)
        for number, fault in enumerate(faults):
            canvas.text(f"fault: {fault.name}", x=8, y=self.bottom + number * _LINE, fill=_FAULT)
        canvas.text(_LEGEND, x=8, y=self.bottom + len(faults) * _LINE, fill=INK, font_size=11)

    def _draw_steps(self) -> None:
        for step in range(1, self.steps + 1):
            self.canvas.text(str(step), x=self.x(step), y=14, fill=_OTHER, font_size=11, text_anchor="middle")

    def _draw_lines(self, events: list[Event]) -> None:
        """Draw the line of each node. It is dashed while a host is in no cell; its cell is written where it changes."""
        for node in self.rows:
            host, y = node - self.tape.header.stations, self.y(node)
            self.canvas.text(self.tape.node_name(node), x=8, y=y + 4, fill=INK)
            if host < 0:
                self._draw_line(0.4, self.steps + 0.8, y, _STATION, present=True)
                continue
            for since, until, cell in self._stays(host, events):
                self._draw_line(since, until, y, INK, present=cell >= 0)
                if cell >= 0:
                    self.canvas.text(f"in s{cell}", x=self.x(since) + 3, y=y - 8, fill=_STATION, font_size=11)

    def _stays(self, host: int, events: list[Event]) -> Iterator[tuple[float, float, int]]:
        """Yield the begin, the end and the station of each stay in a cell; -1 while the host is in none."""
        since, cell = 0.4, self.tape.header.cells[host]
        for event in events:
            if event.host == host and event.kind in {EventKind.LEFT, EventKind.ENTERED}:
                yield since, event.time, cell
                since, cell = event.time, event.peer if event.kind is EventKind.ENTERED else -1
        yield since, self.steps + 0.8, cell

    def _draw_line(self, since: float, until: float, y: float, color: str, *, present: bool) -> None:
        dashes = {} if present else {"stroke_dasharray": _AWAY}
        self.canvas.element("line", x1=self.x(since), y1=y, x2=self.x(until), y2=y, stroke=color, **dashes)

    def _draw_leg(self, leg: Event) -> None:
        color = _DATA if leg.message >= 0 else _OTHER
        x1, y1, x2, y2 = self.x(leg.time), self.y(leg.node), self.x(leg.until), self.y(leg.peer)
        if leg.detail != Arrival.RECEIVED:
            part = 0.5 if leg.detail == Arrival.LOST else min(0.5, 0.8 * _STEP / max(x2 - x1, 1.0))
            x2, y2 = x1 + (x2 - x1) * part + (0.3 * _STEP if x1 == x2 else 0), y1 + (y2 - y1) * part
        # A packet from a station to itself is drawn as a bow below its line.
        bow = 18.0 if leg.node == leg.peer else 0.0
        with self.canvas.group("g", stroke=color, fill="none", stroke_width=1.6 if leg.message >= 0 else 1):
            dashes = {"stroke_dasharray": "1 4"} if leg.detail == Arrival.IN_TRANSIT else {}
            path = f"M{x1:.1f} {y1:.1f}Q{(x1 + x2) / 2:.1f} {(y1 + y2) / 2 + bow:.1f} {x2:.1f} {y2:.1f}"
            self.canvas.element("path", d=path, **dashes)
            if leg.detail == Arrival.RECEIVED:
                self._draw_head(x1, y1, x2, y2)
            elif leg.detail == Arrival.LOST:
                self.canvas.element("path", d=f"M{x2 - 4:.1f} {y2 - 4:.1f}l8 8m0 -8l-8 8")
        label = f"m{leg.message}" if leg.message >= 0 else leg.name
        size = 12 if leg.message >= 0 else 9
        middle = 0.62 if leg.detail == Arrival.RECEIVED else 1.0
        x, y = x1 + (x2 - x1) * middle, y1 + (y2 - y1) * middle
        self.canvas.text(label, x=x + 4, y=y + 3 + bow / 2, fill=color, font_size=size)

    def _draw_head(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw the head of an arrow."""
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1.0)
        ux, uy = (x2 - x1) / length * 7, (y2 - y1) / length * 7
        ends = [(x2 - ux - uy / 2, y2 - uy + ux / 2), (x2, y2), (x2 - ux + uy / 2, y2 - uy - ux / 2)]
        self.canvas.element("path", d="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in ends))

    def _draw_mark(self, event: Event) -> None:
        if event.kind not in {EventKind.SUBMITTED, EventKind.DELIVERED, EventKind.DROPPED}:
            return
        x, y = self.x(event.time), self.y(event.node)
        wrong = event.kind is not EventKind.SUBMITTED and (event.time, event.message, event.host) in self.faults
        color = _FAULT if wrong else _DATA
        fill = PAPER if event.kind is EventKind.SUBMITTED else color
        self.canvas.element("circle", cx=x, cy=y, r=_RADIUS, fill=fill, stroke=color, stroke_width=1.6)
        below = event.kind is EventKind.SUBMITTED
        self.canvas.text(f"m{event.message}", x=x - 6, y=y + (20 if below else -8), fill=color, font_weight="bold")
