"""The outcome of a check of the conformance suite."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """`text`: what was tried, or what is wrong. `listing`: the counter-example, line by line."""

    check: str
    passed: bool
    text: str
    listing: tuple[str, ...] = ()


class ContractError(Exception):
    """A rule of the contract that an ordering breaks."""
