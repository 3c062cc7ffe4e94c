"""The figures that can be reproduced, as the YAML files beside this module define them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from mobilesim.experiments.paper_figures.figure import PaperFigure
from mobilesim.scenario.loader import document_of, text_of


def _figures() -> Iterator[PaperFigure]:
    figure = TypeAdapter(PaperFigure)
    for path in sorted(Path(__file__).with_name("figures").glob("*.yaml")):
        for name, definition in document_of(text_of(path), str(path)).data.items():
            yield figure.validate_python({"name": name, **definition})


FIGURES: Final = {figure.name: figure for figure in _figures()}
