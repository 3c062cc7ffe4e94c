"""The runs that a figure has so far, a line of JSON each, in a file that survives whatever stops the rest."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final, Self

from mobilesim.experiments.paper_figures.measure import Measurement
from mobilesim.results.run_directory import unwritable

FILE: Final = "points.jsonl"


class Points:
    """By run id, which is made of all that decides what comes out of a run."""

    def __init__(self, directory: Path, *, fresh: bool) -> None:
        self._path = directory / FILE
        self.known: dict[str, Measurement] = {} if fresh else dict(_read(self._path))
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._rewrite()
            self._file = self._path.open("a", encoding="utf-8")
        except OSError as error:
            raise unwritable(directory, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, measurement: Measurement) -> None:
        self.known[measurement.run] = measurement
        try:
            self._file.write(_line(measurement))
            self._file.flush()
        except OSError as error:
            raise unwritable(self._path.parent, error) from None

    def _rewrite(self) -> None:
        """Without a last line that was cut short, to which the next one would be glued."""
        part = self._path.with_name(f".{FILE}.part")
        part.write_text("".join(map(_line, self.known.values())), encoding="utf-8")
        part.replace(self._path)


def _line(measurement: Measurement) -> str:
    return json.dumps(asdict(measurement)) + "\n"


def _read(path: Path) -> Mapping[str, Measurement]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unwritable(path.parent, error) from None
    found = filter(None, map(_parsed, lines))
    return {measurement.run: measurement for measurement in found}


def _parsed(line: str) -> Measurement | None:
    """None for a line that was cut short, or that is none of ours: it is measured again."""
    try:
        return Measurement(**json.loads(line))
    except (ValueError, TypeError):
        return None
