"""`mobilesim validate`: check scenarios, sweeps and studies without running them."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from mobilesim.experiments.sweep.plan import Plan
    from mobilesim.scenario.model import Scenario

HELP = "check scenario files without running them"

_EXAMPLES = """\
examples:
  mobilesim validate mine.yaml --set hosts=200
  mobilesim validate scenarios/ --json

Checks all that a run checks before it starts: every key, and the contents of all files that a scenario names. All
mistakes of a scenario are reported, one line each. Of a sweep or study, every point is checked.

A note reports a setting that is allowed and perhaps not intended, such as a track that leads off the plane, or cells
whose stations do not reach their hosts.

Exit code 0 if all files are right, else 2.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a scenario or a sweep: a file, a shipped one's name, or a directory of them",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override a key in each of them, as `mobilesim run` and `mobilesim sweep` do; may be given again",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON list with an entry per file")


def run(args: argparse.Namespace) -> int:
    from mobilesim.cli.arguments import overrides

    changes = overrides(args.set)
    verdicts = (verdict for name in args.files for verdict in _verdicts(name, changes))
    if args.json:
        return _as_json(list(verdicts))
    return _as_lines(verdicts, several=len(args.files) > 1 or Path(args.files[0]).is_dir())


@dataclass(frozen=True, slots=True)
class _Verdict:
    file: str
    found: "Scenario | Plan | UserError"
    notes: Sequence[str] = ()

    def faults(self, *, several: bool) -> list[str]:
        """Return the lines of an error. If several files are checked, each line names the one it is about."""
        messages = self.found.messages if isinstance(self.found, UserError) else ()
        return [
            f"{self.file}: {message}" if several and not message.startswith(self.file) else message
            for message in messages
        ]


def _verdicts(name: str, changes: Mapping[str, str]) -> Iterator[_Verdict]:
    try:
        files = _files(name)
    except UserError as error:
        yield _Verdict(name, error)
        return
    for file in files:
        try:
            yield _Verdict(str(file), *_found(file, changes))
        except UserError as error:
            yield _Verdict(str(file), error)


def _found(file: Path, changes: Mapping[str, str]) -> "tuple[Scenario | Plan, Sequence[str]]":
    from mobilesim.experiments.execute import dry_run
    from mobilesim.scenario.loader import document_of, load, text_of
    from mobilesim.scenario.notes import byte_rate_notes
    from mobilesim.scenario.sweeps.sweep_file import is_sweep

    if is_sweep(file):
        return _planned(file, changes)
    scenario = load(file, changes)
    written = document_of(text_of(file), str(file)).data
    return scenario, [*byte_rate_notes(written), *dry_run(scenario)]


def _planned(file: Path, changes: Mapping[str, str]) -> "tuple[Plan, Sequence[str]]":
    """Check a sweep: its plan, and a dry run for each different set of referenced files."""
    from mobilesim.experiments.execute import dry_run
    from mobilesim.experiments.sweep.plan import make_plan
    from mobilesim.scenario.referenced_files import ReferencedFile, referenced_files
    from mobilesim.scenario.sweeps.sweep_file import load

    planned = make_plan(load(file, changes))
    read, notes = set[tuple[ReferencedFile, ...]](), list[str]()
    for point in planned.grid.points:
        named = tuple(referenced_files(point.scenario))
        if named and named not in read:
            notes += dry_run(point.scenario)
        read.add(named)
    return planned, notes


def _files(name: str) -> Sequence[Path]:
    from mobilesim.scenario import bundled

    if not Path(name).is_dir():
        return [bundled.find(name)]
    found = sorted(path for path in Path(name).rglob("*.yaml") if path.is_file())
    if not found:
        raise UserError(f"{name}: this directory has no *.yaml files")
    return found


def _as_lines(verdicts: Iterator[_Verdict], *, several: bool) -> int:
    from sys import stderr

    code = 0
    for verdict in verdicts:
        if isinstance(verdict.found, UserError):
            print(*(f"mobilesim: {fault}" for fault in verdict.faults(several=several)), sep="\n", file=stderr)
            code = 2
        else:
            print(f"ok: {_summary(verdict.found)}", *(f"  note: {note}" for note in verdict.notes), sep="\n")
    return code


def _summary(scenario: "Scenario | Plan") -> str:
    from mobilesim.experiments.sweep.plan import Plan
    from mobilesim.scenario.sections.group_rules import brief
    from mobilesim.scenario.values.units import TIME

    if isinstance(scenario, Plan):
        points, protocols = _counted(len(scenario.grid.points), "point"), _counted(len(scenario.protocols), "protocol")
        variants = len(scenario.sweep.variants)
        kind = f"a study of {_counted(variants - 1, 'variant')} and the base" if variants else "a sweep"
        return f"{scenario.sweep.name}: {kind}, {points}, {protocols}"
    cells = "cells from a file" if scenario.cells.count is None else _counted(scenario.cells.count, "cell")
    cells = "a static network" if scenario.network == "static" else cells
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
    from mobilesim.experiments.sweep.plan import Plan

    found = verdict.found
    if isinstance(found, UserError):
        return {"file": verdict.file, "ok": False, "error": str(found)}
    if isinstance(found, Plan):
        points = [dict(point.label) for point in found.grid.points]
        return {"file": verdict.file, "ok": True, "name": found.sweep.name, "points": points, "notes": [*verdict.notes]}
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
        "notes": [*verdict.notes],
    }
