"""All checks of one run. This runs inside a Spark task, and reads no more than a piece of a large table at a time."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from analysis.summary.results_reader import PIECE, Run, check_footer, check_groups
from analysis.verify.columns import belong
from analysis.verify.counters import counters
from analysis.verify.deliveries import deliveries
from analysis.verify.exactly_once import missing
from analysis.verify.findings import Findings
from analysis.verify.handoffs import clocks, disconnections, handoffs
from analysis.verify.messages import Network, messages
from analysis.verify.order_checks import Order
from analysis.verify.traffic import integer, traffic
from mobilesim.errors import UserError
from mobilesim.results.location import Location
from mobilesim.results.run_table import schema
from mobilesim.results.schema import TABLES


def verified(run: Run, row: Mapping[str, Any]) -> Findings | str:
    """What was found; of a run that cannot be read, why not."""
    try:
        for table, expected in TABLES.items():
            check_footer(run.path(table), expected)
            check_groups(run.rows(table))
            run.rows(table).check_pages(PIECE)
            _of_version(run.path(table), row)
        return _verified(run, row)
    except UserError as error:
        return str(error)
    except (pa.ArrowException, OSError, MemoryError) as error:
        return f"run '{run.run_id}' cannot be read: {' '.join(str(error).split()) or type(error).__name__}"


def _verified(run: Run, row: Mapping[str, Any]) -> Findings:
    findings = Findings(run.run_id)
    # Only a static network may measure a part of its run.
    windowed = not row["stations"] and row["deliveries"] != row["judged"]
    network = Network(row["hosts"], row["stations"], windowed=windowed)
    for table in TABLES:
        belong(findings, run, table)
    size = integer(run)
    sent = messages(findings, run, network)
    made = deliveries(findings, run, sent, size)
    traffic(findings, run, row, sent, size)
    counters(findings, run, row, sent, made)
    handoffs(findings, run, network)
    disconnections(findings, run, network)
    clocks(findings, run)
    Order(findings, run, row, sent, made).check(missing(findings, run, row, sent, made))
    return findings


def _of_version(path: Location, row: Mapping[str, Any]) -> None:
    """A file tells which version wrote it; its run has one."""
    said = (schema(path).metadata or {}).get(b"version", row["version"].encode()).decode(errors="replace")
    if said != row["version"]:
        raise UserError(f"{path}: written by mobilesim {said}, its run by {row['version']}; run it again")
