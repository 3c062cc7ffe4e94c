"""The names of the files and directories in a results directory, and of what a study of variants varies."""

from typing import Final

SUMMARY: Final = "summary"
REPORT: Final = "report.html"
PARETO: Final = "pareto.html"
SCENARIO: Final = "scenario.yaml"
SWEEP: Final = "sweep.yaml"
MANIFEST: Final = "manifest"
"""Of a sweep: its directory has one directory for each table, and this one, which says which runs are complete."""

VARIANT: Final = "variant"
"""The key of a study's only axis."""
BASE: Final = "base"
"""The value of that axis for the scenario without changes."""
