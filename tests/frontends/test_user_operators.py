"""The example with an operator of a user's own, built as a stranger builds it: each build system
runs it, and compiles the model again when a file of the operator changes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import build, has_worked, run, scons
from tests.frontends.example_builds import MESON
from tests.support.hand_written import target_or_skip
from tinyml_rules.frontends.platformio.options import read_settings

EXAMPLE = PROJECT / "examples" / "custom_operator"
SCRIPT = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET="host",
    TINYML_OPERATORS={operators},
)
SConscript("deep/SConscript", variant_dir="made", duplicate={duplicate}, exports="env")
"""
MESON_BUILD = """\
project('knob', 'c')
knob = custom_target('knob',
  input: 'knob.tflite',
  output: ['knob.c', 'knob.h', 'knob.report.json', 'knob.memory.svg'],
  depfile: 'knob.d',
  command: [
    find_program('tinyml_rules'), 'compile', '@INPUT@', '--target', 'host', '--out', '@OUTDIR@',
    '--depfile', '@DEPFILE@', '--operators', meson.current_source_dir() / 'operators',
  ],
)
executable('knob', ['main.c', knob[0], knob[1]])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example, in a folder whose name has a blank."""
    ignore = shutil.ignore_patterns("__pycache__", "build", "tinyml", "*.o", "*.d", ".scons*")
    shutil.copytree(EXAMPLE, tmp_path / "some where", ignore=ignore)
    return tmp_path / "some where"


@pytest.fixture
def template(folder: Path) -> Path:
    """The operator's kernel."""
    return folder / "operators" / "deadband" / "kernels" / "portable.c.j2"


def check_program(program: Path) -> None:
    """It prints what the file of vectors has."""
    with np.load(EXAMPLE / "knob.npz") as vectors:
        expected = vectors["speed"].ravel().tolist()
    done = run([program], program.parent)
    assert [int(line) for line in done.stdout.split()] == expected


def change(file: Path, before: str, after: str) -> None:
    """Edit a file."""
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def test_scons(folder: Path, template: Path, installed_python: Path) -> None:
    """It is built, tested and run; an edit of a template, a module or the file list counts, a new
    date does not."""
    make = partial(build, folder, python=installed_python)
    assert "TEST    build/host/knob/knob_test.passed" in make()
    check_program(folder / "knob")
    assert not has_worked(make())
    os.utime(template, (2**31, 2**31))
    assert not has_worked(make())
    template.write_text(template.read_text(encoding="utf-8") + "/* why */\n", encoding="utf-8")
    assert "TINYML  knob.tflite" in make()
    assert "/* why */" in (folder / "build/host/knob/knob.c").read_text()
    change(
        template.parents[1] / "__init__.py", "import numpy as np\n", "import numpy as np  # why\n"
    )
    assert "TINYML  knob.tflite" in make()
    (template.parents[1] / "notes.txt").write_text("read by __init__.py, perhaps\n")
    assert "TINYML  knob.tflite" in make()
    assert not has_worked(make())
    assert not list(folder.rglob("__pycache__"))
    change(template, "kept = value - ", "kept = value + ")
    done = scons(folder, python=installed_python)
    assert "knob on host: error: sample " in done.stderr


def test_scons_on_an_emulated_part(folder: Path, installed_python: Path) -> None:
    """The same operator, by the same template."""
    target_or_skip("atmega328")
    output = build(folder, "target=atmega328", python=installed_python)
    assert "TEST    build/atmega328/knob/knob_test.passed" in output


def test_scons_broken_operator(folder: Path, template: Path, installed_python: Path) -> None:
    """One error, with the folder and the cause; mended, the build goes on."""
    op = template.parents[1] / "__init__.py"
    change(op, "steps = min(", "steps = mim(")
    done = scons(folder, python=installed_python)
    assert done.returncode != 0
    told = (
        f"{folder}/operators/deadband: error: prepare fails: NameError: name 'mim' is not defined"
    )
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    change(op, "steps = mim(", "steps = min(")
    assert "TEST    build/host/knob/knob_test.passed" in build(folder, python=installed_python)


@pytest.mark.parametrize("duplicate", [0, 1])
@pytest.mark.parametrize("operators", ["'operators'", "Dir('operators')", "None"])
def test_scons_below_a_sconscript(
    operators: str, duplicate: int, folder: Path, installed_python: Path
) -> None:
    """A text begins at the SConstruct, a path of the file of options beside that file."""
    (folder / "deep").mkdir()
    (folder / "deep" / "SConscript").write_text('Import("env")\nenv.TinymlModel("knob.tflite")\n')
    (folder / "knob.tflite").rename(folder / "deep" / "knob.tflite")
    if operators == "None":
        (folder / "deep" / "knob.tinyml.toml").write_text('operators = ["../operators"]\n')
    text = SCRIPT.format(operators=operators, duplicate=duplicate)
    (folder / "SConstruct").write_text(text)
    make = partial(build, folder, python=installed_python)
    assert "TINYML  knob.tflite" in make()
    assert "deadband" in (folder / "made/host/knob/knob.c").read_text()
    assert not has_worked(make())
    change(folder / "operators/deadband/kernels/portable.c.j2", "DEADBAND:", "Deadband:")
    assert "TINYML  knob.tflite" in make()


def _make(folder: Path, installed: Path) -> tuple[Callable[[], str], Path]:
    return partial(_output, ["make"], folder, installed), folder / "knob"


def _cmake(folder: Path, installed: Path) -> tuple[Callable[[], str], Path]:
    _output(["cmake", "-B", "build", "-G", "Ninja"], folder, installed)
    return partial(_output, ["cmake", "--build", "build"], folder, installed), folder / "build/knob"


def _cmake_make(folder: Path, installed: Path) -> tuple[Callable[[], str], Path]:
    _output(["cmake", "-B", "build", "-G", "Unix Makefiles"], folder, installed)
    return partial(_output, ["cmake", "--build", "build"], folder, installed), folder / "build/knob"


def _meson(folder: Path, installed: Path) -> tuple[Callable[[], str], Path]:
    (folder / "meson.build").write_text(MESON_BUILD)
    _output([*MESON, "setup", "build"], folder, installed)
    return partial(_output, ["ninja", "-C", "build"], folder, installed), folder / "build/knob"


def _output(command: list[str], folder: Path, installed: Path) -> str:
    variables = {"PATH": f"{installed.parent}:{os.environ['PATH']}"}
    done = run(command, folder, variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("system", [_make, _cmake, _cmake_make, _meson])
def test_depfile(
    system: Callable[[Path, Path], tuple[Callable[[], str], Path]],
    folder: Path,
    template: Path,
    installed_python: Path,
) -> None:
    """It names the operator's files: an edit of one compiles the model again."""
    make, program = system(folder, installed_python)
    make()
    check_program(program)
    before = program.stat().st_mtime_ns
    make()
    assert program.stat().st_mtime_ns == before
    change(template, "kept = value - params->moved;", "kept = 1;")
    make()
    printed = run([program], program.parent).stdout.split()
    assert set(printed) == {"-10", "-9"}


def test_platformio_settings() -> None:
    """Folders, one a line or with commas between them."""
    options = {"custom_tinyml_models": "knob.tflite", "custom_tinyml_operators": "mine, other/more"}
    found = read_settings(options, where="here", platform="native", mcu="")
    assert found.variables["TINYML_OPERATORS"] == ("mine", "other/more")
