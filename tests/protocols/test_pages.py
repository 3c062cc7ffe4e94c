"""The generated parts of the documentation are what the protocols do today; with them every counter-example is pinned
exactly.
"""

import pytest

from tests.protocols.pages import DOCS, PAGES, blocks, renewed
from tests.protocols.zoo.specimens import BROKEN, HARMLESS


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_is_generated_again_does_not_change(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert renewed(text) == text


def test_a_stale_page_would_be_noticed() -> None:
    stale = "before\n<!-- generated: table -->\nold\n<!-- end -->\nafter\n"
    assert renewed(stale) != stale
    assert renewed(renewed(stale)) == renewed(stale)


def test_the_errata_show_every_specimen_of_the_zoo() -> None:
    text = (DOCS / "errata.md").read_text(encoding="utf-8")
    assert set(BROKEN) <= set(blocks(text))
    assert [name for name in HARMLESS if f"- `{name}`: " not in text] == []
