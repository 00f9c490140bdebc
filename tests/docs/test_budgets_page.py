"""docs/how-to/budgets.md, followed in a folder with the sine; docs/how-to/ci.md in a repository,
and its script as CI would run it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.ci.test_size_comment import commit, git
from tests.docs.pages import DOCS, read_page
from tests.docs.steps import follow, hold, tools
from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip

LAYERS = 'optimize = "layers"\n'
BUDGETS = "[target.atmega328]\nmax_flash = 1700\n"


def test_budgets(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each command does what the page says."""
    target_or_skip("atmega328")
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    page = read_page("how-to/budgets.md")
    followed = follow(page, tmp_path)
    hold(DOCS / "how-to/budgets.md", page, followed, request)
    assert followed.files == ["sine.tinyml.toml"]


def test_ci(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """In a branch that keeps the layers.  The script accepts the first build, fails for what grew,
    and leaves the comment."""
    target_or_skip("atmega328")
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    options = tmp_path / "sine.tinyml.toml"
    options.write_text(BUDGETS)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    git(tmp_path, "switch", "--quiet", "--create", "layers")
    options.write_text(LAYERS + BUDGETS)
    page = read_page("how-to/ci.md")
    followed = follow(page, tmp_path)
    hold(DOCS / "how-to/ci.md", page, followed, request)
    assert "budgets.sh" in followed.files

    def script() -> int:
        command = ["sh", "budgets.sh"]
        done = subprocess.run(
            command, cwd=tmp_path, env=tools(tmp_path), capture_output=True, check=False
        )
        return done.returncode

    options.write_text(BUDGETS)
    assert script() == 0
    assert not (tmp_path / "comment.md").exists()
    (tmp_path / "new").rename(tmp_path / "old")
    options.write_text(LAYERS + BUDGETS)
    assert script() == 1
    comment = (tmp_path / "comment.md").read_text()
    assert "| flash | 470 B | 1,622 B | +1,152 B | +245.1 % |" in comment
    assert comment.count("**over budget:**") == 4
    assert (tmp_path / "difference.html").exists()
