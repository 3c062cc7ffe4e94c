"""Arguments that several commands take."""

from collections.abc import Sequence

from mobilesim.errors import UserError


def overrides(given: Sequence[str], option: str = "--set") -> dict[str, str]:
    """`--set KEY=VALUE`, as often as it was given; the last one of a key wins."""
    pairs: dict[str, str] = {}
    for text in given:
        key, equals, content = text.partition("=")
        if not equals or not key.strip():
            raise UserError(f"{option} {text}: write KEY=VALUE, like {option} hosts=100")
        pairs[key.strip()] = content
    return pairs
