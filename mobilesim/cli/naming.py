"""Protocols and their options, by the names that users type."""

from typing import TYPE_CHECKING

from mobilesim.errors import UserError

if TYPE_CHECKING:
    from protocols.catalogue import Row, Setting


def named_row(name: str) -> "Row":
    """A row of the catalogue, or any pair, as `placement+ordering`."""
    from difflib import get_close_matches

    from protocols.catalogue import ROWS, pair

    if name in ROWS:
        return ROWS[name]
    if "+" in name:
        try:
            return pair(*name.split("+", 1))
        except ValueError as error:
            raise UserError(f"{name}: {error}") from error
    nearest = get_close_matches(name, ROWS, n=1)
    hint = f"did you mean '{nearest[0]}'?" if nearest else f"there are {', '.join(ROWS)}, and any placement+ordering"
    raise UserError(f"{name}: no such protocol; {hint}")


def chosen_options(row: "Row", texts: list[str]) -> dict[str, "Setting"]:
    """`option=value` as given; what is not given keeps its default."""
    chosen = {name: option.default for name, option in row.options.items()}
    for text in texts:
        name, _, given = text.partition("=")
        if name not in row.options:
            raise UserError(
                f"--set {text}: {row.name} has no option '{name}'; it has {', '.join(row.options) or 'none'}"
            )
        values = {str(value): value for value in row.options[name].values}
        if given not in values:
            raise UserError(f"--set {text}: expected one of {row.options[name].choices.replace('|', ', ')}")
        chosen[name] = values[given]
    return chosen
