"""Mistakes in a build: the text that a person reads, the exit status, and nothing half built."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import SCons

from models.zoo import model_names
from tests.conftest import ZooModel
from tests.frontends.builds import (
    PACKAGE_PARTS,
    SINE,
    copy_project,
    files_under,
    programs_without_avr_gcc,
    run,
    scons,
)
from tests.support.hand_written import target_or_skip
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.target.target import target_names

USAGE = 2
MISSING_TOOL = 3
BUILD_FAILED = 2
"""What scons ends with when a step has failed, whatever that step's own status."""

OWN_PART = """\
description = "a part with very little memory"
parent = "atmega328"

[memory]
flash = {{ bytes = {flash} }}
ram = {{ bytes = {ram} }}
"""
FIRMWARE = """\
import sys
sys.path.insert(0, {project!r})
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[{project!r} + "/tinyml_rules/frontends/scons"],
    TINYML_TARGETS=["parts"],
    TINYML_TARGET="small",
)
env.TinymlFirmware("sine.tflite", "out")
"""
TOOL = "tinyml_rules/frontends/scons"
VERBS = [
    *("run", "test", "tune", "wcet", "matrix", "bench", "paper", "report", "size", "misra", "web"),
    *("flash", "compile_commands"),
]
PRODUCTS = (".elf", ".hex", ".bin", ".report.json", ".passed")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project."""
    return copy_project(tmp_path / "copy")


def products(folder: Path) -> list[str]:
    """What a person might take for a result."""
    return [name for name in files_under(folder) if name.endswith(PRODUCTS)]


@pytest.mark.parametrize(
    ("word", "status", "text"),
    [
        (
            "target=atmega238",
            USAGE,
            "atmega238: error: unknown target 'atmega238', expected one of {targets}\n"
            "  hint: did you mean 'atmega328'?\n",
        ),
        (
            "target=avr",
            USAGE,
            "avr: error: this is a family of targets\n"
            "  hint: choose a member: atmega1284p, atmega168, atmega2560, atmega328, atmega32u4\n",
        ),
        (
            "model=sin",
            USAGE,
            "models: error: unknown model 'sin', expected one of {models}, or the path of a "
            ".tflite file\n  hint: did you mean 'sine'?\n",
        ),
        (
            "model=kws.onnx",
            USAGE,
            "models: error: unknown model 'kws.onnx', expected one of {models}, or the path of a "
            ".tflite file\n",
        ),
        (
            "sizee",
            USAGE,
            "scons: error: unknown verb 'sizee', expected one of {verbs}\n"
            "  hint: did you mean 'size'?\n",
        ),
        (
            "tagret=host",
            USAGE,
            "scons: error: unknown variable 'tagret', expected one of target, model, models, "
            "{options}, profile, samples, port\n"
            "  hint: did you mean 'target'?\n",
        ),
    ],
)
def test_unknown_word(word: str, status: int, text: str, project: Path) -> None:
    """The error lists what there is and hints at the closest."""
    done = scons(project, word)
    known = {
        "targets": ", ".join(target_names()),
        "models": ", ".join(model_names(project / "models")),
        "options": ", ".join(OPTIONS),
        "verbs": ", ".join(VERBS),
    }
    assert done.stderr == text.format(**known)
    assert done.returncode == status
    assert not (project / "build").exists()


def test_missing_tool(project: Path, tmp_path: Path) -> None:
    """The program, its package and what installs it; a build for the host still goes."""
    target_or_skip("atmega328")
    programs = programs_without_avr_gcc(tmp_path / "programs")
    done = scons(project, "target=atmega328", path=str(programs))
    assert done.stderr == (
        "atmega328: error: missing tools: avr-gcc (package gcc-avr)\n"
        "  hint: run: sudo apt-get install --yes gcc-avr\n"
    )
    assert done.returncode == MISSING_TOOL
    assert not (project / "build").exists()
    assert scons(project, "target=host", path=str(programs)).returncode == 0


def test_compiler_that_the_path_names(project: Path, tmp_path: Path) -> None:
    """What was found installed is what is run, wherever it lies."""
    programs = tmp_path / "programs"
    programs.mkdir()
    script = f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\nexec {shutil.which("gcc")} "$@"\n'
    (programs / "gcc").write_text(script)
    (programs / "gcc").chmod(0o755)
    search = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = scons(project, path=search)
    assert (done.returncode, done.stderr) == (0, "")
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [line for line in calls if " -c " in f" {line} " and "sine.o" in line]
    assert [line for line in calls if line.endswith("sine.elf")]


def test_model_that_does_not_fit(project: Path, zoo_model: ZooModel) -> None:
    """Its variables alone are more than the part has: not even C is written."""
    target_or_skip("atmega328")
    folder = zoo_model("kws").parent
    done = scons(project, "target=atmega328", "model=kws", f"models={folder}")
    assert re.fullmatch(
        r"kws: error: needs \d,\d+ bytes of RAM for the model alone, "
        r"target 'atmega328' has 2,048; largest: tensor #\d+ '.+' with [\d,]+ bytes\n"
        r"  hint: what takes less, and parts with room \(code and stack not counted\):\n"
        r"    push_rows=yes: \d,\d+ bytes of RAM; still too much RAM\n"
        r"    atmega2560: has 262,144 bytes of flash and 8,192 of RAM\n(    .+\n){2}"
        r"scons: \*\*\* \[build/atmega328/kws/kws.c\] Error 1\n",
        done.stderr,
    )
    assert done.returncode == BUILD_FAILED
    assert list(files_under(project / "build" / "atmega328")) == []


@pytest.mark.parametrize(
    ("flash", "ram", "text"),
    [
        (
            700,
            2_048,
            r"sine: error: needs (?P<needed>[\d,]+) bytes of flash, target 'small' has 700; "
            r"largest: sine_\w+\S* with \d+ bytes, .*\n"
            r"  hint: what takes less, and parts with room:\n"
            r"    TINYML_WEIGHTS='external': \d+ bytes of flash for constants instead of \d+, "
            r"\d+ in a weights file, \d+ bytes of RAM; still too much flash\n"
            r"    atmega168: has 16,384 bytes of flash and 1,024 of RAM\n(    .+\n){2}",
        ),
        (
            32_768,
            40,
            r"sine: error: needs (?P<needed>\d+) bytes of RAM \(variables (?P<variables>\d+), "
            r"stack (?P<stack>\d+)\), target 'small' has 40; "
            r"largest: sine_arena with \d+ bytes.*\n"
            r"  hint: parts with room:\n"
            r"    atmega168: has 16,384 bytes of flash and 1,024 of RAM\n(    .+\n){2}",
        ),
    ],
)
def test_firmware_that_does_not_fit(flash: int, ram: int, text: str, tmp_path: Path) -> None:
    """Constants and variables would fit, but not the code, or not the stack: no ELF is left."""
    target_or_skip("atmega328")
    project, stranger = copy_project(tmp_path / "copy"), tmp_path / "stranger"
    part = stranger / "parts" / "small"
    part.mkdir(parents=True)
    (part / "target.toml").write_text(OWN_PART.format(flash=flash, ram=ram))
    (stranger / "SConstruct").write_text(FIRMWARE.format(project=str(project)))
    shutil.copy2(SINE / "sine.tflite", stranger)
    (stranger / "sine.tinyml.toml").write_text('optimize = "layers"\n')
    done = scons(stranger)
    match = re.fullmatch(text + r"scons: \*\*\* \[out/sine\.elf\] Error 1\n", done.stderr)
    assert match is not None, done.stderr
    figures = {name: int(value.replace(",", "")) for name, value in match.groupdict().items()}
    assert figures["needed"] > (ram if "stack" in figures else flash)
    if "stack" in figures:
        assert figures["needed"] == figures["variables"] + figures["stack"]
        assert figures["variables"] < ram
    assert done.returncode == BUILD_FAILED
    assert products(stranger) == []


@pytest.mark.parametrize("kept", [0, 3, 1_000])
def test_corrupt_model(kept: int, project: Path) -> None:
    """A file that is cut off: one error that names the model, no traceback, no C."""
    file = project / "models" / "sine" / "sine.tflite"
    file.write_bytes(file.read_bytes()[:kept])
    done = scons(project)
    error, *rest = done.stderr.splitlines()
    assert error.startswith("sine: error: " if kept else "models/sine/sine.tflite: error: ")
    assert rest[-1] == "scons: *** [build/host/sine/sine.c] Error 1"
    assert "Traceback" not in done.stderr
    assert done.returncode == BUILD_FAILED
    assert list(files_under(project / "build" / "host")) == []


def test_result_of_an_older_build_is_gone(project: Path) -> None:
    """When the model no longer compiles, no C of the former one stays."""
    assert scons(project).returncode == 0
    file = project / "models" / "sine" / "sine.tflite"
    file.write_bytes(file.read_bytes()[:1_000])
    assert scons(project).returncode == BUILD_FAILED
    where = project / "build" / "host" / "sine"
    assert not any((where / f"sine{suffix}").exists() for suffix in (".c", ".h", ".model.json"))


def test_python_of_scons_lacks_the_package(tmp_path: Path) -> None:
    """The tool says which Python that is and what to run, and nothing else happens."""
    python = tmp_path / "python with scons" / "bin" / "python"
    done = run([sys.executable, "-m", "venv", "--without-pip", python.parents[1]], tmp_path)
    assert done.returncode == 0, done.stderr
    (packages,) = python.parents[1].glob("lib/python*/site-packages")
    (packages / "SCons").symlink_to(Path(SCons.__file__).parent)
    project, stranger = copy_project(tmp_path / "copy", parts=PACKAGE_PARTS), tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "SConstruct").write_text(
        f"Environment(tools=['default', 'tinyml'], toolpath=['{project}/{TOOL}'])\n"
    )
    no_package = scons(stranger, python=python)
    assert no_package.stderr.startswith(
        f"\nscons: *** tinyml: error: the Python that runs SCons, {python}, has no tinyml_rules, "
        "numpy, jinja2, flatbuffers, tflite, elftools\n"
        f"  hint: run: '{python}' -m pip install {project}\n"
    )
    (packages / "tinyml_rules").symlink_to(project / "tinyml_rules")
    no_numpy = scons(stranger, python=python)
    assert "has no numpy, jinja2, flatbuffers, tflite, elftools\n" in no_numpy.stderr
    command = f"'{python}' -m pip install numpy jinja2 flatbuffers tflite pyelftools\n"
    assert f"  hint: run: {command}" in no_numpy.stderr
    for done in (no_package, no_numpy):
        assert done.returncode == BUILD_FAILED
        assert "Traceback" not in done.stderr
        assert "import" not in done.stderr


def test_option_in_words_of_this_build(project: Path, zoo_model: ZooModel) -> None:
    """What is advised is a variable of this SConstruct, not an option of the command line."""
    done = scons(project, "model=speech", f"models={zoo_model('speech').parent}", "size")
    assert done.returncode == 0
    assert re.search(r"push_rows=yes saves\s+[\d,]+ bytes of RAM", done.stdout)
    assert "--" not in done.stdout
