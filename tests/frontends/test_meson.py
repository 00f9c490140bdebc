"""What the page on Meson says, beside what the example shows: several models, and a test."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, Done, run
from tests.frontends.example_builds import MESON
from tests.frontends.stranger import answers, expected_answers, other_model, write_main
from tests.support.warm_python import path_with

Command = Callable[..., Done]


def snippets() -> list[str]:
    """The Meson code of the page, in order."""
    page = (PROJECT / "docs" / "build_systems" / "meson.md").read_text(encoding="utf-8")
    return re.findall(r"```meson\n(.*?)```", page, re.S)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stranger's project whose folder `app` has two models, vectors of the first, and what the
    page shows."""
    app = tmp_path / "firmware" / "app"
    app.mkdir(parents=True)
    for file in ("sine.tflite", "vectors.npz"):
        shutil.copy2(SINE / file, app)
    other_model(app, "other.tflite")
    write_main(app, "sine", "other")
    (app / "meson.build").write_text(snippets()[1])
    (app.parent / "meson.build").write_text("project('fw', 'c')\nsubdir('app')\n")
    return app.parent


@pytest.fixture
def command(folder: Path, installed_python: Path) -> Command:
    """A function that runs a command in an activated environment; it has to succeed."""

    def command_(*words: str) -> Done:
        variables = {"PATH": path_with(installed_python)}
        done = run(words, folder, variables=variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    return command_


def test_page_shows_the_example() -> None:
    """The first snippet of the page is what the example has, but for the model's folder."""
    example = (PROJECT / "examples" / "meson" / "meson.build").read_text(encoding="utf-8")
    assert snippets()[0].replace("models/", "../node/") in example


def test_two_models(folder: Path, command: Command) -> None:
    """In a folder below, at eight jobs: both give TFLM's answers, and `meson test` compares one."""
    command(*MESON, "setup", "build")
    command("ninja", "-C", "build", "-j8")
    again = re.findall(r"\] (.+)", command("ninja", "-C", "build").stdout)
    watched = ("app/model of other", "app/model of sine")
    assert [name in line for name, line in zip(watched, sorted(again), strict=True)] == [True, True]
    models = [(folder / "app" / f"{name}.tflite").read_bytes() for name in ("sine", "other")]
    expected = zip(*map(expected_answers, models), strict=True)
    assert answers(folder / "build" / "app" / "fw") == [each for pair in expected for each in pair]
    done = command(*MESON, "test", "-C", "build", "--verbose")
    assert "sine on host: 256 samples equal" in done.stdout


def test_options_file_that_appears(folder: Path, command: Command) -> None:
    """It is seen as well as one that was there, and as its end is.

    Ninja takes the file, which is written just after it is there, for newer than what it knew of
    when it compiled the model, and compiles it once more.
    """

    def built() -> str:
        outputs = [command("ninja", "-C", "build").stdout for _ in range(3)]
        assert "Generating app/sine" in outputs[0]
        assert "Generating app/sine" not in outputs[2]
        report = folder / "build" / "app" / "sine.report.json"
        return str(json.loads(report.read_text(encoding="utf-8"))["arena"])

    command(*MESON, "setup", "build")
    assert built() == "static"
    options = folder / "app" / "sine.tinyml.toml"
    options.write_text('arena = "shared"\n', encoding="utf-8")
    assert built() == "shared"
    options.unlink()
    assert built() == "static"
