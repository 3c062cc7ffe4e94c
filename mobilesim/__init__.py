"""A simulator of mobile networks and of protocols for causally ordered, exactly-once messages between their hosts.

    import mobilesim as ms

    results = ms.run("quickstart", quick=True, protocols=["av1", "fifo"])
    print(results)

A name is loaded when it is first used, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mobilesim.errors import UserError
from mobilesim.results.version import __version__

if TYPE_CHECKING:
    from mobilesim.api.experiments import run, study, sweep
    from mobilesim.api.exploring import ExplorationResult, explore
    from mobilesim.api.results import RunResults, SweepResults
    from mobilesim.api.results import open_results as open  # noqa: A004 - used as `ms.open`
    from mobilesim.api.scenarios import TypedScenario as Scenario
    from mobilesim.api.scenarios import load_scenario
    from mobilesim.api.sections import (
        Backbone,
        Cells,
        Commuter,
        Energy,
        GaussMarkov,
        Group,
        Hotspot,
        Levy,
        Manhattan,
        Measure,
        Mobility,
        Processing,
        Sizes,
        Stampede,
        Track,
        Trips,
        Waypoint,
        Wireless,
        Workload,
    )
    from mobilesim.api.table import Table
    from mobilesim.api.tapes.recorded_tape import RecordedTape, open_tape

__all__ = [
    "Backbone",
    "Cells",
    "Commuter",
    "Energy",
    "ExplorationResult",
    "GaussMarkov",
    "Group",
    "Hotspot",
    "Levy",
    "Manhattan",
    "Measure",
    "Mobility",
    "Processing",
    "RecordedTape",
    "RunResults",
    "Scenario",
    "Sizes",
    "Stampede",
    "SweepResults",
    "Table",
    "Track",
    "Trips",
    "UserError",
    "Waypoint",
    "Wireless",
    "Workload",
    "__version__",
    "explore",
    "load_scenario",
    "open",
    "open_tape",
    "run",
    "study",
    "sweep",
]

_PLACES: Final = {
    "ExplorationResult": ("exploring", "ExplorationResult"),
    "RecordedTape": ("tapes.recorded_tape", "RecordedTape"),
    "RunResults": ("results", "RunResults"),
    "Scenario": ("scenarios", "TypedScenario"),
    "SweepResults": ("results", "SweepResults"),
    "Table": ("table", "Table"),
    "explore": ("exploring", "explore"),
    "open": ("results", "open_results"),
    "open_tape": ("tapes.recorded_tape", "open_tape"),
    "run": ("experiments", "run"),
    "load_scenario": ("scenarios", "load_scenario"),
    "study": ("experiments", "study"),
    "sweep": ("experiments", "sweep"),
}
"""For names that are loaded late, the module in `mobilesim.api` and the name there. All others are sections."""


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions and classes
        if name not in __all__:
            raise AttributeError(f"module 'mobilesim' has no attribute {name!r}")
        module, attribute = _PLACES.get(name, ("sections", name))
        found = getattr(import_module(f"mobilesim.api.{module}"), attribute)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
