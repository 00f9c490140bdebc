"""The file that describes a sensor, as build systems are given it: an edit compiles the model
again."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, build, has_worked, run
from tests.support.warm_python import path_with
from tinyml_rules.cli import main
from tinyml_rules.frontends.platformio.options import read_settings

SENSOR = '[input]\nraw = "uint8"\nscale = {}\n'
SCONS = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET="host",
    TINYML_SENSOR={sensor},
)
SConscript("deep/SConscript", variant_dir="made", duplicate={duplicate}, exports="env")
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(firmware C)
find_package(TinymlRules REQUIRED)
tinyml_add_model(sine MODEL deep/sine.tflite TARGET host SENSOR volts.toml)
"""
MAKE = """\
all: tinyml/sine/sine.c
include $(shell tinyml_rules where make)/tinyml.mk
$(call tinyml_model,sine,deep/sine.tflite,host,--sensor=volts.toml)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with the model in a folder, and the description beside the project's script."""
    (tmp_path / "deep").mkdir()
    shutil.copy2(SINE / "sine.tflite", tmp_path / "deep")
    (tmp_path / "volts.toml").write_text(SENSOR.format(0.01))
    return tmp_path


@pytest.mark.parametrize("duplicate", [0, 1])
@pytest.mark.parametrize("sensor", ["'volts.toml'", "File('volts.toml')", "None"])
def test_scons(sensor: str, duplicate: int, folder: Path, installed_python: Path) -> None:
    """A text begins at the SConstruct, a path of the file of options beside that file."""
    (folder / "deep" / "SConscript").write_text('Import("env")\nenv.TinymlModel("sine.tflite")\n')
    if sensor == "None":
        (folder / "deep" / "sine.tinyml.toml").write_text('sensor = "../volts.toml"\n')
    (folder / "SConstruct").write_text(SCONS.format(sensor=sensor, duplicate=duplicate))
    make = partial(build, folder, python=installed_python)
    assert "TINYML  sine.tflite" in make()
    header = folder / "made" / "host" / "sine" / "sine.h"
    assert "sine_put_raw" in header.read_text()
    assert not has_worked(make())
    before = (header.parent / "sine.c").read_bytes()
    (folder / "volts.toml").write_text(SENSOR.format(0.02))
    assert "TINYML  sine.tflite" in make()
    assert (header.parent / "sine.c").read_bytes() != before


@pytest.mark.parametrize("system", ["cmake", "make"])
def test_depfile(system: str, folder: Path, installed_python: Path) -> None:
    """It names the description."""
    (folder / "CMakeLists.txt").write_text(CMAKE)
    (folder / "Makefile").write_text(MAKE)
    variables = {"PATH": path_with(installed_python)}

    def worked(*command: str) -> None:
        done = run(list(command), folder, variables=variables)
        assert done.returncode == 0, done.stdout + done.stderr

    words = ("cmake", "--build", "build") if system == "cmake" else ("make",)
    if system == "cmake":
        worked("cmake", "-B", "build", "-G", "Ninja")
    worked(*words)
    (source,) = folder.rglob("sine.c")
    before = source.read_bytes()
    assert b"sine_put_raw" in before
    (folder / "volts.toml").write_text(SENSOR.format(0.02))
    worked(*words)
    assert source.read_bytes() != before


def test_command_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The path begins where one is; an empty one, and a file that is not there, are told."""
    monkeypatch.chdir(folder)
    words = ["compile", "deep/sine.tflite", "--quiet", "--depfile", "sine.d"]
    assert main([*words, "--sensor", "volts.toml"]) == 0
    assert "volts.toml" in (folder / "sine.d").read_text()
    assert "sine_put_raw" in (folder / "sine.h").read_text()
    assert main([*words, "--sensor", ""]) == 2
    assert capsys.readouterr().err == "sensor: error: found nothing, expected a file\n"
    assert main([*words, "--sensor", "volt.toml"]) == 2
    told = "volt.toml: error: cannot be read (No such file or directory)\n"
    assert capsys.readouterr().err == told


def test_platformio_settings() -> None:
    """One path, from the project's folder."""
    options = {"custom_tinyml_models": "sine.tflite", "custom_tinyml_sensor": "volts.toml"}
    found = read_settings(options, where="here", platform="native", mcu="")
    assert found.variables["TINYML_SENSOR"] == Path("volts.toml")
