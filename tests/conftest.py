"""What holds for every test."""

import pytest
from hypothesis import settings

# No verdict depends on the clock or on luck; `make test-slow` has the tests that draw at random.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker gets all tests of analysis, so that a run starts one Java machine and not one per worker."""
    for item in items:
        if item.nodeid.startswith("tests/analysis/"):
            item.add_marker(pytest.mark.xdist_group("spark"))
