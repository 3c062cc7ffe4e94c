"""`python -m benchmarks.sweep` runs a sweep on Spark and the same runs in plain processes, alternately in slices.

Both executors assign each run to the next free worker, write the same files, and warm up their workers. The start of
Spark is reported separately. Wall time is measured, so the machine should be idle.
"""

import argparse
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.entry import finish
from mobilesim.analysis.spark.distribute import LostJob, distribute
from mobilesim.analysis.spark.session import session
from mobilesim.analysis.summary.reduce_run import reduce_run
from mobilesim.experiments.sweep.plan import Plan, make_plan
from mobilesim.experiments.sweep.task import Job, run_job
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.bundled import find_sweep
from mobilesim.scenario.sweeps.sweep_file import load

TARGET = 0.9
RUN = partial(run_job, reduce=reduce_run)

RunJobs = Callable[[Sequence[Job]], None]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    wanted = make_plan(load(find_sweep(options.sweep), quick=options.quick))
    with TemporaryDirectory(prefix="mobilesim-benchmark-") as folder:
        start = perf_counter()
        with session(f"local[{options.cores}]") as spark:
            started = perf_counter() - start

            def on_spark(jobs: Sequence[Job]) -> None:
                for found in distribute(spark, jobs, RUN, kind=lambda job: (job.settings, job.protocol)):
                    assert not isinstance(found, LostJob)

            with _processes(options.cores) as in_processes, ExitStack() as opened:
                executors = {"processes": in_processes, "Spark": on_spark}
                slices = {name: _slices(opened, wanted, Path(folder) / name, options) for name in executors}
                times = _alternate(slices, executors, options)
    plain, spread_out = (sum(seconds) for seconds in times.values())
    print(f"{options.cores} processes: {plain:.1f} s; Spark on as many cores: {spread_out:.1f} s")
    ratios = sorted(one / other for one, other in zip(*times.values(), strict=True))
    print(
        f"efficiency {plain / spread_out:.3f} (target: at least {TARGET:g}; slices {ratios[0]:.2f}-{ratios[-1]:.2f}, "
        f"median {median(ratios):.2f}); Spark took {started:.1f} s to start"
    )
    print(f"efficiency including the start of Spark: {plain / (spread_out + started):.3f}")
    return 0


def _alternate(
    slices: dict[str, list[list[Job]]], executors: dict[str, RunJobs], options: argparse.Namespace
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in executors}
    for name, execute in executors.items():
        execute(slices[name][0][: 2 * options.cores])  # warm-up; the first slice skips these complete runs
    for number in range(options.slices):
        for name, execute in sorted(executors.items(), reverse=bool(number % 2)):
            start = perf_counter()
            execute(slices[name][number])
            times[name].append(perf_counter() - start)
            runs = len(slices[name][number])
            print(f"[{number + 1}/{options.slices}] {name}: {runs} runs in {times[name][-1]:.2f} s", file=sys.stderr)
    return times


def _slices(opened: ExitStack, wanted: Plan, directory: Path, options: argparse.Namespace) -> list[list[Job]]:
    """Return the jobs in slices. The directory stays open for them until the end of `opened`."""
    store = opened.enter_context(open_sweep(directory, wanted.resolved_text, wanted.all_runs()))
    jobs = wanted.jobs(wanted.rule(store))
    ends = [number * len(jobs) // options.slices for number in range(options.slices + 1)]
    return [jobs[start:end] for start, end in pairwise(ends)]


@contextmanager
def _processes(cores: int) -> Iterator[RunJobs]:
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:

        def execute(jobs: Sequence[Job]) -> None:
            deque(pool.map(RUN, jobs), maxlen=0)

        yield execute


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("sweep", nargs="?", default="mobility", help="a file or a shipped sweep (default: mobility)")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1, metavar="N", help="default: all cores")
    parser.add_argument("--slices", type=int, default=4, metavar="N", help="number of slices (default: 4)")
    parser.add_argument("--quick", action="store_true", help="the short version of the sweep")
    return parser


if __name__ == "__main__":
    finish(main)
