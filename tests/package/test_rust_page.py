"""The page about Rust, followed from top to bottom with Debian's cargo; its example is the one of
examples/rust."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.docs.pages import read_page
from tests.docs.steps import follow, hold, tools
from tests.frontends.builds import SINE
from tests.package.rust_builds import CARGO, REGISTRY_CONFIG, RUSTC

EXAMPLE = PROJECT / "examples" / "rust"
PAGE = "how-to/rust.md"


def test_page(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every command ends as the page says, and prints what it shows."""
    tools(tmp_path)
    for program in (CARGO, RUSTC):
        (tmp_path / ".programs" / Path(program).name).symlink_to(program)
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text(REGISTRY_CONFIG)
    shutil.copy(SINE / "sine.tflite", tmp_path)
    shown = read_page(PAGE)
    hold(PROJECT / "docs" / PAGE, shown, follow(shown, tmp_path), request)
    for name in ("Cargo.toml", "src/main.rs"):
        assert (tmp_path / name).read_text() == (EXAMPLE / name).read_text()
