"""Gives compiled classes what Python code expects of slotted classes and of dataclasses.

mypyc ignores `__slots__` and knows nothing of `dataclasses.fields`. A compiled module calls `attach` below each class.
The build puts this file beside the compiled modules.
"""

from collections.abc import Callable, Sequence
from dataclasses import Field, field, fields, make_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
else:

    def mypyc_attr(**_: bool) -> Callable[[T], T]:
        """Do nothing. mypyc reads this decorator and does not run it, so its package need not be installed."""
        return lambda cls: cls


Fields = dict[str, Field[Any]]
Specification = tuple[str, str, Any]
"""The name, the annotation and the `own_field` of a field."""


class _Slots(tuple[str, ...]):
    """Slots of a compiled class. Their truth value is false: mypyc refuses a base class with true `__slots__`, because
    it assumes that they change the layout of objects. These slots do not.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


def own_field(**options: Any) -> Any:  # noqa: ANN401 - typed as its default, it would not be accepted by `attach`
    return field(**options)


def attach(cls: Any, slots: Sequence[str] | None, own: Sequence[Specification] | None = None) -> None:  # noqa: ANN401 - setattr
    """Attach slots, and to a dataclass its own and inherited fields. Without `slots`, all attributes are slots."""
    inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    names = cls.__mypyc_attrs__ if slots is None else slots
    cls.__slots__ = _Slots(name for name in names if name not in inherited)
    _use_default_pickling(cls)
    if own is not None:
        _attach_fields(cls, own)


def _use_default_pickling(cls: Any) -> None:  # noqa: ANN401 - as for `attach`
    """Replace mypyc's pickling, which omits slots of interpreted subclasses, by that of slotted classes."""
    for name in ("__getstate__", "__setstate__"):
        if name in cls.__dict__:
            delattr(cls, name)
    # Without this method, `object.__reduce_ex__` refuses classes with instances larger than their slots.
    cls.__getnewargs__ = _no_arguments


def _no_arguments(_: object) -> tuple[()]:
    return ()


def _attach_fields(cls: Any, own: Sequence[Specification]) -> None:  # noqa: ANN401 - as for `attach`
    bases = [base for base in reversed(cls.__mro__[1:]) if "__dataclass_fields__" in base.__dict__]
    inherited = {name: part for base in bases for name, part in base.__dict__["__dataclass_fields__"].items()}
    twin: Any = make_dataclass(cls.__name__, own, init=False, repr=False, eq=False)
    parts = {**inherited, **twin.__dataclass_fields__}
    for name, attribute in (
        ("__dataclass_fields__", parts),
        ("__dataclass_params__", twin.__dataclass_params__),
        ("__match_args__", tuple(name for name in parts if parts[name].init)),
    ):
        setattr(cls, name, attribute)
    if "__repr__" not in cls.__dict__:
        cls.__repr__ = _repr


def _repr(self: Any) -> str:  # noqa: ANN401 - of any dataclass
    parts = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr)
    return f"{type(self).__qualname__}({', '.join(parts)})"
