"""The options of commands that show the movement of a scenario's hosts without a run."""

import argparse
from typing import TYPE_CHECKING

from mobilesim.cli.arguments import add_overrides, overrides, read_quantity
from mobilesim.errors import UserError, counted

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--duration", metavar="TIME", help="the duration, like '10 min' (default: that of the scenario)")
    add("--replication", type=int, default=0, metavar="N", help="the number of the replication (default: 0)")
    add_overrides(parser, "override a key, like cells.radius='300 m'; may be given again")


def load_scenario(args: argparse.Namespace, name: str) -> "Scenario":
    """Return the scenario, changed by the options. Check that it has cells and the requested replication."""
    from mobilesim.scenario.bundled import find
    from mobilesim.scenario.loader import load
    from mobilesim.scenario.values.units import TIME

    scenario = load(find(name), overrides(args.set))
    if args.duration is not None:
        scenario = scenario.model_copy(update={"duration": int(read_quantity("duration", args.duration, TIME))})
    if scenario.network == "static":
        raise UserError(f"{name}: hosts of a static network have no cells, and do not move")
    if not 0 <= args.replication < scenario.replications:
        many = counted(scenario.replications, "replication")
        last = scenario.replications - 1
        raise UserError(f"--replication {args.replication}: the scenario has {many}; write 0 to {last}")
    return scenario


def host_count(args: argparse.Namespace, scenario: "Scenario", otherwise: int, least: int = 0) -> int:
    """Return the number of hosts in `--hosts`. The default is `otherwise`, or all hosts if there are fewer."""
    if args.hosts is None:
        return min(otherwise, scenario.hosts)
    if not least <= args.hosts <= scenario.hosts:
        hosts = counted(scenario.hosts, "host")
        raise UserError(f"--hosts {args.hosts}: the scenario has {hosts}; write {least} to {scenario.hosts}")
    return int(args.hosts)


def duration_of(scenario: "Scenario") -> int:
    from mobilesim.scenario.model import DURATION
    from mobilesim.scenario.values.units import TIME

    return int(TIME.read(DURATION)) if scenario.duration is None else scenario.duration
