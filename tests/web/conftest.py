"""One browser for all pages of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """It takes seconds to start."""
    with Browser() as running:
        yield running
