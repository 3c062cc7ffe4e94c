"""Executors yield the same results with any number of processes, and cancel unfinished jobs when stopped."""

from collections.abc import Callable, Iterator
from multiprocessing import active_children

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.executors import never, process_pool
from mobilesim.experiments.paper_figures.figure_runs import measure
from mobilesim.experiments.run import Run
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.scenario.loader import loads

SMALL = "hosts: 4\ncells: 4\nmessages: 40\nprotocols: [av1, fifo]\nmobility: {dwell: exponential 200 ms}\n"


def first_runs(number: int) -> list[Run]:
    scenario = loads(SMALL)
    return [Run(scenario, scenario.protocols[index % 2], index // 2) for index in range(number)]


def measured(runs: list[Run], workers: int, stop: Callable[[], bool] = never) -> Iterator[RunRecord]:
    for record in process_pool(workers)(runs, measure, kind=id, stop=stop):
        assert isinstance(record, RunRecord)
        yield record


@pytest.mark.full
def test_two_processes_yield_the_same_outcomes_as_one() -> None:
    runs = first_runs(6)
    alone, together = ({each.run: each.means for each in measured(runs, workers)} for workers in (1, 2))
    assert set(alone) == {run.id for run in runs}
    assert together == alone


@pytest.mark.full
@pytest.mark.parametrize("workers", (1, 2))
def test_unfinished_tasks_are_cancelled(workers: int) -> None:
    runs, found = first_runs(60), list[RunRecord]()
    for record in measured(runs, workers, lambda: len(found) >= 2):
        found.append(record)
    assert 2 <= len(found) < 60


@pytest.mark.full
def test_a_killed_worker_causes_one_error_line() -> None:
    found = measured(first_runs(60), 2)
    next(found)
    active_children()[0].kill()
    with pytest.raises(UserError, match=r"^a worker process was killed, .* fewer --workers$"):
        list(found)
    assert active_children() == []
