"""Run scenarios and sweeps from Python."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from mobilesim.api.progress import Progress
from mobilesim.api.results import RunResults, SweepResults
from mobilesim.api.scenarios import Source, changes_of, load_scenario, yaml_text
from mobilesim.api.spark_sessions import spark_executor
from mobilesim.errors import UserError, parameter, python_call
from mobilesim.results.location import Location, checked_location
from mobilesim.scenario.loader import Change
from mobilesim.scenario.model import Scenario

if TYPE_CHECKING:
    from mobilesim.scenario.sweeps.sweep_file import Sweep


@python_call()
def run(
    source: Source,
    changes: Mapping[str, object] | None = None,
    /,
    *,
    quick: bool = False,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: bool = False,
    **settings: object,
) -> RunResults:
    """Simulate a scenario under each of its protocols, and check every delivery.

    `changes`, `settings`: keys of the scenario with values as in YAML; `changes` may have dotted keys. `quick`: a short
    version. `out`: the results directory, whose earlier results are replaced; without it, the tables are in a temporary
    directory that is removed with the results. `workers`: the number of processes, by default one for each core.

    >>> import mobilesim as ms
    >>> results = ms.run("quickstart", {"mobility.dwell": "exponential 2 s"}, quick=True, replications=1, hosts=20)
    >>> sum(results.runs.arrow()["deliveries"].to_pylist()) == len(results.deliveries)
    True
    """
    from mobilesim.experiments.executors import cores
    from mobilesim.experiments.scenario_runs import prepare, run_scenario

    processes = cores() if workers is None else workers
    if type(processes) is not int or processes < 1:
        raise UserError(f"{parameter('workers', repr(workers))}: expected a whole number, 1 or more")
    whole = load_scenario(source, changes, **settings)
    chosen = _traced(whole.shortened() if quick else whole)
    with _directory(out) as directory:
        notes = prepare(chosen, directory)
        with Progress(quiet=not progress).runs(chosen) as shown:
            run_scenario(chosen, directory, workers=processes, progress=shown)
    return RunResults(directory, notes, temporary=out is None)


@python_call()
def sweep(
    source: str | Path | Mapping[str, object],
    changes: Mapping[str, object] | None = None,
    /,
    *,
    quick: bool = False,
    out: str | Path | None = None,
    fresh: bool = False,
    master: str | None = None,
    progress: bool = False,
    **settings: object,
) -> SweepResults:
    """Run a scenario at every point of a grid or of another design, as Spark tasks.

    `source`: the name of a bundled sweep, a file, or its keys, such as `{"scenario": "quickstart", "vary": {"hosts":
    [10, 20]}}`. `changes`, `settings`: keys of its scenario, and `protocols` and `replications`. `out`: the results
    directory: runs that are complete there are not repeated, unless `fresh` is set. `master`: the Spark master.
    """
    from mobilesim.scenario.bundled import find_sweep

    overrides = changes_of({**(changes or {}), **settings})
    return _run_sweep(_sweep_of(source, find_sweep, overrides, quick=quick), out, master, fresh=fresh, shown=progress)


@python_call()
def study(
    source: str | Path | Mapping[str, object],
    changes: Mapping[str, object] | None = None,
    /,
    *,
    quick: bool = False,
    out: str | Path | None = None,
    fresh: bool = False,
    master: str | None = None,
    progress: bool = False,
    **settings: object,
) -> SweepResults:
    """Compare the variants of a study with its unchanged scenario. The parameters are those of `sweep`; a mapping has
    `variants`, such as `{"scenario": "quickstart", "variants": {"slow": {"wireless.bandwidth": "256 kbit/s"}}}`.
    """
    from mobilesim.scenario.bundled import find_study

    overrides = changes_of({**(changes or {}), **settings})
    chosen = _sweep_of(source, find_study, overrides, quick=quick)
    if not chosen.variants:
        raise UserError(f"{chosen.source}: there are no 'variants' in this sweep; `sweep` runs it")
    return _run_sweep(chosen, out, master, fresh=fresh, shown=progress)


def _sweep_of(
    source: str | Path | Mapping[str, object],
    find: Callable[[str | Path], Path],
    overrides: Mapping[str, Change],
    *,
    quick: bool,
) -> "Sweep":
    from mobilesim.scenario.sweeps.sweep_file import load, loads

    if isinstance(source, Mapping):
        return loads(yaml_text(source), "<sweep>", overrides, quick=quick)
    return load(find(source), overrides, quick=quick)


def _run_sweep(
    chosen: "Sweep", out: str | Path | None, master: str | None, *, fresh: bool, shown: bool
) -> SweepResults:
    from mobilesim.analysis.pipeline.summarize import summarize_sweep
    from mobilesim.analysis.summary.reduce_run import reduce_run
    from mobilesim.experiments.executors import never
    from mobilesim.experiments.sweep.engine import run_missing
    from mobilesim.experiments.sweep.refinement import plan_in
    from mobilesim.results.sweeps.sweep_directory import open_sweep

    display = Progress(quiet=not shown)
    with _directory(out) as directory:
        plan = plan_in(directory, chosen, fresh=fresh)
        with (
            open_sweep(directory, plan.resolved_text, plan.all_runs(), fresh=fresh, design=plan.design) as store,
            spark_executor(master, display.show_stage) as executor,
        ):
            run_missing(plan, store, executor, stop=never, display=display, reduce=reduce_run)
            summary = summarize_sweep(directory, master, report=out is not None, progress=display.show_stage)
    return SweepResults(directory, summary, temporary=out is None)


@contextmanager
def _directory(out: str | Path | None) -> Iterator[Location]:
    """Yield the results directory: `out`, or a temporary one, which is removed if the block raises."""
    if out is not None:
        yield checked_location(str(out))
        return
    temporary = Path(mkdtemp(prefix="mobilesim-"))
    try:
        yield temporary
    except BaseException:
        rmtree(temporary, ignore_errors=True)
        raise


def _traced(chosen: Scenario) -> Scenario:
    """Refuse a scenario without tables: results are made of them."""
    for key in ("trace", "oracle"):
        if not getattr(chosen, key):
            raise UserError(f"{key}: results need tables of single deliveries; leave '{key}: false' out")
    return chosen
