"""The names of files and directories in a results directory, and of the axis of variants."""

from typing import Final

SUMMARY: Final = "summary"
REPORT: Final = "report.html"
PARETO: Final = "pareto.html"
SCENARIO: Final = "scenario.yaml"
SWEEP: Final = "sweep.yaml"
MANIFEST: Final = "manifest"
"""The directory of a sweep's manifests, beside the directories of the tables. Manifests name the complete runs."""

VARIANT: Final = "variant"
"""The key of a study's only axis."""
BASE: Final = "base"
"""The value of that axis for the scenario without changes."""
