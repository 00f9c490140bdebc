"""The manifest of a build, as its page has it, in the build systems that have no rule for it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, run
from tests.frontends.example_builds import MESON
from tests.frontends.stranger import write_main
from tests.frontends.test_clocks_and_caches import CMAKE
from tests.frontends.test_make import CALL, MAKEFILE
from tests.support.warm_python import path_with

PAGE = PROJECT / "docs" / "how-to" / "manifest.md"
MESON_BUILD = PROJECT / "docs" / "build_systems" / "meson.md"
BUILDS = {
    "make": (["make", "firmware.manifest.json"], "firmware.manifest.json"),
    "cmake": (
        ["sh", "-c", "cmake -B build && cmake --build build"],
        "build/firmware.manifest.json",
    ),
    "meson": (
        ["sh", "-c", '"$@" setup build && ninja -C build', "sh", *MESON],
        "build/firmware.manifest.json",
    ),
}
"""By build system: what builds all, and the manifest."""


def snippet(language: str) -> str:
    """What the page shows in a language."""
    (found,) = re.findall(rf"^ *```{language}\n(.*?)^ *```", PAGE.read_text("utf-8"), re.S | re.M)
    return re.sub(r"^  ", "", found, flags=re.M)


def write_builds(folder: Path) -> None:
    """A firmware, `firmware.elf`, of the sine model for this computer, for each build system."""
    shutil.copy2(SINE / "sine.tflite", folder)
    write_main(folder, "sine")
    make = MAKEFILE.format(calls=CALL.format(name="sine")).replace("fw", "firmware.elf")
    (folder / "Makefile").write_text(f"{make}\n{snippet('make')}")
    (folder / "CMakeLists.txt").write_text(CMAKE.replace("fw", "firmware") + snippet("cmake"))
    page = MESON_BUILD.read_text("utf-8")
    model = re.findall(r"```meson\n(.*?)```", page, re.S)[0]
    model = model.replace("models/", "").replace("atmega328", "host")
    program = "firmware = executable('firmware', 'main.c', sine[0], sine[1])\n"
    text = f"project('firmware', 'c')\n{model}\n{program}{snippet('meson')}"
    (folder / "meson.build").write_text(text)


@pytest.mark.parametrize("kind", BUILDS)
def test_manifest(kind: str, tmp_path: Path, installed_python: Path) -> None:
    """It has the model, the firmware and its compiler, and finds a firmware that is another one."""
    write_builds(tmp_path)
    command, name = BUILDS[kind]
    variables = {"PATH": path_with(installed_python)}
    done = run(command, tmp_path, variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / name).read_text("utf-8"))
    assert [each["target"] for each in found["models"]] == ["host"]
    assert "cc1" in found["compiler"]["sha256"]
    (firmware,) = (each for each, its in found["files"].items() if "made_by" in its)
    verify = ("tinyml_rules", "manifest", "--verify", name)
    assert run(verify, tmp_path, variables=variables).returncode == 0
    file = (tmp_path / name).parent / firmware
    file.write_bytes(file.read_bytes() + b"\0")
    done = run(verify, tmp_path, variables=variables)
    assert done.returncode == 1
    assert done.stderr.count("is not the file of the manifest") == 1
