"""`mobilesim validate`: check scenarios, sweeps and studies without running them."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mobilesim.api.text_tables import as_json
from mobilesim.cli.arguments import add_overrides, overrides
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.cli.text.scenario_list import yaml_files
from mobilesim.errors import UserError, counted

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

HELP = "check scenario files without running them"

EPILOG = """\
examples:
  mobilesim validate mine.yaml --set hosts=200
  mobilesim validate scenarios/ --json

Makes all checks that a run makes before it starts: of every key, and of the contents of all files that a scenario
names. All mistakes of a scenario are reported, one line each. In a sweep or study, every point is checked.

A note reports a setting that is allowed but perhaps not intended, such as a track that leads off the plane, or cells
whose stations do not reach their hosts.

Exit code 0 if all files are valid, else 2.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "a scenario or a sweep: a file, the name of a bundled one, or a directory of files"
    parser.add_argument("files", nargs="+", metavar="FILE", help=about)
    about = "override a key in each file, as `mobilesim run` and `mobilesim sweep` do; may be given again"
    add_overrides(parser, about)
    parser.add_argument("--json", action="store_true", help="print one JSON list with an entry per file")


def run(args: argparse.Namespace) -> int:
    changes, code, documents = overrides(args.set), ExitCode.OK, []
    several = len(args.files) > 1 or Path(args.files[0]).is_dir()
    for verdict in (verdict for name in args.files for verdict in _verdicts(name, changes)):
        if verdict.faults:
            code = ExitCode.BAD_INPUT
        if args.json:
            documents.append(verdict.document())
        else:
            _print_lines(verdict, several=several)
    if args.json:
        print(as_json(documents))
    return code


@dataclass(frozen=True, slots=True)
class _Verdict:
    file: str
    faults: Sequence[str] = ()
    summary: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def document(self) -> dict[str, object]:
        if self.faults:
            return {"file": self.file, "ok": False, "error": "\n".join(self.faults)}
        return {"file": self.file, "ok": True, **self.facts, "notes": [*self.notes]}


def _verdicts(name: str, changes: Mapping[str, str]) -> Iterator[_Verdict]:
    from mobilesim.scenario import bundled
    from mobilesim.scenario.sweeps.sweep_file import is_sweep

    try:
        files = yaml_files(Path(name)) if Path(name).is_dir() else [bundled.find(name)]
    except UserError as error:
        yield _Verdict(name, error.messages)
        return
    for file in files:
        try:
            yield _sweep(file, changes) if is_sweep(file) else _scenario(file, changes)
        except UserError as error:
            yield _Verdict(str(file), error.messages)


def _scenario(file: Path, changes: Mapping[str, str]) -> _Verdict:
    from mobilesim.experiments.execute import dry_run
    from mobilesim.scenario.loader import document_of, load, text_of
    from mobilesim.scenario.sections.measurement import described
    from mobilesim.scenario.values.units import byte_rate_notes

    scenario = load(file, changes)
    written = document_of(text_of(file), str(file)).data
    facts = {
        "name": scenario.name,
        "hash": scenario.hash,
        "hosts": scenario.hosts,
        "cells": scenario.cells.count if scenario.network == "cells" else None,
        "groups": scenario.normal_form().get("groups"),
        "protocols": [choice.label for choice in scenario.protocols],
        "duration_ns": scenario.duration,
        "messages": scenario.messages,
        "window": described(scenario),
        "replications": scenario.replications,
    }
    return _Verdict(str(file), (), _summary(scenario), facts, [*byte_rate_notes(written), *dry_run(scenario)])


def _summary(scenario: "Scenario") -> str:
    from mobilesim.scenario.sections.groups import brief
    from mobilesim.scenario.sections.measurement import described
    from mobilesim.scenario.values.units import TIME

    cells = "cells from a file" if scenario.cells.count is None else counted(scenario.cells.count, "cell")
    cells = "a static network" if scenario.network == "static" else cells
    ends = [] if scenario.messages is None else [counted(scenario.messages, "message")]
    ends += [] if scenario.deliveries is None else [counted(scenario.deliveries, "delivery")]
    window = described(scenario)
    ends += [] if scenario.duration is None else [TIME.write(scenario.duration)]
    parts = [counted(scenario.hosts, "host"), cells, counted(len(scenario.protocols), "protocol"), " or ".join(ends)]
    parts += [] if window is None else [window]
    if scenario.groups is not None:
        parts.insert(2, brief(scenario.groups))
    return f"{scenario.name}: {', '.join(parts)}"


def _sweep(file: Path, changes: Mapping[str, str]) -> _Verdict:
    """Check a sweep: make its plan, and a dry run for each different set of files that its scenarios name."""
    from mobilesim.experiments.execute import dry_run
    from mobilesim.experiments.sweep.plan import make_plan
    from mobilesim.scenario.referenced_files import ReferencedFile, referenced_files
    from mobilesim.scenario.sweeps.sweep_file import load

    plan = make_plan(load(file, changes))
    read, notes = set[tuple[ReferencedFile, ...]](), list[str]()
    for point in plan.grid.points:
        named = tuple(referenced_files(point.scenario))
        if named and named not in read:
            notes += dry_run(point.scenario)
        read.add(named)
    variants = len(plan.sweep.variants)
    kind = f"a study of {counted(variants - 1, 'variant')} and the base" if variants else "a sweep"
    size = f"{counted(len(plan.grid.points), 'point')}, {counted(len(plan.protocols), 'protocol')}"
    facts = {"name": plan.sweep.name, "points": [dict(point.label) for point in plan.grid.points]}
    return _Verdict(str(file), (), f"{plan.sweep.name}: {kind}, {size}", facts, notes)


def _print_lines(verdict: _Verdict, *, several: bool) -> None:
    """Print a summary, or the faults. If several files are checked, each line of a fault names its file."""
    for message in verdict.faults:
        where = f"{verdict.file}: " if several and not message.startswith(verdict.file) else ""
        print(f"mobilesim: {where}{message}", file=sys.stderr)
    if not verdict.faults:
        print(f"ok: {verdict.summary}", *(f"  note: {note}" for note in verdict.notes), sep="\n")
