"""One Bazel for all tests of a process, and a workspace whose server is there while they run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bazel.builds import Bazel, copy_rules


@pytest.fixture(scope="session")
def bazel(tmp_path_factory: pytest.TempPathFactory) -> Bazel:
    """Bazel with a folder of its own for what it keeps."""
    return Bazel(tmp_path_factory.mktemp("bazel"))


@pytest.fixture(scope="session")
def workspace(bazel: Bazel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of e2e/smoke beside a copy of the rules, which no test changes for the next."""
    folder = copy_rules(tmp_path_factory.mktemp("rules"))
    yield folder
    bazel.stop(folder)
