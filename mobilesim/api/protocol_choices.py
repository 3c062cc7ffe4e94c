"""Protocol names and protocol options on the command line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mobilesim.errors import UserError, did_you_mean, is_python_call, suggestion

if TYPE_CHECKING:
    from mobilesim.protocols.catalogue_rows import Option, OptionValue, ProtocolRow


def named_row(name: str) -> "ProtocolRow":
    """Return the protocol with this name in the catalogue, or with this pair `placement+ordering`."""
    from mobilesim.extensions.outside_protocols import outside_part
    from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS, pairs

    if "+" in name:
        return paired_row(name)
    if name in ROWS:
        return ROWS[name]
    if name in ORDERINGS:
        written = " or ".join(f"'{row.placement}+{name}'" for row in pairs() if row.ordering == name)
        raise UserError(f"{name}: this is an ordering; write it with a placement, {written}")
    if name in PLACEMENTS:
        raise UserError(f"{name}: this is a placement; write it with an ordering, like '{name}+rst'")
    if (example := outside_part(name)) is not None:
        raise UserError(f"{name}: this is one part of a protocol; write placement+ordering, like '{example}'")
    raise UserError(f"{name}: no such protocol{suggestion(name, ROWS, 'and any placement+ordering')}")


def paired_row(name: str) -> "ProtocolRow":
    from mobilesim.extensions.outside_protocols import outside_ordering, outside_placement
    from mobilesim.extensions.resolution import Kind, installed
    from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS, pair

    place, _, order = name.partition("+")
    outside_place, outside_order = outside_placement(place), outside_ordering(order)
    if place in ROWS and place not in PLACEMENTS and order in ORDERINGS:
        row = ROWS[place]
        reason = f"'{place}' is {row.placement}+{row.ordering}"
        raise UserError(f"{name}: {reason}; did you mean '{row.placement}+{order}'?")
    if place in ORDERINGS and order in PLACEMENTS:
        raise UserError(f"{name}: the placement comes first; did you mean '{order}+{place}'?")
    if place not in PLACEMENTS and outside_place is None:
        hint = suggestion(place, PLACEMENTS, installed=installed(Kind.PLACEMENT))
        raise UserError(f"{name}: there is no placement '{place}'{hint}")
    if order not in ORDERINGS and outside_order is None:
        hint = suggestion(order, ORDERINGS, installed=installed(Kind.ORDERING))
        raise UserError(f"{name}: there is no ordering '{order}'{hint}")
    try:
        return pair(place, order)
    except ValueError as error:
        raise UserError(f"{name}: {error}") from None


def protocols(words: Sequence[str]) -> str:
    """Return the YAML list of protocols. A name may be followed by its options, like `av3`, `k=3`."""
    entries: list[str] = []
    for word in words:
        if "=" in word and entries:
            entries[-1] += f", {word.replace('=', ': ', 1)}"
        else:
            entries.append(_entry(word))
    return f"[{', '.join(f'{{{entry}}}' for entry in entries)}]"


def _entry(name: str) -> str:
    """Return the YAML entry of a protocol. A pair is checked here, for a message with suggestions."""
    place, plus, order = name.partition("+")
    if not plus:
        return f"name: {name}"
    try:
        paired_row(name)
    except UserError as error:
        raise UserError(f"--protocol: {error}") from None
    return f"placement: '{place}', ordering: '{order}'"


def chosen_options(row: "ProtocolRow", texts: list[str]) -> dict[str, "OptionValue"]:
    """Return all options of the protocol: the values in `texts` (`option=value`), and defaults for the others."""
    from mobilesim.protocols.catalogue_rows import option_without_effect, yaml_text

    chosen = {name: option.default for name, option in row.options.items()}
    for text in texts:
        name, _, given = text.partition("=")
        if name not in row.options:
            hint = did_you_mean(name, row.options) or f"; it has {', '.join(row.options) or 'none'}"
            raise UserError(f"{_set(text)}: {row.name} has no option '{name}'{hint}")
        option = row.options[name]
        values = {yaml_text(value): value for value in option.values}
        if given not in values:
            raise UserError(f"{_set(text)}: {_expected_values(option, given)}")
        chosen[name] = values[given]
    if (idle := option_without_effect(row.options, chosen)) is not None:
        name, needed = idle
        written = _set(f"{name}={yaml_text(chosen[name])}")
        raise UserError(f"{written}: this option has an effect with {needed.replace(': ', '=')} only")
    return chosen


def _set(text: str) -> str:
    return text if is_python_call() else f"--set {text}"


def _expected_values(option: "Option", given: str) -> str:
    if isinstance(option.values, range):
        return f"expected a whole number in {option.choices}"
    values = option.choices.split("|")
    return f"expected one of {', '.join(values)}{did_you_mean(given, values)}"
