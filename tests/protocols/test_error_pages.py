"""The generated parts of the documentation agree with the protocols, including every counter-example.

`test_mutants` and `orderings/test_shortest` check the parts that need a search.
"""

import pytest

from tests.support.generated_blocks import blocks, renewed
from tests.support.mutants.catalogue import BROKEN, FAR, HARMLESS, REPEATED
from tests.support.orderings.broken_orderings import BROKEN_ORDERINGS
from tests.support.protocols.error_pages import BLOCKS, DOCS, PAGES, SEARCHED, generated, shown

TEXT = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - SEARCHED - BROKEN_ORDERINGS.keys()))
def test_a_generated_part_of_a_page_is_up_to_date(name: str) -> None:
    assert shown(name) == BLOCKS[name]()


def test_generating_a_stale_page_changes_it_once() -> None:
    stale = "before\n<!-- generated: table-proxy -->\nold\n<!-- end -->\nafter\n"
    fresh = renewed(stale, generated)
    assert fresh != stale
    assert renewed(fresh, generated) == fresh


def test_the_pages_show_every_mutant_exactly_once() -> None:
    names = [name for page in PAGES for name in blocks((DOCS / page).read_text(encoding="utf-8"))]
    assert sorted(names) == sorted([*BLOCKS, *BROKEN, *FAR])
    assert [name for name in HARMLESS if f"- `{name}`: " not in TEXT] == []
    assert [name for name in REPEATED if f"| {name} |" not in TEXT] == []
