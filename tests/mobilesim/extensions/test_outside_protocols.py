"""Orderings of other packages: by path, by entry point, and from a plug-in file."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Final

import pyarrow.parquet as pq
import pytest

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.extensions import outside_protocols
from mobilesim.extensions.plugin_files import LOADED, load_plugins
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from tests.support.outside_packages import SPARSE, fresh_extensions, package

ENTRY = """\
    [mobilesim.orderings]
    sparse-matrix = sparse_orders:Sparse
"""
SHORT = ("--quick", "--no-summary", "--replications", "1", "--set", "hosts=6", "--set", "duration=1 s")


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with fresh_extensions():
        yield


@pytest.fixture
def sparse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "site", monkeypatch, {"sparse_orders": SPARSE}, ENTRY)


def scenario_with(ordering: str) -> Scenario:
    return loads(f"protocols: [{{placement: proxy, ordering: '{ordering}'}}]")


def refusal(ordering: str) -> str:
    with pytest.raises(UserError) as caught:
        scenario_with(ordering)
    return str(caught.value)


@pytest.mark.usefixtures("sparse")
@pytest.mark.parametrize("name", ("sparse_orders:Sparse", "sparse-matrix"))
def test_an_ordering_of_another_package_runs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["run", "quickstart", *SHORT, "--protocol", f"proxy+{name} limit=16", "--out", str(out)]) == 0
    assert f"proxy+{name} limit=16  " in capsys.readouterr().out
    (run,) = pq.ParquetDataset(out / "runs").read().to_pylist()
    assert (run["ordering"], run["extensions"]) == (name, f"{name} (outside 1.5)")
    assert name in (out / "scenario.yaml").read_text()


@pytest.mark.usefixtures("sparse")
def test_an_ordering_of_another_package_is_explored_described_and_validated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", "proxy+sparse-matrix", "--messages", "1", "--moves", "1"]) == 0
    assert main(["protocols", "proxy+sparse-matrix"]) == 0
    assert "limit=8|16" in capsys.readouterr().out
    scenario = tmp_path / "mine.yaml"
    scenario.write_text("protocols: [{placement: proxy, ordering: sparse-matrix, limit: 9}]", encoding="utf-8")
    assert main(["validate", str(scenario)]) == 2
    assert capsys.readouterr().err == f"mobilesim: {scenario}:1: protocols[0].limit: 9 is not one of 8, 16\n"


@pytest.mark.usefixtures("sparse")
@pytest.mark.parametrize(
    ("name", "message"),
    (
        ("sparse_orders:Sprse", "sparse_orders:Sprse: the module has no 'Sprse'; did you mean 'Sparse'?"),
        (
            "sparse_order:Sparse",
            "sparse_order:Sparse: there is no module 'sparse_order'; install the package that has it, or name its file",
        ),
        ("sparse_orders:Undeclared", "sparse_orders:Undeclared: it declares no ordering; decorate it with "),
        (
            "sparse_orders:Future",
            "sparse_orders:Future: it was written for version 2 of mobilesim.contract, and this is version 1; install ",
        ),
        (
            "sparse_orders:Rts",
            "sparse_orders:Rts: the module has no 'Rts'; there are Sparse, Future, Misspelt, Unfinished",
        ),
        ("sparse_orders:", "sparse_orders:: write the path of an ordering as package.module:Name"),
        ("sparse", "there is no ordering 'sparse'; there are unordered, fifo, rst"),
    ),
)
def test_a_wrong_name_is_one_line(name: str, message: str) -> None:
    assert refusal(name).startswith(f"<text>:1: protocols[0]: {message}")
    assert "\n" not in refusal(name)


def test_a_package_that_cannot_be_imported_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "site", monkeypatch, {"failing_orders": "import math\n\n1 / 0\n"})
    reason = "it cannot be imported: ZeroDivisionError: division by zero (failing_orders.py:3)"
    assert refusal("failing_orders:Sparse") == f"<text>:1: protocols[0]: failing_orders:Sparse: {reason}"


def test_two_packages_with_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "one", monkeypatch, {"sparse_orders": SPARSE}, ENTRY)
    other = ENTRY.replace("sparse_orders", "other_orders")
    package(tmp_path / "two", monkeypatch, {"other_orders": SPARSE}, other, "another")
    advice = "several packages declare this ordering; write one of other_orders:Sparse, sparse_orders:Sparse"
    assert refusal("sparse-matrix").endswith(f"sparse-matrix: {advice}")


def test_a_row_of_another_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "site", monkeypatch, {"sparse_orders": SPARSE})
    with pytest.raises(UserError, match="it is declared with OrderingRow, and is not a placement"):
        loads("protocols: [{placement: 'sparse_orders:Sparse', ordering: rst}]")


def test_a_plugin_file_needs_no_installation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "my_sparse.py"
    file.write_text(SPARSE, encoding="utf-8")
    out = tmp_path / "out"
    protocol = ("--plugin", str(file), "--protocol", "proxy+my_sparse:Sparse")
    assert main(["run", "quickstart", *SHORT, *protocol, "--out", str(out)]) == 0
    (run,) = pq.ParquetDataset(out / "runs").read().to_pylist()
    assert run["extensions"].startswith("my_sparse:Sparse (my_sparse.py, sha256 ")
    capsys.readouterr()
    assert main(["explore", "proxy+my_sparse:Sparse", "--plugin", str(file), "--messages", "1"]) == 0


@pytest.mark.parametrize(
    ("command", "advice"),
    (
        (("explore", "my_sparse"), "write placement+ordering, like 'proxy+my_sparse:Sparse'"),
        (("run", "quickstart", "--protocol", "my_sparse"), "write placement+ordering, like proxy+my_sparse:Sparse"),
        (("explore", "proxy+my_sparse"), "write the part with its class or function, like my_sparse:Sparse"),
        (("run", "quickstart", "--protocol", "proxy+my_sparse"), "class or function, like my_sparse:Sparse"),
        (("check", "my_sparse"), "write the part with its class or function, like my_sparse:Sparse"),
    ),
)
def test_the_name_of_a_plugin_file_is_no_protocol(
    command: tuple[str, ...], advice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my_sparse.py"
    file.write_text(SPARSE, encoding="utf-8")
    assert main([*command, "--plugin", str(file)]) == 2
    assert capsys.readouterr().err.endswith(f"{advice}\n")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    (
        ("my-sparse.py", SPARSE, ": expected a Python file with the name of a module, like sparse.py"),
        ("random.py", SPARSE, f": there is a module 'random' already ({random.__file__}); rename the file"),
        ("sys.py", SPARSE, ": there is a module 'sys' already (built-in); rename the file"),
        ("bad_syntax.py", "def x(:\n", ":1: it cannot be loaded: SyntaxError: invalid syntax"),
        ("no_colon.py", "\ndef x()\n", ":2: it cannot be loaded: SyntaxError: expected ':'"),
        ("deep.py", "\nimport json\njson.loads('?')\n", ":3: it cannot be loaded: JSONDecodeError: Expecting value"),
        ("no_name.py", "\n\nspare\n", ":3: it cannot be loaded: NameError: name 'spare' is not defined"),
    ),
)
def test_a_plugin_file_that_cannot_be_loaded_is_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_plugins([tmp_path / name])
    assert str(caught.value).startswith(f"--plugin {tmp_path / name}{message}")
    assert f"({name}, line" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_plugin_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "av1", "--plugin", str(tmp_path / "none.py")]) == 2
    assert capsys.readouterr().err == f"mobilesim: --plugin {tmp_path / 'none.py'}: there is no such file\n"


def test_another_version_of_an_ordering_makes_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "site", monkeypatch, {"sparse_orders": SPARSE})
    first = scenario_with("sparse_orders:Sparse").protocols[0]
    with (tmp_path / "site" / "sparse_orders.py").open("a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    with fresh_extensions():
        second = scenario_with("sparse_orders:Sparse").protocols[0]
    assert first.label == second.label == "proxy+sparse_orders:Sparse"
    assert first.identity != second.identity


@pytest.mark.full
@pytest.mark.usefixtures("sparse")
@pytest.mark.parametrize("source", ("a package", "a plug-in file"))
def test_the_processes_of_a_run_know_the_ordering(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mobilesim.experiments.executors.SECONDS_ALONE", 0.0)
    (tmp_path / "from_file.py").write_text(SPARSE, encoding="utf-8")
    words = ["--plugin", str(tmp_path / "from_file.py")] if source == "a plug-in file" else []
    name = "from_file:Sparse" if words else "sparse_orders:Sparse"
    short = ("--quick", "--no-summary", "--replications", "4", "--set", "hosts=6", "--set", "duration=1 s")
    out = str(tmp_path / "out")
    assert (
        main(["run", "quickstart", *short, *words, "--protocol", f"proxy+{name}", "--workers", "3", "--out", out]) == 0
    )
    assert capsys.readouterr().out.count("no fault") == 4


@pytest.mark.usefixtures("sparse")
def test_a_misspelt_kind_of_messages_is_refused() -> None:
    expected = "'broadcast' is not one of all, unicasts, broadcasts, groups; did you mean 'broadcasts'?"
    assert refusal("sparse_orders:Misspelt").endswith(f"sparse_orders:Misspelt: serves: {expected}")


@pytest.mark.parametrize(
    ("header", "fault"),
    (
        ("n^2", "'n^2': 'n' is not a variable; there are N, n_h, n_s, d, limit"),
        ("at most N limit + m", "'N limit + m': 'm' is not a variable; there are N, n_h, n_s, d, limit"),
        ("2 * d + 3 * N", "'2 * d + 3 * N' is not a formula; write it like '2 d + 3 N' or 'at most 5 N^2'"),
    ),
)
def test_a_wrong_formula_is_refused_when_the_scenario_is_read(
    header: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch, {"wrong": SPARSE.replace('"N^2", options', f'"{header}", options')})
    assert refusal("wrong:Sparse").endswith(f"wrong:Sparse: header: {fault}")


LISTS: Final = dedent(
    """
    from mobilesim.contract.orderings import Ordering, OrderingRow, Process, Stamp, declares, value


    @value
    class Listed(Stamp):
        counts: tuple


    @declares(OrderingRow("listed", "-", "-", "N"))
    class Lists(Ordering):
        def process(self, index):
            return Counting(index)


    class Counting(Process):
        __slots__ = ("counts", "index")

        def __init__(self, index):
            self.index = index
            self.counts = [0]

        def send(self, destinations, group):
            self.counts[0] += 1
            return [(destinations, Listed(self.index, FIELD))]

        def missing(self, stamp):
            return None

        def deliver(self, stamp):
            return []

        @property
        def integers(self):
            return 1
    """
)


@pytest.mark.parametrize("field", ("self.counts", "(0, self.counts)"))
@pytest.mark.parametrize(
    "command", (("run", "quickstart", "--protocol", "NAME"), ("explore", "NAME"), ("check", "NAME"))
)
def test_a_stamp_with_a_list_is_refused_in_one_line(
    command: tuple[str, ...],
    field: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    package(tmp_path, monkeypatch, {"lists": LISTS.replace("FIELD", field)})
    assert main([word.replace("NAME", "proxy+lists:Lists") for word in command]) == 2
    fault = "the field 'counts' of its stamp Listed has a list, which may change later; write a tuple"
    err = capsys.readouterr().err
    assert err.endswith(f"lists:Lists: {fault}\n")
    assert err.count("\n") == 1


@pytest.mark.usefixtures("sparse")
def test_an_ordering_that_cannot_be_built_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "proxy+sparse_orders:Unfinished"]) == 2
    line = "AttributeError: 'Unfinished' object has no attribute 'missing_name' (sparse_orders.py:30, in process)"
    assert capsys.readouterr().err == f"mobilesim: proxy+sparse_orders:Unfinished: {line}\n"


@pytest.mark.parametrize(
    ("command", "before"),
    (
        (("run", "quickstart", *SHORT, "--protocol", "NAME"), "FAULT: "),
        (("explore", "NAME"), "fault: the protocol raised an exception: "),
        (("check", "NAME", "--quick"), "fault: the protocol raised an exception: "),
        (("check", "lists:Lists", "--quick"), "FAIL  calls, default options: "),
    ),
)
def test_an_exception_is_reported_with_its_line_in_the_authors_file(
    command: tuple[str, ...], before: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "lists.py"
    text = LISTS.replace("FIELD", "tuple(self.counts)").replace("return []", "return [stamp.sendr]")
    file.write_text(text, encoding="utf-8")
    line = 1 + text[: text.index("stamp.sendr")].count("\n")
    words = [word.replace("NAME", "proxy+lists:Lists") for word in command]
    out = ("--out", str(tmp_path / "out")) if command[0] == "run" else ()
    assert main([*words, "--plugin", str(file), *out]) == 1
    expected = f"AttributeError: 'Listed' object has no attribute 'sendr' (lists.py:{line}, in deliver)"
    assert before + expected in capsys.readouterr().out


def test_a_copy_of_a_plugin_file_is_the_same_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark copies the file for its workers, into a folder in which Python then finds it by its name."""
    (tmp_path / "copies").mkdir()
    for folder in (tmp_path, tmp_path / "copies"):
        (folder / "copied_sparse.py").write_text(SPARSE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "copies"))
    load_plugins([tmp_path / "copied_sparse.py"])
    assert outside_protocols.pair("proxy", "copied_sparse:Sparse").ordering == "copied_sparse:Sparse"
    del sys.modules["copied_sparse"], LOADED["copied_sparse"]
    (tmp_path / "copies" / "copied_sparse.py").write_text(f"{SPARSE}\n", encoding="utf-8")
    with pytest.raises(UserError, match="there is a module 'copied_sparse' already"):
        load_plugins([tmp_path / "copied_sparse.py"])
