"""`mobilesim validate`: are these scenarios right?"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario
    from mobilesim.sweep.plan import Plan

NAME = "validate"
HELP = "check scenario files without running them"

_EXAMPLES = """\
examples:
  mobilesim validate mine.yaml
  mobilesim validate scenarios/ --json

Exit code 0 if all are right, else 2.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a scenario or a sweep: a file, a shipped one's name, or a directory of them",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list with an entry per file")


def run(args: argparse.Namespace) -> int:
    verdicts = (verdict for name in args.files for verdict in _verdicts(name))
    return _as_json(list(verdicts)) if args.json else _as_lines(verdicts)


@dataclass(frozen=True, slots=True)
class _Verdict:
    file: str
    found: "Scenario | Plan | UserError"


def _verdicts(name: str) -> Iterator[_Verdict]:
    try:
        files = _files(name)
    except UserError as error:
        yield _Verdict(name, error)
        return
    for file in files:
        try:
            yield _Verdict(str(file), _found(file))
        except UserError as error:
            yield _Verdict(str(file), error)


def _found(file: Path) -> "Scenario | Plan":
    from mobilesim.scenario.loader import load
    from mobilesim.scenario.sweep import is_sweep
    from mobilesim.scenario.sweep import load as load_sweep
    from mobilesim.sweep.plan import plan

    return plan(load_sweep(file)) if is_sweep(file) else load(file)


def _files(name: str) -> Sequence[Path]:
    from mobilesim import shipped

    if not Path(name).is_dir():
        return [shipped.find(name)]
    found = sorted(path for path in Path(name).rglob("*.yaml") if path.is_file())
    if not found:
        raise UserError(f"{name}: this directory has no *.yaml files")
    return found


def _as_lines(verdicts: Iterator[_Verdict]) -> int:
    from sys import stderr

    code = 0
    for verdict in verdicts:
        if isinstance(verdict.found, UserError):
            print(f"mobilesim: {verdict.found}", file=stderr)
            code = 2
        else:
            print(f"ok: {_summary(verdict.found)}")
    return code


def _summary(scenario: "Scenario | Plan") -> str:
    from mobilesim.scenario.grouping import brief
    from mobilesim.scenario.units import TIME
    from mobilesim.sweep.plan import Plan

    if isinstance(scenario, Plan):
        points, protocols = _counted(len(scenario.grid.points), "point"), _counted(len(scenario.protocols), "protocol")
        return f"{scenario.sweep.name}: a sweep, {points}, {protocols}"
    cells = "cells from a file" if scenario.cells.count is None else _counted(scenario.cells.count, "cell")
    cells = "a mesh" if scenario.network == "mesh" else cells
    ends = [] if scenario.messages is None else [_counted(scenario.messages, "message")]
    ends += [] if scenario.deliveries is None else [f"{scenario.deliveries} deliveries"]
    ends += [] if scenario.duration is None else [TIME.write(scenario.duration)]
    parts = [_counted(scenario.hosts, "host"), cells, _counted(len(scenario.protocols), "protocol"), " or ".join(ends)]
    if scenario.groups is not None:
        parts.insert(2, brief(scenario.groups))
    return f"{scenario.name}: {', '.join(parts)}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _as_json(verdicts: list[_Verdict]) -> int:
    import json

    print(json.dumps([_entry(verdict) for verdict in verdicts], indent=2))
    return 2 if any(isinstance(verdict.found, UserError) for verdict in verdicts) else 0


def _entry(verdict: _Verdict) -> dict[str, object]:
    from mobilesim.sweep.plan import Plan

    found = verdict.found
    if isinstance(found, UserError):
        return {"file": verdict.file, "ok": False, "error": str(found)}
    if isinstance(found, Plan):
        points = [dict(point.label) for point in found.grid.points]
        return {"file": verdict.file, "ok": True, "name": found.sweep.name, "points": points}
    return {
        "file": verdict.file,
        "ok": True,
        "name": found.name,
        "hash": found.hash,
        "hosts": found.hosts,
        "cells": found.cells.count if found.network == "cells" else None,
        "groups": found.normal_form().get("groups"),
        "protocols": [choice.label for choice in found.protocols],
        "duration_ns": found.duration,
        "messages": found.messages,
        "replications": found.replications,
    }
