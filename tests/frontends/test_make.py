"""What Make alone has: changes of which no date tells, and a Makefile that stays the user's own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, Done, run, with_other_weight
from tests.frontends.stranger import answers, expected_answers, other_model, write_main
from tests.support.warm_python import path_with

MAKEFILE = """\
include $(shell tinyml_rules where make)/tinyml.mk
{calls}
CPPFLAGS := -MMD -MP $(TINYML_INCLUDES)
OBJECTS := $(TINYML_SOURCES:.c=.o) main.o

fw: $(OBJECTS)
	$(CC) $^ -o $@

$(OBJECTS): | $(TINYML_HEADERS)

clean: tinyml-clean
	$(RM) fw $(OBJECTS) $(OBJECTS:.o=.d)

-include $(OBJECTS:.o=.d)
"""
CALL = "$(call tinyml_model, {name}, {name}.tflite, host, $(OPTIONS))"
UP_TO_DATE = "make: 'fw' is up to date.\n"
LOOKED_FOR = re.compile(r"Looking for an implicit rule for '(.+)'")
"""What Make tries its built-in rules on, which for the thousand files of the compiler takes longer
than all else."""

Make = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stranger's folder, in one whose name has a blank, with one model."""
    path = tmp_path / "some where" / "firmware"
    path.mkdir(parents=True)
    shutil.copy2(SINE / "sine.tflite", path)
    write_main(path, "sine")
    (path / "Makefile").write_text(MAKEFILE.format(calls=CALL.format(name="sine")))
    return path


@pytest.fixture
def make(folder: Path, installed_python: Path) -> Make:
    """A function that runs make in an activated environment; it has to succeed unless it is told
    otherwise."""

    def make_(*words: str, succeeds: bool = True) -> Done:
        variables = {"PATH": path_with(installed_python)}
        done = run(["make", *words], folder, variables=variables)
        assert (done.returncode == 0) == succeeds, done.stdout + done.stderr
        return done

    return make_


def steps(done: Done) -> list[str]:
    """The last word of each command that make has printed: what it reads, or makes by linking."""
    said = ("make:", "TINYML ")
    return [line.split()[-1] for line in done.stdout.splitlines() if not line.startswith(said)]


def test_two_models(folder: Path, make: Make) -> None:
    """At eight jobs, each compiled once; both give TFLM's answers.  Make takes the files of the
    compiler as they are."""
    data = other_model(folder, "other.tflite")
    write_main(folder, "sine", "other")
    calls = "\n".join(CALL.format(name=name) for name in ("sine", "other"))
    (folder / "Makefile").write_text(MAKEFILE.format(calls=calls))
    assert make("-j8").stdout.count("tinyml_rules compile") == 2
    assert make("-j8").stdout == UP_TO_DATE
    looked_for = LOOKED_FOR.findall(make("--debug=implicit").stdout)
    assert "sine.tflite" in looked_for
    assert [file for file in looked_for if file.endswith((".py", ".j2"))] == []
    expected = zip(
        expected_answers((folder / "sine.tflite").read_bytes()),
        expected_answers(data),
        strict=True,
    )
    assert answers(folder / "fw") == [each for pair in expected for each in pair]


def test_options(make: Make) -> None:
    """Other options compile the model again, also if they were wrong in between."""
    compiled, model, main = "tinyml/sine/sine.stamp.d", "tinyml/sine/sine.c", "main.c"
    assert steps(make()) == [compiled, model, main, "fw"]
    assert steps(make("OPTIONS=--arena=shared")) == [compiled, model, main, "fw"]
    assert make("OPTIONS=--arena=shared").stdout == UP_TO_DATE
    for _ in range(2):
        assert (
            "arena: error: unknown 'sahred'"
            in make("OPTIONS=--arena=sahred", succeeds=False).stderr
        )
    assert steps(make("OPTIONS=--arena=shared")) == [compiled]
    assert make("OPTIONS=--arena=shared").stdout == UP_TO_DATE


def test_object_that_is_made_first(folder: Path, make: Make) -> None:
    """The C that a step of ours has just changed is seen as new, whoever asks for it first."""
    make()
    model = folder / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    assert steps(make("tinyml/sine/sine.o")) == ["tinyml/sine/sine.stamp.d", "tinyml/sine/sine.c"]
    assert steps(make()) == ["fw"]
    assert answers(folder / "fw") == expected_answers(model.read_bytes())


def test_clean(folder: Path, make: Make) -> None:
    """Nothing is left; and nothing is compiled on the way."""
    before = {path.name for path in folder.iterdir()}
    make()
    assert "compile" not in make("clean").stdout
    assert {path.name for path in folder.iterdir()} == before


def test_dry_run(folder: Path, make: Make) -> None:
    """Tells the steps and takes none."""
    assert "tinyml_rules compile sine.tflite" in make("-n").stdout
    assert not list(folder.rglob("sine.[cho]"))


def test_other_folder(folder: Path, make: Make) -> None:
    """TINYML_FOLDER is the user's choice."""
    make("TINYML_FOLDER=build/models")
    assert (folder / "build" / "models" / "sine" / "sine.h").is_file()


def test_old_make(make: Make) -> None:
    """One that cannot read a file is told so."""
    done = make("MAKE_VERSION=4.1", succeeds=False)
    assert "tinyml.mk: error: this is GNU make 4.1, expected 4.2 or newer" in done.stderr
