"""`value`: a slotted dataclass that is frozen for the type checker, without the run-time cost of a frozen one."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=True, frozen_default=True)
def value(cls: type[T]) -> type[T]:
    # A dataclass that is frozen at run time writes its fields through object.__setattr__. This costs almost four times
    # as much, for every message. mypy refuses assignments already.
    return dataclass(slots=True, unsafe_hash=True)(cls)
