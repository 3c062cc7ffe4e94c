"""The names of files and directories in a results directory, and the names of a study's axis and base."""

from hashlib import blake2b
from typing import Final

from mobilesim.results.version import __version__

SUMMARY: Final = "summary"
REPORT: Final = "report.html"
PARETO: Final = "pareto.html"
SCENARIO: Final = "scenario.yaml"
SWEEP: Final = "sweep.yaml"
DESIGN: Final = "design.json"
"""The design of a sweep that is no grid."""
MANIFEST: Final = "manifest"
"""The directory of a sweep's manifests, beside the directories of the tables. Manifests list the finished runs."""

VARIANT: Final = "variant"
"""The key of the only axis of a study."""
BASE: Final = "base"
"""The value of this axis for the scenario without changes."""


def run_id(scenario_hash: str, protocol: str, replication: int, version: str = __version__) -> str:
    """Return a digest of all settings that determine the results of a run. The files of the run have this name.
    `protocol`: its label, and the packages of other parties that it uses, if any. `version`: that of mobilesim.
    """
    return digest(scenario_hash, protocol, replication, version)


def digest(*parts: object) -> str:
    return blake2b("/".join(map(str, parts)).encode(), digest_size=8).hexdigest()
