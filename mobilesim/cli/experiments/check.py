"""`mobilesim check`: the conformance suite for an ordering, a placement, or a pair of the two."""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from mobilesim.api.progress import Progress
from mobilesim.api.protocol_choices import named_row
from mobilesim.api.text_tables import as_json
from mobilesim.cli.exit_codes import ExitCode
from mobilesim.errors import UserError, counted, suggestion

if TYPE_CHECKING:
    from mobilesim.conformance.suite import Check, Effort
    from mobilesim.conformance.verdict import CheckResult
    from mobilesim.explorer.exploration import OnProgress

HELP: Final = "check an ordering or a placement, also of another package, against its contract"

DESCRIPTION: Final = """\
Checks an ordering alone: its types, that its state and its stamps can be stored, that every call follows the contract,
that the inbox misses no delivery, causal order and liveness in random executions, and the size of stamps. Then checks
it under every shipped placement that can carry it: random schedules with many hand-offs, and every schedule of small
networks. A placement is checked in the same way under rst, fifo and unordered. Only what the rows claim is checked.

After a fault, only the searches of small networks go on. They try the schedules in the order of length, up to a limit
of states. The first search that finds a fault ends the checks, and prints a shortest failing schedule. So several lines
may begin with FAIL: that of the check that found the fault, and that of the search that shows it.

  mobilesim check my_package.sparse:Sparse             an ordering of another package
  mobilesim check sparse:Sparse --plugin sparse.py     of a single file
  mobilesim check proxy+rst --quick                    a pair of shipped parts

exit status: 0 no fault, 1 a fault, 2 bad input, 130 Ctrl-C"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", help="an ordering, a placement, or placement+ordering: a name, an entry point, or package.module:Name")
    add("--quick", action="store_true", help="fewer executions and schedules, and fewer states: seconds, not minutes")
    add("--json", action="store_true", help="print one JSON document at the end")


def run(args: argparse.Namespace) -> int:
    from mobilesim.conformance.suite import FULL, QUICK, run_checks

    results: list[CheckResult] = []
    display = Progress(quiet=args.json)
    with ExitStack() as shown:

        def progress_of(check: "Check") -> "OnProgress":
            shown.close()
            meter = shown.enter_context(display.meter(check.title))
            return lambda search, _: meter.show(None, search.progress)

        for result in run_checks(_checks(args.name, QUICK if args.quick else FULL), progress_of):
            shown.close()
            results.append(result)
            if not args.json:
                print(*_lines(result), sep="\n", flush=True)
    passed = all(result.passed for result in results)
    if args.json:
        print(as_json({"name": args.name, "passed": passed, "checks": [asdict(result) for result in results]}))
    else:
        print(f"{args.name}: {'no fault' if passed else 'a fault'} in {counted(len(results), 'check')}")
    return ExitCode.OK if passed else ExitCode.FAULT


def _lines(result: "CheckResult") -> list[str]:
    head = f"{'pass' if result.passed else 'FAIL'}  {result.check}: {result.text}"
    return [head, *(f"    {line}" for line in result.listing)]


def _checks(name: str, effort: "Effort") -> "Iterator[Check]":
    from mobilesim.conformance.suite import checks_of_ordering, checks_of_pair, checks_of_placement
    from mobilesim.extensions.outside_protocols import outside_ordering, outside_placement, refuse_plugin_name
    from mobilesim.extensions.resolution import Kind, installed, kind_of
    from mobilesim.protocols import catalogue

    if "+" in name or (name in catalogue.ROWS and name not in catalogue.ORDERINGS):
        return checks_of_pair(named_row(name), effort)
    shipped = name in catalogue.PLACEMENTS or name in catalogue.ORDERINGS
    kind = None if shipped else kind_of(name)
    if name in catalogue.PLACEMENTS or (kind is Kind.PLACEMENT and outside_placement(name) is not None):
        return checks_of_placement(catalogue.placement_row(name), effort)
    if name in catalogue.ORDERINGS or (kind is Kind.ORDERING and outside_ordering(name) is not None):
        return checks_of_ordering(catalogue.ordering_row(name), effort)
    if kind is not None:
        raise UserError(f"{name}: it is a {kind.noun}; expected an ordering or a placement")
    refuse_plugin_name(name, Kind.ORDERING, Kind.PLACEMENT)
    known = (*catalogue.ORDERINGS, *catalogue.PLACEMENTS)
    outside = {**installed(Kind.ORDERING), **installed(Kind.PLACEMENT)}
    hint = suggestion(name, known, installed=outside)
    raise UserError(f"{name}: there is no such ordering or placement{hint}")
