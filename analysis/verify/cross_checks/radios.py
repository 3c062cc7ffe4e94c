"""Check the energy of hosts: the energy of a state is its power, which all hosts share, for the time of the state."""

import numpy as np

from mobilesim.analysis.verify.checks import COUNTERS, Column, Columns, Rule, RunChecks
from mobilesim.analysis.verify.columns import read_columns
from mobilesim.results.quantities import RADIO_STATES, RADIO_TIMES

_PRECISION = 1e-9


def check_radios(checks: RunChecks) -> None:
    """Check the energies in a network of cells. In a static network, hosts have no radio, and nothing moves."""
    names = ("host", *RADIO_TIMES, "wake_ups", "unreachable", *_energies())
    table = read_columns(checks.run, "hosts", *names, "battery", "died")
    host = table["host"]
    checks.count(COUNTERS, len(host))
    if checks.row["stations"]:
        rules = [*_powers(table), *_limits(checks, table)]
    else:
        rules = [(table[name] != 0, f"{name} is not 0 in a static network") for name in names[1:]]
        rules.append((table["battery"] != -1, "it has a battery in a static network"))
    checks.rules(COUNTERS, lambda row: f"hosts, host {host[row]}", rules)


def _energies() -> list[str]:
    return [f"energy_{state.energy}" for state in RADIO_STATES if state.energy]


def _powers(table: Columns) -> list[Rule]:
    rules: list[Rule] = []
    for state in RADIO_STATES:
        if state.energy:
            amount = table[state.name or "wake_ups"].astype(np.float64)
            name = f"energy_{state.energy}"
            rules.append((_disproportionate(table[name], amount), f"{name} is not the power of all hosts x the time"))
    return rules


def _disproportionate(energy: Column, amount: Column) -> Column:
    """Mark the energies that are not the amounts times the median of their ratios."""
    used = amount > 0
    power = float(np.median(energy[used] / amount[used])) if used.any() else 0.0
    wrong: Column = np.abs(energy - power * amount) > _PRECISION * np.abs(energy)
    return wrong


def _limits(checks: RunChecks, table: Columns) -> list[Rule]:
    measured = checks.row["measured_to"] - checks.row["measured_from"]
    battery, died = table["battery"], table["died"]
    return [
        (table["wake_ups"] < 0, "wake_ups is negative"),
        ((table["unreachable"] < 0) | (table["unreachable"] > measured), "unreachable is longer than the run"),
        ((died >= 0) & ~(np.abs(battery) < 1e-6), "its battery became empty, but has energy"),
        ((battery == -1) & bool((battery != -1).any()), "it has no battery, but other hosts have one"),
    ]
