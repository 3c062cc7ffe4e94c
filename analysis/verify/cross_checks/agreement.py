"""Check that the runs of a directory agree: what depends on the scenario or the protocol only, they have in common."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Final

from mobilesim.analysis.verify.checks import AGREEMENT, Fact, RunChecks

OF_SCENARIO: Final = ("seed", "stations")
OF_PROTOCOL: Final = (
    *("placement", "ordering", "options", "extensions", "description", "paper", "relays"),
    *("claims_causal", "claims_fifo", "claims_short_chains", "claims_violation_rate"),
)
NO_POINT: Final = "{}"
"""The point of a run outside of sweeps. A sweep may be continued with other protocols and clocks."""
OF_CLOCK: Final = ("claims_exact",)
OF_CLOCK_AND_REPLICATION: Final = ("exact_sets", "links", "gateways", "arrivals", "obs_set_mean", "obs_set_max")


def add_facts(checks: RunChecks) -> None:
    """Add to the checks of a run what other runs of the same scenario must have too."""
    row, facts = checks.row, checks.facts
    scenario = row["scenario_hash"]
    facts += [Fact("runs", name, (scenario,), row[name]) for name in OF_SCENARIO]
    facts += [Fact("runs", name, (scenario, row["protocol"]), row[name]) for name in OF_PROTOCOL]
    clocks = checks.run.read("clocks", "clock", *OF_CLOCK, *OF_CLOCK_AND_REPLICATION).to_pylist()
    names = [clock["clock"] for clock in clocks]
    if row["point"] == NO_POINT:
        facts.append(Fact("runs", "protocol_index", (scenario, row["protocol"]), row["protocol_index"]))
        facts.append(Fact("clocks", "clock", (scenario,), tuple(names)))
    for clock, name in zip(clocks, names, strict=True):
        facts += [Fact("clocks", column, (scenario, name), clock[column]) for column in OF_CLOCK]
        place = (scenario, name, row["replication"])
        facts += [Fact("clocks", column, place, clock[column]) for column in OF_CLOCK_AND_REPLICATION]


def check_agreement(checked: Iterable[RunChecks]) -> None:
    """Add a fault to the checks of each run that has another value than the first run with this column and scope."""
    values: dict[tuple[str, str, Hashable], tuple[str, object]] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    for checks in checked:
        for fact in checks.facts:
            run, value = values.setdefault((fact.table, fact.column, fact.scope), (checks.run.run_id, fact.value))
            if run != checks.run.run_id:
                counts[checks.run.run_id] += 1
                if value != fact.value:
                    checks.fault(AGREEMENT, f"{fact.table}: {fact.column}: {fact.value!r}, but {value!r} in run {run}")
        checks.count(AGREEMENT, counts[checks.run.run_id])
