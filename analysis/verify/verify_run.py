"""All checks of one run, in a Spark task. Large tables are read in batches."""

from collections.abc import Mapping
from typing import Any

from mobilesim.analysis.summary.results_reader import Run, check_footer, check_groups, read_errors
from mobilesim.analysis.verify.checks import RunChecks
from mobilesim.analysis.verify.columns import check_run_id, check_run_ids
from mobilesim.analysis.verify.counters import check_counters
from mobilesim.analysis.verify.cross_checks.absences import check_absences
from mobilesim.analysis.verify.cross_checks.agreement import add_facts
from mobilesim.analysis.verify.cross_checks.cells import Cells
from mobilesim.analysis.verify.cross_checks.radios import check_radios
from mobilesim.analysis.verify.deliveries import check_deliveries
from mobilesim.analysis.verify.exactly_once import check_exactly_once
from mobilesim.analysis.verify.handoffs import check_clocks, check_disconnections, check_handoffs, check_stations
from mobilesim.analysis.verify.members import check_members
from mobilesim.analysis.verify.messages import Network, check_messages
from mobilesim.analysis.verify.order_checks.order import OrderCheck
from mobilesim.analysis.verify.order_checks.waits import check_waits
from mobilesim.analysis.verify.traffic import check_traffic, integer_size
from mobilesim.errors import UserError
from mobilesim.results.location import Location
from mobilesim.results.run_table import schema, unchanged_files
from mobilesim.results.schema import TABLES


def verify_run(run: Run, row: Mapping[str, Any]) -> RunChecks | str:
    """Return the results of all checks, or the reason for which the run cannot be read. `row`: its row of `runs`."""
    try:
        with read_errors(run), unchanged_files():
            for table, expected in TABLES.items():
                check_footer(run.path(table), expected)
                check_groups(run.rows(table))
                run.rows(table).check()
                _check_version(run.path(table), row)
            return _checked(run, row)
    except UserError as error:
        return str(error)


def _checked(run: Run, row: Mapping[str, Any]) -> RunChecks:
    checks = RunChecks(run, row)
    windowed = (row["measured_from"], row["measured_to"]) != (0, row["simulated"])
    network = Network(row["hosts"], row["stations"], windowed=windowed, relays=row["relays"])
    check_run_id(checks)
    for table in TABLES:
        check_run_ids(checks, table)
    size = integer_size(run)
    messages = check_messages(checks, network)
    cells = Cells(checks, network)
    deliveries = check_deliveries(checks, messages, cells, size)
    check_traffic(checks, messages, size)
    check_counters(checks, messages, deliveries)
    check_members(checks, messages, deliveries)
    check_handoffs(checks, network, deliveries)
    check_disconnections(checks, network)
    check_absences(checks, messages, deliveries, cells)
    check_radios(checks)
    check_stations(checks)
    check_clocks(checks, messages)
    awaited = check_exactly_once(checks, messages, deliveries)
    OrderCheck(checks, messages, deliveries).check(awaited)
    check_waits(checks, messages, deliveries)
    add_facts(checks)
    return checks


def _check_version(path: Location, row: Mapping[str, Any]) -> None:
    """Check that the file was written by the version that the run's row records."""
    written = (schema(path).metadata or {}).get(b"version", row["version"].encode()).decode(errors="replace")
    if written != row["version"]:
        found = f"written by mobilesim {written}, but the run was made by {row['version']}"
        raise UserError(f"{path}: {found}; run the scenario again")
