"""The methods of dataclasses as source text, each in one line. They behave as the methods that `dataclasses` makes."""

from typing import Final

from compiled_core.class_sources import ClassSource, FieldSource

_ATOMS: Final = {"int", "str", "bool", "float", "bytes"}
"""Values of these types are compared with `==`. Of other values, the identity is compared first, as in tuples."""


def methods_of(cls: ClassSource, fields: list[FieldSource]) -> list[str]:
    """Return the methods of a dataclass, each in one line."""
    assert cls.options is not None
    compared = [part for part in fields if part.compare]
    methods = [_init(cls, fields)]
    if cls.options.eq and "__eq__" not in cls.names:
        methods.append(_eq(cls, compared))
    if cls.options.hashed and "__hash__" not in cls.names:
        values = "".join(f"self.{part.name}, " for part in compared)
        methods.append(f"def __hash__(self) -> int: return hash(({values}))")
    return methods


def _init(cls: ClassSource, fields: list[FieldSource]) -> str:
    own = {part.name for part in cls.fields}
    parameters = "".join(f", {_parameter(part)}" for part in fields if part.init)
    body = [_assignment(part, declared=part.name in own) for part in fields]
    if "__post_init__" in cls.names:
        body.append("self.__post_init__()")
    return f"def __init__(self{parameters}) -> None: {'; '.join(filter(None, body)) or 'pass'}"


def _parameter(part: FieldSource) -> str:
    if part.factory is not None:
        return f"{part.name}: {part.annotation} | None = None"
    return f"{part.name}: {part.annotation}" + (f" = {part.default}" if part.default is not None else "")


def _assignment(part: FieldSource, *, declared: bool) -> str:
    """Return the assignment of a field. For an annotated inherited field, mypyc would add a second attribute."""
    target = f"self.{part.name}: {part.annotation}" if declared else f"self.{part.name}"
    if not part.init and part.factory is None:
        return f"{target} = {part.default}" if part.default is not None else ""
    if not part.init:
        return f"{target} = {part.factory}()"
    if part.factory is not None:
        return f"{target} = {part.factory}() if {part.name} is None else {part.name}"
    return f"{target} = {part.name}"


def _eq(cls: ClassSource, compared: list[FieldSource]) -> str:
    same = " and ".join(_comparison(part) for part in compared) or "True"
    kind = f"type(other) is type(self) and isinstance(other, {cls.name})"
    return f"def __eq__(self, other: object) -> bool: return ({same}) if {kind} else NotImplemented"


def _comparison(part: FieldSource) -> str:
    equal = f"self.{part.name} == other.{part.name}"
    return equal if part.annotation in _ATOMS else f"(self.{part.name} is other.{part.name} or {equal})"
