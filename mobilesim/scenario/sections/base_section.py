"""What all parts of the model have in common."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer, model_validator

from mobilesim.errors import shown
from mobilesim.scenario.values.validation_error import Fault, refusal, refuse


class Section(BaseModel):
    """Frozen; knows its keys; `faults` yields what its fields cannot see one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that are written only where somebody changes them, so that a scenario without them keeps its hash."""

    def unwritten(self) -> set[str]:
        """Keys that say nothing here."""
        return {key for key in self.later if self._usual(key)}

    def wanted(self, key: str) -> bool:
        """Whether somebody wrote it, and otherwise than it is anyway."""
        return key in self.model_fields_set and not self._usual(key)

    def _usual(self, key: str) -> bool:
        return bool(getattr(self, key) == getattr(_plain(type(self)), key))

    @model_serializer(mode="wrap")
    def _what_is_said(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written, absent = whole(self), self.unwritten()
        return {key: value for key, value in written.items() if key not in absent} if absent else written

    def faults(self) -> Iterator[Fault]:
        yield from ()

    @model_validator(mode="before")
    @classmethod
    def _is_a_mapping(cls, raw: object) -> object:
        """A section left empty means its defaults."""
        if raw is None:
            return {}
        if isinstance(raw, Mapping | Section):
            return raw
        raise refuse(f"{shown(raw)} is not a mapping; write keys below it (known: {', '.join(cls.model_fields)})")

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if found := tuple(self.faults()):
            raise refusal(*found)
        return self


@cache
def _plain(kind: type[Section]) -> Section:
    """As it is unless somebody says otherwise."""
    return kind()
