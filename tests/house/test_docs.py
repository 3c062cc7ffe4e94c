"""The examples in the README and in every other document run, and give the shown output."""

from pathlib import Path
from typing import Final

import pytest

from tests.house.pictures import PICTURES, differing, drawn, screenshots, shown
from tests.house.report_picture import PICTURE, SIZE
from tests.house.snippets import Block, blocks, commands, documents, faults, matches
from tests.house.tree import ROOT

EXCUSED: Final = [
    block for path in documents() for block in blocks(path.name, path.read_text(encoding="utf-8")) if block.excuse
]


@pytest.mark.full
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("document", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_examples_of_a_document_give_the_shown_output(document: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    assert "\n".join(faults(document.name, document.read_text(encoding="utf-8"), folder)) == ""
    assert differing(document, folder) == [], (
        "docs/pictures has other pictures; draw them again: python -m tests.house.pictures"
    )


def test_a_document_shows_exactly_the_pictures_that_its_commands_draw() -> None:
    for document in documents():
        assert sorted(drawn(document)) == sorted(shown(document)), document.name


def test_every_picture_is_shown_by_a_document() -> None:
    kept = {path.name for path in PICTURES.iterdir()}
    assert kept == {name for document in documents() for name in (*drawn(document), *screenshots(document))}


def test_the_readme_shows_the_beginning_of_a_report() -> None:
    assert screenshots(ROOT / "README.md") == [PICTURE.name]
    content = PICTURE.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(content[16:20]), int.from_bytes(content[20:24])) == SIZE
    assert len(content) < 250_000


@pytest.mark.parametrize("block", EXCUSED, ids=lambda block: block.place)
def test_a_block_that_is_not_run_counts_as_a_skipped_test(block: Block) -> None:
    pytest.skip(f"{block.place}: {block.excuse}")


PLANTED: Final = (
    ("```console\n$ false\n```", "planted.md:1: `false` exits 1, not 0, and prints:\n"),
    ("<!-- exits 2 -->\n```console\n$ true\n```", "planted.md:2: `true` exits 0, not 2, and prints:\n"),
    ("```console\n$ echo a\nb\n```", "planted.md:1: `echo a` prints other output:\na"),
    ("```console\n$ echo a >&2\nb\n```", "planted.md:1: `echo a >&2` prints other output:\na"),
    ("```console\n$ printf 'a\\nb\\n'\na\n```", "planted.md:1: `printf 'a\\nb\\n'` prints other output:\na\nb"),
    ("```console\n$ mobilesim no-such-command\n```", "planted.md:1: `mobilesim no-such-command` exits 2"),
    ("text\n\n```python\n1 / 0\n```", "planted.md:3: ZeroDivisionError: division by zero"),
    ("```python\nx = 1\n```\n```python\nassert x == 2\n```", "planted.md:4: AssertionError: "),
    ("```pycon\n>>> 1 + 1\n3\n```", "planted.md:1: "),
    ("```pycon\n>>> 1 + 1\n```", "planted.md:1: "),
    ("```pycon\n>>> 1 / 0\n```", "planted.md:1: "),
    ("```yaml\nhosts: many\n```", "planted.md:1:1: hosts: "),
    ("```bash\nmake\n```", "planted.md:1: no runner for bash (there are: console, pycon, python, yaml)"),
    ("<!-- not run: -->\n```console\n$ false\n```", "planted.md:2: `false` exits 1"),
    ("<!-- not run: slow -->\n\nText.\n\n```console\n$ false\n```", "planted.md:5: `false` exits 1"),
)

SOUND: Final = (
    "```console\n$ echo a b c\na … c\n```",
    "```console\n$ printf 'a\\nb\\nc\\n'\na\n…\nc\n```",
    "```console\n$ printf 'a\\nc\\n'\na\n…\nc\n```",
    "```console\n$ echo a \\\n  b\na b\n$ echo shown to nobody\n```",
    "```console\n$ echo kept >file\n```\n```console\n$ cat file\nkept\n```",
    "```console\n$ echo 1 >file\n```\n```python\nimport os\nassert os.path.exists('file')\n```",
    "<!-- file: kept.txt -->\n```text\na\n```\n```console\n$ cat kept.txt\na\n```",
    "```console\n$ mobilesim --version\n…\n```",
    "<!-- exits 3 -->\n```console\n$ exit 3\n```",
    "```python\nx = 1\n```\n```python\nassert x == 1\n```",
    "```pycon\n>>> x = 1\n>>> for _ in range(2):\n...     print(x, 2, 3)\n1 … 3\n1 2 3\n```",
    "```yaml\nhosts: 5\n```",
    "```text\n$ false\n```",
    "<!-- not run: it takes an hour -->\n```console\n$ false\n```",
    "````text\n```console\n$ false\n```\n````",
)


@pytest.mark.full
@pytest.mark.parametrize(("text", "fault"), PLANTED)
def test_a_wrong_example_in_a_document_is_found(text: str, fault: str, tmp_path: Path) -> None:
    found = faults("planted.md", text, tmp_path)
    assert len(found) == 1
    assert found[0].startswith(fault)


@pytest.mark.full
@pytest.mark.parametrize("text", SOUND)
def test_a_correct_document_passes(text: str, tmp_path: Path) -> None:
    assert faults("planted.md", text, tmp_path) == []


def test_a_reader_of_several_documents_writes_no_file_twice_with_other_content() -> None:
    written: dict[str, tuple[str, str]] = {}
    for document in documents():
        for block in blocks(document.name, document.read_text(encoding="utf-8")):
            if block.file is not None:
                place, text = written.setdefault(block.file, (block.place, block.text))
                assert text == block.text, f"{place} and {block.place} write other content to {block.file}"


def test_a_comment_above_a_block_gives_the_reason_for_skipping_it() -> None:
    (block,) = blocks("planted.md", "<!-- not run: it takes an hour -->\n\n```console\n$ false\n```\n")
    assert (block.excuse, block.line, block.language) == ("it takes an hour", 3, "console")


def test_a_command_ends_where_the_next_one_begins() -> None:
    assert commands("$ a\n1\n2\n$ b\n") == [("a", ["1", "2"]), ("b", [])]


def test_an_ellipsis_matches_no_text_before_its_position() -> None:
    assert matches(["a", "…"], "a\nb")
    assert not matches(["a", "…"], "b\na")
    assert not matches(["a …"], "a\nb")
