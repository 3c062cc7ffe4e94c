"""`python -m benchmarks.summary` summarizes fifty million deliveries with mobilesim and with DuckDB.

Both programs read the same files and compute the same statistics of deliveries and hand-offs, which are compared.
mobilesim also checks footers, and summarizes links, stations, hosts and disconnections. After a warm-up that reads all
files, the programs run alternately on the same number of cores. The start of Spark is reported separately. The
summarized results are made once, in some minutes, and stored below `build/` (2.5 GB). Wall time is measured, so the
machine should be idle.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.duckdb_summary import DuckDbResults, query
from benchmarks.enlarged_results import COPIES, PROTOCOLS, make_results
from benchmarks.entry import finish
from benchmarks.result_comparison import differences
from mobilesim.analysis.spark.session import session
from mobilesim.analysis.summary.pooling import EstimatesByProtocol
from mobilesim.analysis.summary.results_reader import read_results
from mobilesim.analysis.summary.spark_job import estimates_in_spark

TARGET = 2.0
REPETITIONS = 10

Times = dict[str, list[float]]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    directory = _results(options)
    start = perf_counter()
    with session(f"local[{options.cores}]") as spark, _worker_process() as worker:
        started = perf_counter() - start

        def ours() -> EstimatesByProtocol:
            runs = read_results(directory).runs
            (found,) = estimates_in_spark(spark, directory, runs, lambda _: None).values()
            return found

        def duck() -> DuckDbResults:
            return worker(directory, options.cores)

        found, answers = ours(), duck()
        times, answers = _alternate(ours, duck, answers, options.rounds)
        peaks = _peaks()
    wrong = list(differences(read_results(directory).runs, found, answers))
    _report(times, started, peaks, answers.peak)
    print("both summaries agree" if not wrong else f"the summaries differ: {'; '.join(wrong[:5])}")
    return bool(wrong)


def _alternate(
    ours: Callable[[], EstimatesByProtocol], duck: Callable[[], DuckDbResults], answers: DuckDbResults, rounds: int
) -> tuple[Times, DuckDbResults]:
    times: Times = {"ours": [], "DuckDB": []}
    for number in range(rounds):
        for name in ("ours", "DuckDB") if number % 2 else ("DuckDB", "ours"):
            start = perf_counter()
            if name == "ours":
                ours()
            else:
                answers = duck()
            times[name].append(perf_counter() - start)
            print(f"[{number + 1}/{rounds}] {name}: {times[name][-1]:.2f} s", file=sys.stderr)
        for queries, seconds in answers.seconds.items():
            times.setdefault(f"DuckDB, {queries}", []).append(seconds)
    return times, answers


def _report(times: Times, started: float, ours: Sequence[float], duck: float) -> None:
    medians = {name: median(seconds) for name, seconds in times.items()}
    for name, seconds in times.items():
        print(f"{name}: {medians[name]:.2f} s ({', '.join(f'{second:.2f}' for second in seconds)})")
    print(
        f"ratio {medians['ours'] / medians['DuckDB']:.2f} (target: at most {TARGET:g}); start of Spark: {started:.1f} s"
    )
    memory = f"{' + '.join(f'{peak:.0f}' for peak in ours)} MiB (including Java and the tasks)" if ours else "unknown"
    print(f"peak memory: ours {memory}, DuckDB {duck:.0f} MiB")
    print(f"ratio with the start of Spark: {(medians['ours'] + started) / medians['DuckDB']:.2f}")


def _results(options: argparse.Namespace) -> Path:
    """Return the directory of the results. Make the results if the directory is missing."""
    per_run = options.deliveries / (len(PROTOCOLS) * options.replications)
    messages = max(1, round(per_run / REPETITIONS / COPIES))
    directory = Path(options.directory) / f"{options.replications}-of-{messages}-times-{REPETITIONS}"
    if not directory.is_dir():
        part = directory.with_name(f".{directory.name}.part")
        part.mkdir(parents=True, exist_ok=True)
        make_results(part, options.replications, messages, REPETITIONS, options.cores)
        part.rename(directory)
    return directory


@contextmanager
def _worker_process() -> Iterator[Callable[[Path, int], DuckDbResults]]:
    """Yield a function that computes DuckDB's summary in a separate process, so that its memory can be measured."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield lambda directory, cores: pool.submit(query, directory, cores).result()


def _peaks() -> list[float]:
    """Return the peak memory in MiB of this process and its descendants (Java, tasks), or nothing without `/proc`."""
    peaks = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError, KeyError):
            status_of = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            if os.getpid() in {int(status_of["Pid"]), *_ancestors(int(status_of["PPid"]))} and not _is_duck(
                status.parent
            ):
                peaks.append(int(status_of["VmHWM"].split()[0]) / 1024)
    return sorted(peaks)


def _is_duck(process: Path) -> bool:
    return b"multiprocessing" in (process / "cmdline").read_bytes()


def _ancestors(process: int) -> Iterator[int]:
    while process > 1:
        yield process
        text = Path(f"/proc/{process}/stat").read_text()
        process = int(text.rpartition(")")[2].split()[1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.summary", description=__doc__)
    add = parser.add_argument
    add("--deliveries", type=float, default=5e7, metavar="N", help="number of deliveries (default: 5e7)")
    add("--replications", type=int, default=25, metavar="N", help="runs of each of two protocols (default: 25)")
    add("--rounds", type=int, default=5, metavar="N", help="measurements of each program (default: 5)")
    add("--cores", type=int, default=2, metavar="N", help="default: 2")
    add("--directory", default="build/benchmark-summary", help="directory of the results (default: %(default)s)")
    return parser


if __name__ == "__main__":
    finish(main)
