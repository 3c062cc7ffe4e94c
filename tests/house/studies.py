"""The pages of the shipped studies in `docs/what-if`.
Each page has two blocks between comments: the differences that `mobilesim what-if` prints, and a table of their
parts. `python -m tests.house.studies` runs all studies and writes these blocks again.
"""

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mobilesim.analysis.figures.style import words
from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.summary.formatting import Scale, Unit
from mobilesim.analysis.summary.metrics import Metric
from mobilesim.analysis.sweeps.model import SweepSummary
from mobilesim.analysis.sweeps.variants import HEAD, NUMERIC_COLUMNS
from mobilesim.api.text_tables import aligned
from mobilesim.cli.main import main
from mobilesim.scenario import bundled
from tests.house.tree import ROOT

PAGES: Final = ROOT / "docs" / "what-if"

_BLOCKS: Final = ("result of the study", "components")
_END: Final = "```\n\n<!-- end -->\n"

_PARTS: Final = {
    "battery": ("downlink_queue", "uplink_air", "downlink_air", "energy.ordering", "energy.idle", "energy.doze"),
    "half-bandwidth": (
        "uplink_air",
        "uplink_queue",
        "downlink_air",
        "downlink_queue",
        "wired",
        "energy.payload",
        "energy.ordering",
        "energy.idle",
    ),
    "placement-of-headers": (
        "uplink_air",
        "downlink_air",
        "energy.ordering",
        "energy.idle",
        "wired.payload",
        "wired.ordering",
        "wired.handoff",
        "wired.control",
    ),
    "ring-backbone": ("wired", "wired.payload", "wired.ordering", "wired.handoff", "wired.control"),
    "shorter-headers": (
        "uplink_air",
        "downlink_air",
        "energy.ordering",
        "wired.payload",
        "wired.ordering",
        "wired.handoff",
        "wired.control",
    ),
    "slow-air": ("uplink_air", "uplink_queue", "downlink_air", "downlink_queue", "energy.ordering", "energy.idle"),
}


def part(metric: str) -> Metric:
    """Return the metric of a part: a part of the delay, of the hosts' energy, or of the bytes on wired links."""
    of, _, purpose = metric.partition(".")
    unit = {"energy": Unit("mJ", 1e-3), "wired": Unit("B", 1.0)}[of] if purpose else Unit("ms", 1e6)
    name = "hand-off" if purpose == "handoff" else words(purpose)
    title = {"energy": f"energy, {name}", "wired": f"wires, {name}"}[of] if purpose else metric
    return Metric(metric, title, Scale((unit,)))


def page(name: str) -> Path:
    return PAGES / f"{Path(name).name}.md"


def blocks_of_page(name: str) -> list[str]:
    """Return the two blocks of a study's page."""
    text = page(name).read_text(encoding="utf-8")
    return [text.partition(_begin(block))[2].partition(_END)[0] for block in _BLOCKS]


def blocks_of_run(name: str) -> list[str]:
    """Run a study and return its two blocks: the differences with their first differing events, and their parts."""
    with TemporaryDirectory() as folder:
        with redirect_stdout(StringIO()) as out:
            if main(["what-if", name, "--out", f"{folder}/r", "--no-report"]):
                raise AssertionError(name)
        parts = _PARTS[Path(name).name]
        made_of = _table_of_parts(summarize_sweep(Path(folder) / "r", report=False), [part(metric) for metric in parts])
    lines = out.getvalue().splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("'"))
    last = next(place for place, line in enumerate(lines) if line.startswith("verdict: "))
    return ["\n".join(several).strip() + "\n" for several in (lines[first:last], made_of)]


def _table_of_parts(found: SweepSummary, parts: list[Metric]) -> Iterator[str]:
    for each in found.comparisons:
        yield each.title
        yield from (f"  {line}".rstrip() for line in aligned([HEAD, *each.rows(parts)], NUMERIC_COLUMNS))
        yield ""


def _begin(block: str) -> str:
    return f"<!-- {block}, by `python -m tests.house.studies` -->\n\n```text\n"


def write(name: str) -> None:
    text = page(name).read_text(encoding="utf-8")
    for block, output in zip(_BLOCKS, blocks_of_run(name), strict=True):
        before, begin, rest = text.partition(_begin(block))
        _, end, after = rest.partition(_END)
        text = f"{before}{begin}{output}{end}{after}"
    page(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for study in bundled.studies():
        write(study)
