"""A project of `init bazel` by the commands of its README, with the rules of the wheel."""

from __future__ import annotations

import os
from pathlib import Path

from tests.docs.pages import code_blocks
from tests.frontends.builds import run
from tests.frontends.conftest import installed_python, wheel
from tests.projects.models import two_inputs

__all__ = ["installed_python", "wheel"]


TARGET = "nrf52840"


def test_commands(installed_python: Path, tmp_path: Path) -> None:
    """They build the firmware and pass its test, `init` included in three commands or fewer."""
    model = tmp_path / "net.tflite"
    model.write_bytes(two_inputs())
    path = f"{installed_python.parent}:{os.environ['PATH']}"
    variables = {"PATH": path, "HOME": str(tmp_path), "TINYML_PYTHON": str(installed_python)}
    init = ["tinyml_rules", "init", "bazel", str(model), "--target", TARGET]
    done = run(init, tmp_path, variables=variables)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "net"
    (block,) = code_blocks((folder / "README.md").read_text(encoding="utf-8"), "sh")
    commands = block.splitlines()
    assert 1 + len(commands) <= 3
    printed = ""
    try:
        for command in commands:
            done = run(command.split(), folder, variables=variables)
            printed += done.stdout + done.stderr
            assert done.returncode == 0, printed
    finally:
        run(["bazel", "shutdown"], folder, variables=variables)
    assert "//:net_test" in printed and "PASSED" in printed, printed
    assert (folder / "bazel-bin").is_dir()
