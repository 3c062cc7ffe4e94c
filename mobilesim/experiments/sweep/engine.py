"""Execute the missing runs of a sweep in rounds, on any executor, and compact its files."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from itertools import count
from typing import Protocol

from mobilesim.errors import counted
from mobilesim.experiments.executors import Executor
from mobilesim.experiments.sweep.plan import Plan
from mobilesim.experiments.sweep.refinement import refined
from mobilesim.experiments.sweep.task import Reduce, record_lost_run, run_job
from mobilesim.results.sweeps.compaction import pack_runs
from mobilesim.results.sweeps.manifest import Pack, RunRecord
from mobilesim.results.sweeps.sweep_directory import SweepDirectory


class RunCounter(Protocol):
    def __call__(self, *, failed: bool = False) -> None: ...


class Display(Protocol):
    def count_runs(self, title: str, total: int) -> AbstractContextManager[RunCounter]: ...

    def show_stage(self, line: str) -> None: ...


def run_missing(
    plan: Plan,
    store: SweepDirectory,
    executor: Executor,
    *,
    stop: Callable[[], bool],
    display: Display,
    reduce: Reduce | None = None,
) -> Plan:
    """Execute rounds until the stopping rule and the refinement need no more runs, and then pack files. Return early if
    `stop` is true. Return the plan with all points that refinement has added.

    A run that fails is recorded, and not repeated. `store`: the records of all finished runs. `reduce`: computes what a
    summary needs, which is stored in the manifest of the run; the workers must be able to import it.
    """
    rule, work = plan.rule(store), partial(run_job, reduce=reduce)
    attempted: set[str] = set()
    for number in count(1):
        jobs = plan.jobs(rule, attempted)
        if stop():
            break
        if not jobs:
            more = refined(plan, rule)
            if more is None:
                break
            plan = more
            continue
        rounds = plan.replications.adaptive or plan.sweep.refine
        title = f"{plan.sweep.name}, round {number}" if rounds else plan.sweep.name
        with display.count_runs(title, len(jobs)) as counted:
            for result in executor(jobs, work, kind=lambda job: (job.settings, job.protocol), stop=stop):
                record = result if isinstance(result, RunRecord) else record_lost_run(result.job, result.reason)
                store.add(record)
                attempted.add(record.run)
                counted(failed=not record.complete)
    if not stop():
        _compact(plan, store, executor, stop, display)
    return plan


def _compact(plan: Plan, store: SweepDirectory, executor: Executor, stop: Callable[[], bool], display: Display) -> None:
    packs = store.packs_to_build(plan.all_runs())
    if not packs:
        return
    display.show_stage(f"packing the files of {counted(sum(len(job.runs) for job in packs), 'run')}…")
    results = executor(packs, pack_runs, kind=lambda job: len(job.runs), stop=stop)
    for number, result in enumerate(results, 1):
        display.show_stage(f"packing: {number} of {counted(len(packs), 'pack')}")
        if isinstance(result, Pack):
            store.add_pack(result)
