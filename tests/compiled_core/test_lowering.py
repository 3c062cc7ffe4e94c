"""Lowered classes behave as the dataclasses that they come from. Here the lowered source is interpreted."""

import ast
import copy
import importlib.util
import pickle
import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from unittest import mock

import pytest

from compiled_core import native_value
from compiled_core.class_sources import LoweringError
from compiled_core.compile import ROOT
from compiled_core.lowering import lower_all
from compiled_core.modules import COMPILED, INTERPRETED, compiled_modules
from compiled_core.source_lines import SourceLines
from mobilesim.protocols.frozen_value import value

SAMPLE: Final = '''"""A module.

With a blank line in its docstring."""

from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.state import Shared

Names = tuple[str, ...]


@value
class Base:
    """A docstring

    of several lines.
    """

    number: int
    names: Names = ()

    @property
    def size(self) -> int:
        return 0

    @property
    def double(self) -> int:
        return 2 * self.size


@value
class Sized(Base):
    kind: ClassVar[str] = "sized"
    plain = 3
    ratio: float = 0.5
    size: ClassVar[int] = 7


@value
class Renamed(Sized):
    pass


@dataclass(slots=True, eq=False)
class Record:
    first: int
    counts: Counter[int] = field(default_factory=Counter)
    hidden: int = field(default=3, repr=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.total = self.first + self.hidden


@dataclass(slots=True)
class Pair:
    left: int
    right: int = field(default=0, compare=False)


class Machine:
    __slots__ = ("gone", "kept")

    def __init__(self) -> None:
        self.gone = 1
        self.kept: Shared[list[int]] = [2]

    def forget(self) -> None:
        del self.gone


def where() -> int:
    return sys._getframe().f_lineno
'''.replace("import ClassVar\n", "import ClassVar\nimport sys\n")

DERIVED: Final = '''"""A module with classes that derive from classes of another module."""

from mobilesim.protocols.frozen_value import value
from sample import Sized


@value
class Derived(Sized):
    last: bool = True
'''


def imported(name: str, path: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def twins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return the module, and the lowered module, which has the module's name."""
    monkeypatch.setitem(sys.modules, "mobilesim.protocols.native_value", native_value)
    monkeypatch.setitem(sys.modules, "sample", ModuleType("sample"))
    monkeypatch.setitem(sys.modules, "derived", ModuleType("derived"))
    (tmp_path / "sample.py").write_text(SAMPLE)
    (tmp_path / "derived.py").write_text(DERIVED)
    source = both_modules(tmp_path)
    lower_all(tmp_path, ["sample.py", "derived.py"])
    return source, both_modules(tmp_path)


def both_modules(folder: Path) -> ModuleType:
    module = imported("sample", folder / "sample.py")
    vars(module)["Derived"] = imported("derived", folder / "derived.py").Derived
    return module


INSTANCES: Final[tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...]] = (
    ("Base", (1,), {}),
    ("Base", (1, ("a", "b")), {}),
    ("Sized", (1, (), 0.25), {}),
    ("Sized", (2,), {"ratio": 4.0}),
    ("Renamed", (1,), {}),
    ("Derived", (1, ("a",)), {"last": False}),
    ("Record", (1,), {}),
    ("Pair", (1, 2), {}),
)


@pytest.mark.parametrize(("name", "arguments", "words"), INSTANCES)
def test_a_lowered_dataclass_looks_like_its_source(
    name: str, arguments: tuple[Any, ...], words: dict[str, Any], twins: tuple[Any, Any]
) -> None:
    one, other = (getattr(module, name)(*arguments, **words) for module in twins)
    assert repr(one) == repr(other)
    assert is_dataclass(type(other))
    described = [[(f.name, f.default, f.init, f.repr, f.compare) for f in fields(it)] for it in (one, other)]
    assert described[0] == described[1]
    for attribute in ("__slots__", "__match_args__"):
        assert getattr(type(one), attribute) == getattr(type(other), attribute)
    assert [getattr(one, f.name) for f in fields(one)] == [getattr(other, f.name) for f in fields(other)]


@pytest.mark.parametrize(("name", "arguments", "words"), INSTANCES[:-2])
def test_a_lowered_value_is_compared_hashed_copied_and_pickled(
    name: str, arguments: tuple[Any, ...], words: dict[str, Any], twins: tuple[Any, Any]
) -> None:
    source, lowered = (getattr(module, name) for module in twins)
    it = lowered(*arguments, **words)
    assert it == lowered(*arguments, **words)
    assert it != replace(it, number=9)
    assert hash(it) == hash(source(*arguments, **words))
    assert it == mock.ANY
    assert replace(it, number=9).number == 9
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(it, protocol)) == it
    assert copy.deepcopy(it) == it


def test_values_of_different_classes_differ(twins: tuple[Any, Any]) -> None:
    _, lowered = twins
    assert lowered.Sized(1) != lowered.Renamed(1)
    assert lowered.Renamed(1) != lowered.Sized(1)
    assert lowered.Base(1) != 1


def test_a_dataclass_without_a_hash_or_without_equality_stays_so(twins: tuple[Any, Any]) -> None:
    for module in twins:
        assert module.Record(1) != module.Record(1)
        assert len({module.Record(1), module.Record(1)}) == 2
        assert module.Pair(1, 2) == module.Pair(1, 3)
        with pytest.raises(TypeError, match="unhashable"):
            hash(module.Pair(1))


def test_a_class_variable_that_overrides_a_property_is_read_through_the_base(twins: tuple[Any, Any]) -> None:
    for module in twins:
        assert (module.Base(1).double, module.Sized(1).double, module.Renamed.plain) == (0, 14, 3)
        assert module.Renamed(1).kind == "sized"
    assert isinstance(twins[1].Sized.size, property)


def test_an_interpreted_value_extends_a_lowered_one(twins: tuple[Any, Any]) -> None:
    for module in twins:
        own: Any = value(type("Own", (module.Sized,), {"__annotations__": {"own": int}, "own": 4}))
        it: Any = own(1)
        assert repr(it).endswith("Own(number=1, names=(), ratio=0.5, own=4)")
        assert it == own(1)
        assert own.__dict__["__slots__"] == ("own",)


def test_a_machine_is_pickled_with_the_attributes_that_it_has(
    twins: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in twins:
        monkeypatch.setitem(sys.modules, "sample", module)
        machine = module.Machine()
        machine.forget()
        restored = pickle.loads(pickle.dumps(machine))
        assert restored.kept == [2]
        assert not hasattr(restored, "gone")


def test_an_attribute_that_machines_share_accepts_every_object(twins: tuple[Any, Any], tmp_path: Path) -> None:
    assert isinstance(twins[1].Machine().kept, list)
    assert "self.kept: Any = [2]" in (tmp_path / "sample.py").read_text()


def test_functions_keep_their_lines(twins: tuple[Any, Any]) -> None:
    source, lowered = twins
    assert source.where() == lowered.where()


def test_every_function_of_the_core_keeps_about_its_line(tmp_path: Path) -> None:
    paths = compiled_modules(ROOT)
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes((ROOT / path).read_bytes())
    lower_all(tmp_path, paths)
    for path in paths:
        before, after = (lines_of_functions(folder / path) for folder in (ROOT, tmp_path))
        assert before.keys() <= after.keys()
        shifts = [abs(after[name] - before[name]) for name in before]
        assert max(shifts, default=0) <= 15, path


def lines_of_functions(path: Path) -> dict[str, int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    classes = [("", tree.body), *((node.name, node.body) for node in tree.body if isinstance(node, ast.ClassDef))]
    return {
        f"{name}.{node.name}": node.lineno
        for name, body in classes
        for node in body
        if isinstance(node, ast.FunctionDef)
    }


def test_values_and_marked_classes_with_such_bases_need_no_garbage_collection(tmp_path: Path) -> None:
    text = '''"""A module."""


class Empty:
    __slots__ = ()


@value
class Value(Empty):
    a: int


@mypyc_attr(acyclic=True)
class Marked(Empty):
    __slots__ = ("a",)


class Plain:
    __slots__ = ("a",)


@value
class OfPlain(Plain):
    b: int


@value
class OfParameter(Empty, Generic[T]):
    b: int


@dataclass(slots=True)
class Changing:
    a: int
'''
    (tmp_path / "sample.py").write_text(text)
    lower_all(tmp_path, ["sample.py"])
    acyclic = {
        node.name: "acyclic=True" in ast.unparse(node.decorator_list[0])
        for node in ast.parse((tmp_path / "sample.py").read_text()).body
        if isinstance(node, ast.ClassDef)
    }
    assert {name for name, found in acyclic.items() if found} == {"Empty", "Value", "Marked"}


@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("@dataclass\nclass A:\n    a: int\n", "sample.A: only slots=True, eq and unsafe_hash are supported"),
        ("@dataclass(slots=True, order=True)\nclass A:\n    a: int\n", "only slots=True, eq and unsafe_hash"),
        ("@value\nclass A:\n    a: int = field(kw_only=True)\n", r"sample.A.a: unsupported option of field\(\)"),
        ("@total_ordering\nclass A:\n    pass\n", "sample.A: a decorator that the build does not know"),
        (
            "class A:\n    @property\n    def a(self) -> int: ...\n\n\nclass B(A):\n    a = f()\n",
            "sample.B.a: overrides a property without a constant",
        ),
    ),
)
def test_a_class_that_cannot_be_lowered_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(text)
    with pytest.raises(LoweringError, match=message):
        lower_all(tmp_path, ["sample.py"])


def test_a_base_that_is_not_compiled_is_named(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(SAMPLE)
    (tmp_path / "derived.py").write_text(DERIVED)
    with pytest.raises(LoweringError, match=r"derived.Derived: its base (Sized|Base) is not compiled"):
        lower_all(tmp_path, ["derived.py"])


def test_an_inserted_line_takes_the_place_of_the_next_blank_line() -> None:
    lines = SourceLines('a = """\n\n"""\nb = 1\n\nc = 2\n\nd = 3')
    lines.insert_below(1, "x = 1", "y = 2")
    assert lines.text() == 'a = """\nx = 1\ny = 2\n\n"""\nb = 1\nc = 2\nd = 3'


def test_every_pattern_and_every_exception_of_the_list_of_modules_matches() -> None:
    assert [pattern for pattern in COMPILED if not list(ROOT.glob(pattern))] == []
    assert [pattern for pattern in INTERPRETED if not list(ROOT.glob(f"**/{pattern.removeprefix('*/')}"))] == []
    assert "mobilesim/protocols/machine.py" in compiled_modules(ROOT)
    assert "mobilesim/protocols/state.py" not in compiled_modules(ROOT)
