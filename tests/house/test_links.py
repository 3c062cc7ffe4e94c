"""Links between the documents."""

from pathlib import Path
from typing import Final

import pytest

from tests.house.links import anchor, anchors, broken_links, pages
from tests.house.tree import ROOT


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert broken_links(page) == []


LINKS: Final = """\
# One `two`: three, (four)
[a](other.md) [b](#one-two-three-four) [c](#two) [d](missing.md) [e](../README.md#start) [f](https://example.org/x)
`[g](code.md)` ![h](picture.svg)

```text
[i](block.md)
```
"""


def test_missing_files_and_headings_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.house.links.ROOT", tmp_path)
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "other.md").write_text("# Other\n")
    (tmp_path / "README.md").write_text("# Begin\n")
    page = folder / "page.md"
    page.write_text(LINKS)
    assert broken_links(page) == ["2: #two", "2: missing.md", "2: ../README.md#start", "3: picture.svg"]


def test_a_link_may_not_leave_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.house.links.ROOT", tmp_path / "project")
    (tmp_path / "project").mkdir()
    (tmp_path / "outside.md").write_text("# Outside\n")
    page = tmp_path / "project" / "page.md"
    page.write_text("[a](../outside.md)\n")
    assert broken_links(page) == ["1: ../outside.md"]


def test_an_anchor_is_the_heading_in_lower_case_with_hyphens(tmp_path: Path) -> None:
    assert anchor("Algorithm 2: `av2` & more") == "algorithm-2-av2--more"
    page = tmp_path / "page.md"
    page.write_text("# A\n## B c\n## B c\n")
    assert anchors(page) == {"a", "b-c", "b-c-1"}
