"""The generated parts of the documentation are what the protocols do today; with them every counter-example is pinned
exactly. Those that take a search are checked beside the search, in `test_zoo`.
"""

import pytest

from tests.support.mutants.specimens import BROKEN, FAR, HARMLESS, REPEATED
from tests.support.protocols.error_pages import BLOCKS, DOCS, PAGES, SEARCHED, blocks, renewed, shown

TEXT = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - SEARCHED))
def test_a_part_that_is_generated_again_does_not_change(name: str) -> None:
    assert shown(name) == BLOCKS[name]()


def test_a_stale_page_would_be_noticed() -> None:
    stale = "before\n<!-- generated: table-proxy -->\nold\n<!-- end -->\nafter\n"
    assert renewed(stale) != stale
    assert renewed(renewed(stale)) == renewed(stale)


def test_the_pages_show_every_specimen_of_the_zoo_once_and_nothing_that_does_not_exist() -> None:
    names = [name for page in PAGES for name in blocks((DOCS / page).read_text(encoding="utf-8"))]
    assert sorted(names) == sorted([*BLOCKS, *BROKEN, *FAR])
    assert [name for name in HARMLESS if f"- `{name}`: " not in TEXT] == []
    assert [name for name in REPEATED if f"| {name} |" not in TEXT] == []
