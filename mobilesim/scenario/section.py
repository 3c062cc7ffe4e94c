"""What all parts of the model have in common."""

from collections.abc import Iterator, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from mobilesim.scenario.faults import Fault, refusal, refuse, shown


class Section(BaseModel):
    """Frozen; knows its keys; `faults` yields what its fields cannot see one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

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
