"""`python -m benchmarks` measures the CPU time per message of mobilesim, plain SimPy, ns.py and a program in C."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from benchmarks.arguments import count
from benchmarks.fresh_process import COMPILED, PURE, cores
from benchmarks.programs import PROGRAMS, BenchmarkResult, Measurement, Variant, missing, run_rounds, variants
from benchmarks.result_table import Results, document, lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.core and options.core not in cores():
        parser.error("the compiled core is not on the path; `make bench` puts it there")
    names = list(_runnable(name for name in PROGRAMS if not options.only or name in options.only))
    chosen = variants(names, [core for core in cores() if not options.core or core == options.core])
    results, status = _measure(chosen, options.messages, options.rounds)
    if options.json:
        print(json.dumps(document(results, options.messages), indent=2))
    else:
        print(*lines(results), sep="\n")
    return status


def _runnable(names: Iterator[str]) -> Iterator[str]:
    for name in names:
        if (lack := missing(name)) is None:
            yield name
        else:
            print(f"{name} is left out: {lack}", file=sys.stderr)


def _measure(chosen: Sequence[Variant], messages: int, rounds: int) -> tuple[Results, int]:
    """Return the results and the exit status. After Ctrl-C, these are the results of the complete measurements."""
    found: dict[str, list[Measurement]] = {}
    status = 0
    try:
        for number, (name, measurement) in enumerate(run_rounds(chosen, messages, rounds), 1):
            found.setdefault(name, []).append(measurement)
            progress = f"[{number}/{len(chosen) * rounds}] {name}: {measurement.microseconds:.2f} us/message"
            print(progress, file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        status = 130
    return {name: BenchmarkResult(name, tuple(measurements)) for name, measurements in found.items()}, status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="CPU time per message of mobilesim, plain SimPy, ns.py and a program in C, in interleaved rounds.",
    )
    add = parser.add_argument
    add("--messages", type=count, default=100_000, metavar="N", help="messages per run (default: %(default)s)")
    add("--rounds", type=count, default=5, metavar="N", help="runs of each program (default: %(default)s)")
    add("--only", action="append", choices=list(PROGRAMS), metavar="NAME", help=f"one of {', '.join(PROGRAMS)}")
    add("--core", choices=(COMPILED, PURE), help="measure mobilesim with this core only (default: both, if installed)")
    add("--json", action="store_true", help="print one JSON document instead of the table")
    return parser


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
