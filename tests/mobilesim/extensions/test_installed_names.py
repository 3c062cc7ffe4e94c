"""The names that installed packages declare: in lists, hints, completions and schemas, without an import."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from jsonschema import Draft202012Validator

from mobilesim.cli.main import main
from mobilesim.cli.scenarios.completion import SHELLS
from mobilesim.errors import UserError
from mobilesim.extensions.resolution import Kind, installed, unreadable
from mobilesim.scenario.loader import loads
from tests.support.outside_packages import fresh_extensions, package

Output = pytest.CaptureFixture[str]

NAMES: Final = """\
    [mobilesim.orderings]
    sparse-matrix = not_importable:Sparse
    [mobilesim.placements]
    roof = not_importable:roof
    [mobilesim.mobility]
    walking = not_importable:walk
    [mobilesim.workloads]
    rings = not_importable:ring
    """
FAILS: Final = "1 / 0\n"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with fresh_extensions():
        yield


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that raises an exception at its import: lists of names must not import it."""
    package(tmp_path / "site", monkeypatch, {"not_importable": FAILS}, NAMES)
    yield
    assert "not_importable" not in sys.modules


@pytest.mark.usefixtures("outside")
def test_protocols_lists_the_parts_of_packages_after_the_shipped_ones(capsys: Output) -> None:
    assert main(["protocols"]) == 0
    lines = capsys.readouterr().out.splitlines()
    parts = [line.split(maxsplit=1) for line in lines if line.startswith("  ")]
    names = [part[0] for part in parts]
    assert names[names.index("flood") + 1 : names.index("unordered")] == ["roof"]
    assert names[names.index("prs-stations") + 1 :] == ["sparse-matrix", "walking", "rings"]
    assert [part[1] for part in parts if part[0] in {"roof", "sparse-matrix", "walking"}] == ["of outside 1.5"] * 3
    assert lines[-4:] == [
        "mobility models of packages:",
        "  walking  of outside 1.5",
        "workloads of packages:",
        "  rings  of outside 1.5",
    ]


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("words", "message"),
    (
        (("protocols", "proxy+sparse-matrx"), "there is no ordering 'sparse-matrx'; did you mean 'sparse-matrix'"),
        (("protocols", "rof+rst"), "there is no placement 'rof'; did you mean 'roof'"),
        (("check", "sparse-matrx"), "there is no such ordering or placement; did you mean 'sparse-matrix'"),
    ),
)
def test_a_hint_names_the_package(words: tuple[str, ...], message: str, capsys: Output) -> None:
    assert main([*words]) == 2
    assert capsys.readouterr().err == f"mobilesim: {words[1]}: {message} (outside 1.5)?\n"


@pytest.mark.usefixtures("outside")
def test_a_list_of_all_names_has_those_of_packages(capsys: Output) -> None:
    assert main(["protocols", "zzz+rst"]) == 2
    assert capsys.readouterr().err.endswith("logical, flood, roof (outside 1.5)\n")


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("protocols: [proxy+sparse-matrx]", "; did you mean 'sparse-matrix' (outside 1.5)?"),
        ("protocols: [{placement: rof, ordering: rst}]", "; did you mean 'roof' (outside 1.5)?"),
        (
            "protocols: [sparse-matrix]",
            "'sparse-matrix' is one part of a protocol; write placement+ordering, like proxy+sparse-matrix",
        ),
        ("protocols: [roof]", "'roof' is one part of a protocol; write placement+ordering, like roof+rst"),
        ("{hosts: 4, mobility: {model: walkin}}", "; did you mean 'walking' (outside 1.5)?"),
        ("{hosts: 4, workload: {model: ring}}", "; did you mean 'rings' (outside 1.5)?"),
    ),
)
def test_a_hint_about_a_scenario_names_the_package(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text)
    assert str(caught.value).endswith(message)


@pytest.mark.usefixtures("outside")
def test_one_part_of_a_protocol_gets_advice(capsys: Output) -> None:
    assert main(["protocols", "sparse-matrix"]) == main(["protocols", "roof"]) == 2
    part = "this is one part of a protocol; write placement+ordering, like"
    assert capsys.readouterr().err.splitlines() == [
        f"mobilesim: sparse-matrix: {part} 'proxy+sparse-matrix'",
        f"mobilesim: roof: {part} 'roof+rst'",
    ]


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("shell", SHELLS)
def test_shells_complete_the_names(shell: str, capsys: Output) -> None:
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert "proxy+sparse-matrix" in text
    assert "roof+rst" in text
    assert "roof" in text.replace("roof+rst", "")  # `mobilesim check` takes a part alone


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    "document",
    (
        {"protocols": ["proxy+sparse-matrix", "roof+rst", "roof+sparse-matrix"]},
        {"protocols": [{"placement": "proxy", "ordering": "sparse-matrix", "limit": 8}]},
        {"mobility": {"model": "walking"}},
        {"workload": {"model": "rings"}},
    ),
)
def test_the_schema_accepts_the_names_and_names_the_package(document: dict[str, object], capsys: Output) -> None:
    for kind in ("scenario", "sweep"):
        assert main(["schema", kind]) == 0
        schema = json.loads(capsys.readouterr().out)
        Draft202012Validator.check_schema(schema)
        assert "of outside 1.5." in json.dumps(schema)
        written = document if kind == "scenario" else {"scenario": document}
        assert list(Draft202012Validator(schema).iter_errors(written)) == []


def test_the_schema_refuses_names_that_no_package_declares(capsys: Output) -> None:
    assert main(["schema"]) == 0
    validator = Draft202012Validator(json.loads(capsys.readouterr().out))
    for document in ({"protocols": ["proxy+sparse-matrix"]}, {"mobility": {"model": "walking"}}):
        assert list(validator.iter_errors(document)) != []


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("content", (b"[mobilesim.orderings]\nno-value\n", b"[mobilesim.orderings]\n\xff = a:b\n"))
def test_a_package_with_unreadable_entry_points_is_one_line(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    package(tmp_path / "other", monkeypatch, {"other": ""}, "[mobilesim.orderings]\n", "other")
    (tmp_path / "other" / "other-1.5.dist-info" / "entry_points.txt").write_bytes(content)
    assert installed(Kind.ORDERING) == {"sparse-matrix": "outside 1.5"}
    (line,) = unreadable()
    assert line.startswith("other 1.5: its entry points cannot be read: ")
    for words in (["protocols"], ["schema"], ["completion", "bash"]):
        assert main(words) == 0
        found = capsys.readouterr()
        assert "sparse-matrix" in found.out
        assert found.err == f"mobilesim: {line}\n"


def test_an_entry_point_that_is_no_path_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    package(tmp_path / "site", monkeypatch, {"other": ""}, "[mobilesim.orderings]\nodd = other Sparse\n", "other")
    assert main(["protocols", "proxy+odd"]) == 2
    reason = "its entry point is 'other Sparse'; expected package.module:Name"
    assert capsys.readouterr().err == f"mobilesim: odd: other 1.5: {reason}\n"


def test_a_name_of_two_packages_is_listed_with_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path / "one", monkeypatch, {"not_importable": FAILS}, NAMES)
    package(tmp_path / "two", monkeypatch, {"not_importable": FAILS}, NAMES, "another")
    assert installed(Kind.MOBILITY) == {"walking": "another 1.5, outside 1.5"}
