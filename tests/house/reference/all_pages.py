"""All generated reference pages."""

import os
from typing import Final
from unittest.mock import patch

from tests.house.reference import commands, gallery, protocol_pages, python_api, scenario_keys
from tests.house.snippets import VARIABLES

GENERATED_FOLDERS: Final = ("docs/protocols", "docs/reference")
"""Folders in which all pages are generated."""


def all_pages() -> dict[str, str]:
    """Return the text of every generated page by its path, in a terminal of 120 columns."""
    with patch.dict(os.environ, VARIABLES):
        found = [module.pages() for module in (commands, gallery, protocol_pages, python_api, scenario_keys)]
    return {path: text for pages in found for path, text in pages.items()}
