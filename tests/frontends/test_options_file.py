"""sine.tinyml.toml beside sine.tflite: what it may say, and the builds that read it."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MODELS_FOLDER, ZooModel
from tests.frontends.builds import SINE, build, has_worked, run, scons
from tests.frontends.stranger import write_sconstruct
from tinyml_rules.cli import main

MAKEFILE = """\
include $(shell tinyml_rules where make)/tinyml.mk
$(call tinyml_model,sine,sine.tflite,host,$(OPTIONS))
all: $(TINYML_SOURCES)
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(mine C)
find_package(TinymlRules REQUIRED NO_CMAKE_FIND_ROOT_PATH)
tinyml_add_model(sine MODEL sine.tflite TARGET host {options})
"""
EXTERNAL = '# weights = "flash"\nweights = "external"  # 2 kB\npage = 16\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a model."""
    shutil.copy2(SINE / "sine.tflite", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(file: Path) -> dict[str, Any]:
    """The figures of a compilation."""
    found: dict[str, Any] = json.loads(file.read_text())
    return found


def test_command_line(folder: Path) -> None:
    """What it says is done, what is given counts more, and the depfile names it."""
    (folder / "sine.tinyml.toml").write_text('arena = "shared"\n' + EXTERNAL)
    words = ["compile", "sine.tflite", "--quiet", "--out", "out", "--depfile", "sine.d"]
    assert main(words) == 0
    assert "#define SINE_PAGE_BYTES 16\n" in (folder / "out" / "sine.h").read_text()
    assert report(folder / "out" / "sine.report.json")["arena"] == "shared"
    assert "  sine.tinyml.toml \\\n" in (folder / "sine.d").read_text()
    assert main([*words, "--arena=static", "--page=8"]) == 0
    assert "#define SINE_PAGE_BYTES 8\n" in (folder / "out" / "sine.h").read_text()
    assert report(folder / "out" / "sine.report.json")["arena"] == "static"
    assert main([*words, "--options="]) == 0
    assert report(folder / "out" / "sine.report.json")["external_bytes"] == 0
    assert "sine.tinyml.toml" not in (folder / "sine.d").read_text()


def test_file_elsewhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In place of the one beside the model."""
    (folder / "sine.tinyml.toml").write_text("broken")
    (folder / "other.toml").write_text('arena = "caller"\n')
    words = ["compile", "sine.tflite", "--quiet", "--out", "out"]
    assert main([*words, "--options=other.toml"]) == 0
    assert report(folder / "out" / "sine.report.json")["arena"] == "caller"
    assert main([*words, "--options=none.toml"]) == 2
    expected = "none.toml: error: cannot be read (No such file or directory)\n"
    assert capsys.readouterr().err == expected


def test_inspect(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a target makes of the model is told with its options."""
    (folder / "sine.tinyml.toml").write_text('arena = "caller"\n')
    assert main(["inspect", "sine.tflite", "--target", "atmega328", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"]["report"]["arena"] == "caller"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "shedule = 'layer'",
            "unknown key 'shedule', expected one of optimize, kernel, constant_time, schedule, "
            "ram, push_rows, slide, arena, place, weights, page, model_version, sensor, slices, "
            "partition, rounding, dequantize, operators, hooks, selftest, dump, loop_limits, "
            "checked, max_flash, max_ram, max_arena, max_stack, max_cycles, max_instructions, "
            "max_energy\n"
            "  hint: did you mean 'schedule'?",
        ),
        ("slide = '1000'", "'slide' is '1000', expected a whole number"),
        ("ram = true", "'ram' is True, expected a whole number, or a string"),
        ("checked = 1", "'checked' is 1, expected true or false"),
        ("place = '1=fast'", "'place' is '1=fast', expected a list of strings"),
        ("place = [1]", "'place' is [1], expected a list of strings"),
        ("operators = 'mine'", "'operators' is 'mine', expected a list of strings"),
        ("weights = 3", "'weights' is 3, expected a string"),
    ],
)
def test_mistakes(text: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One error that names the file and the key."""
    (folder / "sine.tinyml.toml").write_text(f"{text}\n")
    assert main(["compile", "sine.tflite"]) == 2
    assert capsys.readouterr().err == f"sine.tinyml.toml: error: {told}\n"


def test_amounts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of RAM: a word, or a number with a unit or none."""
    for text in ("'least'", "1000", "'1000'", "'1k'"):
        (folder / "sine.tinyml.toml").write_text(f"ram = {text}\n")
        assert main(["compile", "sine.tflite"]) == 0
    (folder / "sine.tinyml.toml").write_text("ram = 'lots'\n")
    capsys.readouterr()
    assert main(["compile", "sine.tflite"]) == 2
    assert capsys.readouterr().err == (
        "sine.tinyml.toml ram: error: found 'lots', expected a number of bytes (10k is 10,240) or "
        "one of fastest, least\n"
    )


@pytest.mark.parametrize(
    ("text", "where", "told"),
    [
        ("page = 0", " page", "found '0', expected 1 to 32767 bytes"),
        ("place = ['1']", " place", "found '1', expected TENSOR=REGION"),
        ("page = ", "", "not valid TOML: Invalid value (at line 1, column 8)"),
        (
            *("arena = 'sharde'", " arena"),
            "unknown 'sharde', expected one of static, caller, shared\n"
            "  hint: did you mean 'shared'?",
        ),
    ],
)
def test_values_that_mean_nothing(
    text: str, where: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words of the command line, behind the file and the key."""
    (folder / "sine.tinyml.toml").write_text(f"{text}\n")
    assert main(["compile", "sine.tflite"]) == 2
    assert capsys.readouterr().err == f"sine.tinyml.toml{where}: error: {told}\n"


def test_output_that_no_build_file_declares(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Bazel runs the compiler, which has to know the outputs before any file is read."""
    (folder / "sine.tinyml.toml").write_text(EXTERNAL)
    words = ["compile", "sine.tflite", "--spelling=bazel", "--declared=.c", "--declared=.h"]
    words += ["--declared=.report.json", "--declared=.memory.svg"]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        'sine.tinyml.toml: error: weights = "external" makes NAME.weights.bin, which the build '
        "file does not expect\n  hint: write weights = 'external' there as well\n"
    )
    assert main([*words, "--declared=.weights.bin"]) == 0


def test_scons(folder: Path, installed_python: Path) -> None:
    """The file appears, changes and disappears: each is a build, and nothing else is."""
    lines = ["print(*env.TinymlModel('sine.tflite'))"]
    write_sconstruct(folder, *lines, settings="TINYML_ARENA=ARGUMENTS.get('arena'),")
    make = partial(build, folder, python=installed_python)
    figures = folder / "build" / "host" / "sine" / "sine.model.json"
    file = folder / "sine.tinyml.toml"
    assert has_worked(make())
    assert not has_worked(make())
    for text, external in (('arena = "caller"\n', False), ('arena = "caller"\n' + EXTERNAL, True)):
        file.write_text(text)
        output = make()
        assert has_worked(output)
        assert ("sine.weights.bin" in output) == external
        assert report(figures)["arena"] == "caller"
        assert (report(figures)["external_bytes"] > 0) == external
        assert not has_worked(make())
    assert has_worked(make("arena=shared"))
    assert report(figures)["arena"] == "shared"
    file.write_text("areena = 1\n")
    done = scons(folder, python=installed_python)
    assert "sine.tinyml.toml: error: unknown key 'areena'" in done.stderr
    file.unlink()
    assert has_worked(make())
    assert report(figures)["arena"] == "static"


def test_scons_firmware(folder: Path, installed_python: Path, zoo_model: ZooModel) -> None:
    """Main and the test image follow the options of the file, in a variant folder too."""
    shutil.copy2(zoo_model("speech"), folder / "speech.tflite")
    (folder / "speech.tinyml.toml").write_text('push_rows = true\nweights = "external"\n')
    vectors = str(MODELS_FOLDER / "speech" / "vectors.npz")
    lines = [
        f"env.TinymlTest('passed', 'speech.tflite', {vectors!r})",
        "env.TinymlFirmware('speech.tflite')",
        "VariantDir('variant', '.', duplicate=0)",
        "own = {'TINYML_PUSH_ROWS': False, 'TINYML_NAME': 'whole'}",
        "print(*env.TinymlModel('variant/speech.tflite', **own))",
    ]
    write_sconstruct(folder, *lines)
    make = partial(build, folder, python=installed_python)
    assert "variant/host/whole/whole.weights.bin" in make()
    assert "speech_push_row" in (folder / "build/host/speech/speech.h").read_text()
    assert "whole_push_row" not in (folder / "variant/host/whole/whole.h").read_text()
    assert (folder / "build/host/speech/passed.passed").is_file()
    assert not has_worked(make())


def test_make(folder: Path, installed_python: Path) -> None:
    """The file appears, changes and disappears."""
    (folder / "Makefile").write_text(MAKEFILE)
    variables = {"PATH": f"{installed_python.parent}:{os.environ['PATH']}"}

    def compiles(*words: str) -> bool:
        done = run(["make", *words], folder, variables=variables)
        assert done.returncode == 0, done.stderr
        return "TINYML" in done.stdout

    made = folder / "tinyml" / "sine"
    assert compiles()
    assert not compiles()
    (folder / "sine.tinyml.toml").write_text(EXTERNAL)
    assert compiles()
    assert (made / "sine.weights.bin").is_file()
    assert not compiles()
    (made / "sine.weights.bin").unlink()
    assert compiles()
    assert compiles("OPTIONS=--weights=flash")
    assert not compiles("OPTIONS=--weights=flash")
    assert report(made / "sine.report.json")["external_bytes"] == 0
    (folder / "sine.tinyml.toml").unlink()
    assert compiles()
    assert not compiles()


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake(generator: str, folder: Path, installed_python: Path) -> None:
    """The file appears, changes and disappears.  With Makefiles CMake never forgets a file that was
    in a depfile, and makes the model again until it is back."""
    variables = {"PATH": f"{installed_python.parent}:{os.environ['PATH']}"}

    def compiles() -> bool:
        done = run(["cmake", "--build", "made"], folder, variables=variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return "TINYML" in done.stdout

    (folder / "CMakeLists.txt").write_text(CMAKE.format(options=""))
    done = run(["cmake", "-B", "made", "-G", generator], folder, variables=variables)
    assert done.returncode == 0, done.stderr
    made = folder / "made" / "tinyml" / "sine"
    assert compiles()
    assert not compiles()
    (folder / "sine.tinyml.toml").write_text(EXTERNAL)
    assert compiles()
    assert (made / "sine.weights.bin").is_file()
    assert not compiles()
    (folder / "CMakeLists.txt").write_text(CMAKE.format(options="WEIGHTS flash"))
    assert compiles()
    assert report(made / "sine.report.json")["external_bytes"] == 0
    (folder / "sine.tinyml.toml").unlink()
    assert compiles()
    assert compiles() == (generator != "Ninja")


def test_cmake_with_a_date_in_the_future(folder: Path, installed_python: Path) -> None:
    """Of the file: Ninja would run CMake again and again, and give up."""
    variables = {"PATH": f"{installed_python.parent}:{os.environ['PATH']}"}
    (folder / "CMakeLists.txt").write_text(CMAKE.format(options=""))
    options = folder / "sine.tinyml.toml"
    options.write_text('arena = "caller"\n')
    os.utime(options, (2**32, 2**32))
    done = run(["cmake", "-B", "made", "-G", "Ninja"], folder, variables=variables)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stderr.split())
    assert "sine.tinyml.toml is dated in the future: run CMake by hand" in told
    done = run(["cmake", "--build", "made"], folder, variables=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert report(folder / "made" / "tinyml" / "sine" / "sine.report.json")["arena"] == "caller"
