"""Files of the user where a model's are to come: they are never overwritten, nor cleaned away."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import Done, files_under, run, scons
from tests.frontends.conftest import Build
from tests.frontends.stranger import answers, expected_answers, write_main, write_sconstruct
from tests.support.warm_python import path_with, run_module

OWN = "int mine(void) { return 7; }\n"
NOT_OURS = "found a file that tinyml_rules did not generate, expected none or an older one of ours"


@pytest.fixture
def own(folder: Path) -> Path:
    """A C file that was written by hand, called like the model beside it."""
    path = folder / "sine.c"
    path.write_text(OWN)
    return path


def command(python: Path, folder: Path, *words: str) -> Done:
    """Run the command line in a folder."""
    return run_module(python, "tinyml_rules", words, folder=folder, variables={})


def refused(done: Done, file: str) -> bool:
    """Whether a command ended with the error for `file`, and without a traceback."""
    text = done.stdout + done.stderr
    assert "Traceback" not in text
    return done.returncode != 0 and f"{file}: error: {NOT_OURS}" in text


def test_scons_program_beside_a_file_of_the_same_name(
    folder: Path, own: Path, build_: Build
) -> None:
    """Both are compiled; beside the sources is what SCons itself puts there, and no C."""
    write_main(folder, "sine")
    write_sconstruct(folder, f'env.Program("fw", ["main.c", "{own.name}", "sine.tflite"])')
    before = files_under(folder)
    build_(folder)
    made = files_under(folder).keys() - before.keys()
    assert {name for name in made if not name.startswith("build/host/sine/")} == {
        *("fw", "main.o", "sine.o")
    }
    assert answers(folder / "fw") == expected_answers((folder / "sine.tflite").read_bytes())
    build_(folder, "-c")
    assert files_under(folder) == before


def test_scons_model_called_main(folder: Path, build_: Build) -> None:
    """main.tflite beside main.c."""
    (folder / "sine.tflite").rename(folder / "main.tflite")
    write_main(folder, "main")
    write_sconstruct(folder, 'env.Program("fw", ["main.c", "main.tflite"])')
    text = (folder / "main.c").read_text()
    build_(folder)
    build_(folder, "-c")
    assert (folder / "main.c").read_text() == text


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ('env.TinymlModel("sine.tflite", ".")', "sine.c"),
        ('env.TinymlLibrary("models", "sine.tflite", ".")', "sine.c"),
        ('env.TinymlFirmware("sine.tflite", "own")', "own/minimal_main.c"),
        ('env.TinymlTest("passed", "sine.tflite", "vectors.npz", "own")', "own/test_main.c"),
        ('SConscript("SConscript", variant_dir="out", exports="env")', "sine.c"),
    ],
)
def test_scons_in_a_folder_that_was_asked_for(
    line: str, file: str, folder: Path, own: Path, installed_python: Path
) -> None:
    """Neither a build nor a cleaning touches it; the folder of a variant's sources is one too."""
    del own
    (folder / "own").mkdir()
    for name in ("minimal", "test"):
        (folder / "own" / f"{name}_main.c").write_text(OWN)
    (folder / "SConscript").write_text('Import("env")\nenv.TinymlModel("sine.tflite", Dir("."))\n')
    write_sconstruct(folder, line)
    before = files_under(folder)
    for words in ((), ("-c",)):
        done = scons(folder, *words, python=installed_python)
        assert refused(done, file), done.stderr
        assert "  hint: choose another folder with folder=" in done.stderr
        assert before.items() <= files_under(folder).items()


def test_scons_models_of_sconscripts(folder: Path, build_: Build) -> None:
    """Each below the one build folder, apart from the other's though they have one name."""
    for name in ("one", "two"):
        part = folder / "apps" / name
        part.mkdir(parents=True)
        (part / "sine.tflite").write_bytes((folder / "sine.tflite").read_bytes())
        write_main(part, "sine")
        (part / "SConscript").write_text(
            'Import("env")\nenv.Clone().Program("fw", ["main.c", "sine.tflite"])\n'
        )
    write_sconstruct(folder, 'SConscript(["apps/one/SConscript", "apps/two/SConscript"], "env")')
    build_(folder)
    made = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("sine.h"))
    assert made == [f"build/host/apps/{name}/sine/sine.h" for name in ("one", "two")]


def test_header_for_other_calls(folder: Path, build_: Build) -> None:
    """An object with a setting of its own: a program of the environment finds its header."""
    write_main(folder, "tone")
    write_sconstruct(
        folder,
        'tone = env.Object("sine.tflite", TINYML_NAME="tone")',
        'env.Program("fw", ["main.c", tone], CPPDEFINES=["OWN"])',
    )
    build_(folder)
    assert answers(folder / "fw") == expected_answers((folder / "sine.tflite").read_bytes())


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (("compile", "sine.tflite", "--out", "."), "sine.c"),
        (("compile", "sine.tflite"), "sine.c"),
        (("compile", "main.tflite"), "main.h"),
        (("compile", "sine.tflite", "--name", "data"), "data.report.json"),
        (("compile", "sine.tflite", "--name", "art"), "art.memory.svg"),
        (("compile", "sine.tflite", "--name", "w", "--weights", "external"), "w.weights.bin"),
        (("package", "c", "sine.tflite", "--out", "package"), "package/src/sine.c"),
        (
            ("run", "sine.tflite", "--input", "x.npy", "--build-dir", "build"),
            "build/minimal_main.c",
        ),
        (("run", "sine.tflite", "--input", "x.npy", "--build-dir", "own"), "own/model/sine.c"),
    ],
)
def test_command_line(
    words: tuple[str, ...], file: str, folder: Path, own: Path, installed_python: Path
) -> None:
    """Every file that a command writes, whatever its kind."""
    del own
    (folder / "main.tflite").write_bytes((folder / "sine.tflite").read_bytes())
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text("/* mine: compiled by tinyml_rules and then changed */\n")
    if words[0] == "package":
        (folder / "package" / "src" / "sine_target.c").write_text(OWN)
    if words[0] == "run":
        np.save(folder / "x.npy", np.zeros((1, 1), np.int8))
    before = files_under(folder)
    done = command(installed_python, folder, *words)
    assert refused(done, file), done.stderr
    after = files_under(folder)
    assert before.items() <= after.items()
    assert words[0] == "run" or after == before


@pytest.mark.parametrize("option", ["--depfile", "--stamp"])
def test_notes_for_a_build_system(option: str, folder: Path, installed_python: Path) -> None:
    """Written where nothing is or an older one is, and not over a source."""
    (folder / "main.c").write_text(OWN)
    words = ("compile", "sine.tflite", "--out", "out", option)
    for _ in range(2):
        done = command(installed_python, folder, *words, "out/note")
        assert (done.returncode, done.stderr) == (0, "")
    done = command(installed_python, folder, *words, "main.c")
    assert refused(done, "main.c")
    assert done.returncode == 2
    assert (folder / "main.c").read_text() == OWN


def test_ones_own_again(folder: Path, installed_python: Path) -> None:
    """What was generated is replaced, with other options too, and where some of it is gone."""
    words = ("compile", "sine.tflite", "--out", "out", "--weights", "external")
    for gone in ("sine.c", "sine.h", "sine.report.json", "sine.memory.svg", "sine.weights.bin"):
        for page in ("32", "64"):
            done = command(installed_python, folder, *words, "--page", page)
            assert (done.returncode, done.stderr) == (0, "")
        assert json.loads((folder / "out" / "sine.report.json").read_text())["page_bytes"] == 64
        if gone != "sine.report.json":
            (folder / "out" / gone).unlink()


def test_make(folder: Path, own: Path, installed_python: Path) -> None:
    """A user's file in the folder of the models: told, and left alone by `make tinyml-clean`."""
    del own
    (folder / "Makefile").write_text(
        "include $(shell tinyml_rules where make)/tinyml.mk\n"
        "$(call tinyml_model,sine,sine.tflite,host)\nall: $(TINYML_HEADERS)\n"
    )
    variables = {"PATH": path_with(installed_python)}
    mine = folder / "tinyml" / "sine" / "sine.c"
    mine.parent.mkdir(parents=True)
    (folder / "tinyml" / "notes.c").write_text(OWN)
    mine.write_text(OWN)
    assert refused(run(["make", "all"], folder, variables=variables), "tinyml/sine/sine.c")
    mine.unlink()
    for words in (["make", "all"], ["make", "tinyml-clean"]):
        done = run(words, folder, variables=variables)
        assert (done.returncode, done.stderr) == (0, "")
    assert list(files_under(folder / "tinyml")) == ["notes.c"]


def test_cmake_in_the_source_folder(folder: Path, own: Path, installed_python: Path) -> None:
    """`cmake .`, where the folder of the models holds a user's file."""
    del own
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(fw C)\n"
        "find_package(TinymlRules REQUIRED)\n"
        "tinyml_add_model(sine MODEL sine.tflite TARGET host)\n"
    )
    variables = {"PATH": path_with(installed_python)}
    mine = folder / "tinyml" / "sine" / "sine.h"
    mine.parent.mkdir(parents=True)
    mine.write_text(OWN)
    run(["cmake", "."], folder, variables=variables)
    done = run(["cmake", "--build", ".", "--target", "sine_tinyml"], folder, variables=variables)
    assert refused(done, f"{folder}/tinyml/sine/sine.h"), done.stdout + done.stderr
    assert mine.read_text() == OWN
