"""`python -m benchmarks.many_runs` summarizes thousands of small runs from the numbers in their manifests.

The runs are made once, in some minutes, and stored below `build/`. `mobilesim summarize` is a process of its own, and
its CPU time is measured. With `--latency`, it also reads the runs from an object store on the loopback interface, which
answers each request after this time, and the wall time is measured.
"""

import argparse
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter

from benchmarks.entry import finish
from mobilesim.analysis.summary.reduce_run import reduce_run
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.experiments.sweep.task import run_job
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.support.s3_server import store

_SWEEP = """\
name: many-runs
scenario: {{hosts: 5, cells: 4, messages: 20}}
vary: {{hosts: [4, 5, 6, 7, 8], messages: [16, 18, 20, 22, 24]}}
protocols: [av1, unordered]
replications: {replications}
"""
_CONFIGURATIONS = 50

Seconds = tuple[float, float]
"""CPU time and wall time."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    directory = _results(options)
    _report("from manifests", [_summarized(str(directory)) for _ in range(options.rounds)])
    if options.tables:
        _report("from tables", [_summarized(str(directory), "--from-tables") for _ in range(options.rounds)])
    if options.latency is not None:
        with store() as objects:
            for path in directory.rglob("*"):
                if path.is_file():
                    objects.kept[str(path.relative_to(directory.parent))] = path.read_bytes()
            objects.latency = options.latency / 1000
            _report("from an object store", [_summarized(objects.uri(directory.name))])
            print(f"requests: {', '.join(f'{count:,} {method}' for method, count in objects.requests.items())}")
    return 0


def _summarized(directory: str, *options: str) -> Seconds:
    before, start = getrusage(RUSAGE_CHILDREN), perf_counter()
    command = [sys.executable, "-m", "mobilesim", "summarize", directory, *options]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # noqa: S603
    after, wall = getrusage(RUSAGE_CHILDREN), perf_counter() - start
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def _report(name: str, found: Sequence[Seconds]) -> None:
    cpu, wall = ([each[index] for each in found] for index in (0, 1))
    spread = f"{min(cpu):.1f}-{max(cpu):.1f}"
    print(f"{name}: {median(cpu):.1f} s of CPU ({spread}), {median(wall):.1f} s on the clock")


def _results(options: argparse.Namespace) -> Path:
    """Return the directory of the runs. Runs that are missing are made, as many as there are in `options` or more."""
    plan = make_plan(loads(_SWEEP.format(replications=-(-options.runs // _CONFIGURATIONS))))
    directory = Path(options.directory) / str(len(plan.all_runs()))
    with open_sweep(directory, plan.resolved_text, plan.all_runs()) as opened:
        jobs = plan.jobs(plan.rule(opened))
        with ProcessPoolExecutor(options.cores, get_context("spawn")) as pool:
            deque(pool.map(partial(run_job, reduce=reduce_run), jobs, chunksize=20), maxlen=0)
    return directory


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_runs", description=__doc__)
    add = parser.add_argument
    add("--runs", type=int, default=5_000, metavar="N", help="default: 5000")
    add("--rounds", type=int, default=3, metavar="N", help="measurements without an object store (default: 3)")
    add("--latency", type=float, metavar="MS", help="also measure an object store with this latency")
    add("--tables", action="store_true", help="also read all tables, without the numbers in manifests")
    add("--cores", type=int, default=2, metavar="N", help="processes that make the runs (default: 2)")
    add("--directory", default="build/benchmark-many-runs", help="directory of the runs (default: %(default)s)")
    return parser


if __name__ == "__main__":
    finish(main)
