"""`python -m benchmarks` measures the CPU time per message of this simulator, plain SimPy and ns.py."""

import argparse
import json
import sys
from collections.abc import Sequence

from benchmarks.programs import PROGRAMS, BenchmarkResult, Measurement, run_rounds
from benchmarks.result_table import Results, document, lines


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    names = [name for name in PROGRAMS if not options.only or name in options.only]
    results = _measure(names, options.messages, options.rounds)
    if options.json:
        print(json.dumps(document(results, options.messages), indent=2))
    else:
        print(*lines(results), sep="\n")
    return 0


def _measure(names: Sequence[str], messages: int, rounds: int) -> Results:
    found: dict[str, list[Measurement]] = {name: [] for name in names}
    for number, (name, measurement) in enumerate(run_rounds(names, messages, rounds), 1):
        found[name].append(measurement)
        progress = f"[{number}/{len(names) * rounds}] {name}: {measurement.microseconds:.2f} us/message"
        print(progress, file=sys.stderr, flush=True)
    return {name: BenchmarkResult(name, tuple(measurements)) for name, measurements in found.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="CPU time per message of this simulator, plain SimPy and ns.py, in interleaved rounds.",
    )
    add = parser.add_argument
    add("--messages", type=_count, default=100_000, metavar="N", help="messages per run (default: %(default)s)")
    add("--rounds", type=_count, default=5, metavar="N", help="runs of each program (default: %(default)s)")
    parser.add_argument(
        "--only", action="append", choices=list(PROGRAMS), metavar="NAME", help=f"one of {', '.join(PROGRAMS)}"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 1 or more")
    return int(text)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
