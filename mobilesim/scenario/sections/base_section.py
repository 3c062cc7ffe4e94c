"""The base class of all sections, with consistency checks and a form without defaults."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    ValidationError,
    ValidationInfo,
    model_serializer,
    model_validator,
)

from mobilesim.errors import UserError, shown
from mobilesim.scenario.values.validation_error import Fault, refusal, refuse
from mobilesim.scenario.yaml_document import dotted

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

_DEFAULTS: Final = object()
"""The validation context of a section that is built only for its defaults, and may be inconsistent."""


class _Constructor(type(BaseModel)):  # type: ignore[misc]  # pydantic's metaclass has no public name
    """Lets the construction of a section in a program report wrong values as for a file."""

    def __call__(cls, *args: Any, **values: Any) -> Any:  # noqa: ANN401 - as each section's fields
        try:
            return super().__call__(*args, **values)
        except ValidationError as error:
            from mobilesim.scenario.pydantic_errors import faults_of

            faults = faults_of(error, cls, values)
            raise UserError(*(": ".join(filter(None, (dotted(at.below), at.message))) for at in faults)) from None


class Section(BaseModel):
    """A part of a scenario. It is immutable, and has no unknown keys."""

    # Only the validator of the whole scenario is needed. Building one for each section would take 25 ms.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def unwritten(self) -> set[str]:
        """Return the keys that have no effect because of the values of other keys. The normal form omits them."""
        return set()

    def faults(self) -> Iterator[Fault]:
        yield from ()

    def misfits(self, _scenario: "Scenario") -> Iterator[Fault]:
        """Yield inconsistencies with other sections that are visible without reading other files."""
        yield from ()

    @classmethod
    def misplaced(cls, _key: str) -> str:
        """Return the end of a message about an unknown key: the place where the key belongs."""
        return ""

    def changed(self, key: str) -> bool:
        """Return whether the key is written, with a value other than its default."""
        return key in self.model_fields_set and not self.is_default(key)

    def is_default(self, key: str) -> bool:
        if type(self).model_fields[key].is_required():
            return False
        return bool(getattr(self, key) == getattr(_defaults(type(self)), key))

    @model_serializer(mode="wrap")
    def _written_keys(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written, absent = whole(self), self.unwritten()
        return {key: value for key, value in written.items() if key not in absent}

    @model_validator(mode="before")
    @classmethod
    def _is_a_mapping(cls, raw: object) -> object:
        """Read an empty section as a section with all defaults."""
        if raw is None:
            return {}
        if isinstance(raw, Mapping | Section):
            return raw
        raise refuse(f"{shown(raw)} is not a mapping; write keys below it (known: {', '.join(cls.model_fields)})")

    @model_validator(mode="after")
    def _is_consistent(self, info: ValidationInfo) -> Self:
        if info.context is not _DEFAULTS and (found := tuple(self.faults())):
            raise refusal(*found)
        return self


if not TYPE_CHECKING:  # with `metaclass=...`, mypy's plugin for pydantic would not recognise sections
    Section.__class__ = _Constructor


@cache
def _defaults(kind: type[Section]) -> Section:
    """Return a section with all defaults. Required keys have the values of their examples."""
    required = {key: field.examples for key, field in kind.model_fields.items() if field.is_required()}
    return kind.model_validate({key: (examples or [None])[0] for key, examples in required.items()}, context=_DEFAULTS)


def without_defaults(part: object, written: Any) -> Any:  # noqa: ANN401 - JSON data
    """Return `written`, the JSON data of `part`, without the keys that have their default values."""
    if isinstance(part, Section):
        return {
            key: without_defaults(getattr(part, key), value)
            for key, value in written.items()
            if not part.is_default(key)
        }
    if isinstance(part, tuple) and part and isinstance(part[0], Section):
        return [without_defaults(each, value) for each, value in zip(part, written, strict=True)]
    return written
