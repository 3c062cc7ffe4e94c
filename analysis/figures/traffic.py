"""The bytes on links, per delivery."""

from collections.abc import Sequence

from analysis.figures.plot_marks import Stack, stacked_bars
from analysis.figures.style import Figure
from analysis.summary.formatting import SIZE
from analysis.summary.model import ProtocolSummary
from mobilesim.results.quantities import BYTE_PURPOSES, MEDIA


def traffic(protocols: Sequence[ProtocolSummary]) -> Figure:
    """Draw wired above wireless links, each on its own scale; media and purposes without bytes are left out."""
    carried = {
        medium: {purpose for purpose in BYTE_PURPOSES if any(each[f"{medium}.{purpose}"].mean for each in protocols)}
        for medium in MEDIA
    }
    used = [purpose for purpose in BYTE_PURPOSES if any(purpose in purposes for purposes in carried.values())]
    stacks = [
        Stack(
            f"{medium} ({{unit}} per delivery)",
            {f"{medium}.{purpose}": BYTE_PURPOSES[purpose] for purpose in used},
            SIZE,
            f"{medium}.total",
        )
        for medium in MEDIA
        if carried[medium]
    ]
    return stacked_bars("traffic", "Bytes per delivery", protocols, stacks)
