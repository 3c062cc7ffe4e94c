"""Run the jobs of a sweep in this process."""

from pathlib import Path

from mobilesim.experiments.sweep import task
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads


def run_sweep(text: str, directory: Path, first: int | None = None) -> list[RunRecord]:
    """Run the missing jobs of a sweep, at most the `first` of them, and return their records."""
    planned = make_plan(loads(text))
    found: list[RunRecord] = []
    with open_sweep(directory, planned.resolved_text, planned.all_runs(), design=planned.design) as store:
        while jobs := planned.jobs(planned.rule(store), {record.run for record in found}):
            for job in jobs[: None if first is None else first - len(found)]:
                found.append(task.run_job(job))
                store.add(found[-1])
            if first is not None and len(found) >= first:
                break
    return found
