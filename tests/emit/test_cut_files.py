"""A generated file that was cut, by a cache that is damaged for example, is no firmware: all of it
is inside of a condition, or its functions are missing."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.frontends.builds import SINE
from tests.frontends.stranger import write_main
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target


def is_firmware(folder: Path) -> bool:
    """Whether a compiler makes a program of what is there."""
    command = ["gcc", "-w", "-O0", "-I.", "main.c", "sine.c", "-o", "program"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def test_cut_files(tmp_path: Path) -> None:
    """At the beginning, at the end, between, and where a line ends."""
    request = Request((SINE / "sine.tflite").read_bytes(), "sine", load_target("host"))
    files = compile_model(request).files
    write_main(tmp_path, "sine")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert is_firmware(tmp_path)
    for name, text in files.items():
        last = text.rstrip("\n").rindex("\n")
        lines = [text.index("\n", len(text) * part // 5) + 1 for part in range(1, 5)]
        for cut in (0, 100, len(text) // 3, *lines, last):
            (tmp_path / name).write_text(text[:cut])
            assert not is_firmware(tmp_path), f"{name}: {cut} of {len(text)} bytes"
        (tmp_path / name).write_text(text)
