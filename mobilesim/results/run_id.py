"""The id of a run, which names its files."""

from hashlib import blake2b

from mobilesim.results.version import __version__


def run_id(scenario_hash: str, protocol: str, replication: int) -> str:
    """Return a digest of all that decides the results: the same run has the same id in every directory."""
    parts = (scenario_hash, protocol, replication, __version__)
    return blake2b("/".join(map(str, parts)).encode(), digest_size=8).hexdigest()
