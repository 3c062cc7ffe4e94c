"""The catalogue of clocks and the results of a comparison, as text and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mobilesim.api.text_tables import aligned, indented, terminal_width
from mobilesim.errors import counted
from mobilesim.experiments.run import RunOutcome
from mobilesim.protocols.catalogue_rows import Option, yaml_text
from mobilesim.protocols.clocks.catalogue import CLOCKS, Arrivals, ClockRow
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.clocks import Clocks

_ARRIVALS: Final[Mapping[str, str]] = {"any": "any", "FIFO": "FIFO", "causal": "causal order"}
_NEEDS: Final[Mapping[str, str]] = {
    "any": "in any order",
    "FIFO": "must be those of a FIFO channel that loses no message, or else answers of every kind may be wrong",
    "causal": "must be in causal order, or else ordered messages may be reported as concurrent",
}


def overview() -> str:
    """Return the list of clocks."""
    head = ("name", "integers on a message", "arrivals", "wrong answers", "options", "description")
    rows = [
        (
            row.name,
            row.integers,
            _ARRIVALS[row.arrivals],
            row.errors.value,
            ", ".join(name for name, _ in row.options) or "-",
            f"{row.title}; {row.paper}",
        )
        for row in CLOCKS.values()
    ]
    return "\n".join(aligned([head, *rows], width=terminal_width()))


def details(row: ClockRow) -> str:
    """Return the description of one clock."""
    facts = {
        "description": row.title,
        "paper": row.paper,
        "integers": f"on a message between N processes: {row.integers}",
        "arrivals": _NEEDS[row.arrivals],
        "wrong answers": "; ".join([row.errors.value, *_errors_of_options(row)]),
    }
    options = [
        (f"{name}={option.choices}", f"{option.help} (default: {yaml_text(option.default)})")
        for name, option in row.options
    ]
    chosen = [f"{name}: {yaml_text(option.default)}" for name, option in row.options]
    entry = f"{{{', '.join([f'clock: {row.name}', *chosen])}}}" if chosen else row.name
    listed = ["", "options", *indented(options)] if options else []
    return "\n".join([row.name, *indented(list(facts.items())), *listed, "", "in a scenario", f"  clocks: [{entry}]"])


def _errors_of_options(row: ClockRow) -> list[str]:
    return [f"with {name}={yaml_text(setting)}: {errors.value}" for name, setting, errors in row.with_options]


def entry(row: ClockRow) -> dict[str, Any]:
    """Return the JSON document of a row."""
    return {
        "name": row.name,
        "title": row.title,
        "paper": row.paper,
        "integers": row.integers,
        "arrivals": row.arrivals,
        "wrong_answers": row.errors.value,
        "options": {name: _option(option) for name, option in row.options},
    }


def _option(option: Option) -> dict[str, Any]:
    values = option.values
    allowed = {"from": values[0], "to": values[-1]} if isinstance(values, range) else list(values)
    return {"help": option.help, "values": allowed, "default": option.default}


_HEAD: Final = (
    *("clock", "message", "largest", "of FM", "process", "wrong"),
    *("missed", "reversed", "spurious", "claim"),
)


def comparison(scenario: Scenario, outcomes: Sequence[RunOutcome]) -> str:
    """Return a table for each run."""
    lines = [f"{scenario.name}: {counted(scenario.hosts, 'host')}, seed {scenario.seed}"]
    clocks = scenario.clocks or Clocks()
    for outcome in outcomes:
        compared = outcome.clocks[0]["compared"]
        messages, pairs = counted(outcome.messages, "message"), counted(compared, "pair")
        of = "events of two hosts" if clocks.pairs else "messages to one host"
        about = f"{outcome.run.choice.label}: {messages}; each clock compared {pairs} of {of}"
        found = zip(clocks.names, outcome.clocks, strict=True)
        rows = [_HEAD, *(_row(row, _needed(CLOCKS[choice.name], clocks)) for choice, row in found)]
        lines += ["", about, "", *aligned(rows, numbers=range(1, len(_HEAD) - 1), width=terminal_width())]
    return "\n".join(lines)


def _row(row: Mapping[str, Any], arrivals: Arrivals) -> tuple[str, ...]:
    copies, compared, vectors = row["copies"], row["compared"], row["integers_of_vectors"]
    return (
        row["clock"],
        f"{row['integers'] / copies:.1f}" if copies else "-",
        str(row["integers_max"]),
        f"{row['integers'] / vectors:.1%}" if vectors else "-",
        f"{row['kept_mean']:.1f}",
        f"{row['wrong'] / compared:.2%}" if compared else "-",
        *(f"{row[kind]:,}" for kind in ("missed", "reversed", "spurious")),
        _claim(row, arrivals),
    )


def _needed(clock: ClockRow, clocks: Clocks) -> Arrivals:
    """Return the order of arrivals that a clock needs. For events of pairs, no arrival times are recorded."""
    return "any" if clocks.pairs and clock.arrivals == "causal" else clock.arrivals


def _claim(row: Mapping[str, Any], arrivals: Arrivals) -> str:
    if not row["claims_exact"]:
        return "inexact"
    return "exact" if arrivals == "any" else f"exact if {arrivals}"


def comparison_document(scenario: Scenario, outcomes: Sequence[RunOutcome]) -> dict[str, Any]:
    runs = [{"protocol": outcome.run.choice.label, "clocks": list(outcome.clocks)} for outcome in outcomes]
    return {"scenario": scenario.name, "hash": scenario.hash, "seed": scenario.seed, "runs": runs}
