"""What CMake, Make and Meson do alike: a firmware that is right, and made again only where it must.

Each builds its example, as a stranger does, with the installed package.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, run, with_other_weight
from tests.frontends.example_builds import SYSTEMS, Project, set_up_example
from tests.frontends.node import check_node
from tests.support.hand_written import target_or_skip
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

KEPT = "kept"
EVERYTHING = ["board_atmega328", "link", "main", "model", "sine"]

Start = Callable[[str], Project]


@pytest.fixture
def start(tmp_path: Path, installed_python: Path) -> Start:
    """A function from a system's name to its example in a folder whose name has a blank."""

    def start_(name: str) -> Project:
        target_or_skip("atmega328")
        return set_up_example(SYSTEMS[name], tmp_path / "some where", python=installed_python)

    return start_


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory, installed_python: Path) -> Start:
    """A function from a system's name to its example with everything built, which is kept."""
    place = tmp_path_factory.mktemp("examples")

    @cache
    def built(name: str) -> Project:
        target_or_skip("atmega328")
        where = place / name / "some where"
        project = set_up_example(SYSTEMS[name], where, python=installed_python)
        assert project.build() == EVERYTHING
        shutil.copytree(where, place / name / KEPT)
        return project

    return built


@pytest.fixture
def built(built_once: Start) -> Start:
    """The same for a test to edit: brought back with its dates, and to where it was built, for the
    build folders of CMake and Meson cannot move."""

    def built_(name: str) -> Project:
        project = built_once(name)
        where = project.folder.parent
        shutil.rmtree(where)
        shutil.copytree(where.parent / KEPT, where)
        assert project.build() == []
        return project

    return built_


@pytest.fixture
def start_with_copy(tmp_path: Path, installed_python: Path) -> Start:
    """The same with a copy of the package, before the installed one, that a test may edit."""

    def start_(name: str) -> Project:
        target_or_skip("atmega328")
        script = "import tinyml_rules; print(tinyml_rules.__path__[0])"
        package = run([installed_python, "-c", script], tmp_path).stdout.strip()
        shutil.copytree(package, tmp_path / "copy" / "tinyml_rules")
        where = tmp_path / "some where"
        project = set_up_example(SYSTEMS[name], where, python=installed_python, is_warm=False)
        variables = {**project.variables, "PYTHONPATH": str(tmp_path / "copy")}
        return replace(project, variables=variables)

    return start_


@pytest.mark.parametrize("name", SYSTEMS)
def test_firmware(name: str, start: Start) -> None:
    """The C is what the compiler gives, and the node infers as TFLM does; nothing is left to do."""
    project = start(name)
    assert project.build("-j8") == EVERYTHING
    request = Request((SINE / "sine.tflite").read_bytes(), "sine", load_target("atmega328"))
    made = compile_model(request)
    for file, text in made.texts.items():
        assert (project.generated / file).read_text(encoding="utf-8") == text
    check_node(project.elf)
    assert project.build() == []


@pytest.mark.parametrize("name", SYSTEMS)
def test_model(name: str, built: Start) -> None:
    """A new date compiles the model and nothing else, a weight its object and the link too."""
    project = built(name)
    os.utime(project.model)
    assert [project.build(), project.build()] == [["model"], []]
    project.model.write_bytes(with_other_weight(project.model.read_bytes()))
    assert [project.build(), project.build()] == [["link", "model", "sine"], []]


@pytest.mark.parametrize("name", SYSTEMS)
def test_model_with_an_older_date(name: str, built: Start) -> None:
    """As `mv`, `rsync -t` or `unzip` leave it: another one is built, the same one is not."""
    project = built(name)
    os.utime(project.model, (978_307_200, 978_307_200))
    assert project.build() == []
    project.model.write_bytes(with_other_weight(project.model.read_bytes()))
    os.utime(project.model, (946_684_800, 946_684_800))
    assert [project.build(), project.build()] == [["link", "model", "sine"], []]


@pytest.mark.parametrize("name", ["cmake", "make", "meson"])
def test_lost_file(name: str, built: Start) -> None:
    """It comes back, but not with the Makefiles of CMake, in which by-products have no rule."""
    project = built(name)
    (project.generated / "sine.c").unlink()
    assert [project.build(), project.build()] == [["link", "model", "sine"], []]


@pytest.mark.parametrize("name", SYSTEMS)
def test_compiler(name: str, start_with_copy: Start) -> None:
    """An edit of the compiler, of a template and of a target's parent compiles the model again;
    what is made of it only where the C has changed.  All take the files from one depfile: each kind
    of them is tried with Make, of those that matter alike one with the others."""
    project = start_with_copy(name)
    package = Path(project.variables["PYTHONPATH"]) / "tinyml_rules"
    kernel = package / "ops" / "lookup" / "kernels" / "portable.c.j2"
    assert project.build() == EVERYTHING
    for file, text, made in (
        (package / "model_file" / "reader.py", "\n# why\n", ["model"]),
        (package / "cli.py", "\n# why\n", ["model"]),
        (package / "targets" / "avr" / "target.toml", "\n", ["model"]),
        (package / "runners" / "outputs.py", "\n", []),
        (kernel, "{# why #}", ["model"]),
        (kernel, "/* why */\n", ["link", "model", "sine"]),
    ):
        if name != "make" and file.name in ("cli.py", "target.toml"):
            continue
        file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")
        assert project.build() == made, file.name
    assert project.build() == []


@pytest.mark.parametrize("name", ["cmake", "make", "meson"])
def test_compiler_without_a_module(name: str, start_with_copy: Start) -> None:
    """A file of the compiler that a newer version no longer has stops nobody.

    With the Makefiles of CMake 3.25 the model is then compiled every time until `clean`.
    """
    project = start_with_copy(name)
    file = Path(project.variables["PYTHONPATH"]) / "tinyml_rules" / "emit" / "removed.py"
    file.touch()
    project.build()
    file.unlink()
    assert [project.build(), project.build()] == [["model"], []]


@pytest.mark.parametrize("name", SYSTEMS)
def test_option(name: str, built: Start) -> None:
    """Another one compiles the model again, and what includes the header, for it differs too."""
    project = built(name)
    file, was, becomes = {
        "cmake": ("CMakeLists.txt", "TARGET atmega328", "TARGET atmega328 ARENA shared"),
        "make": ("Makefile", ",atmega328", ",atmega328,--arena=shared"),
        "meson": ("meson.build", "'--line',", "'--line', '--arena=shared',"),
    }[project.system.example]
    path = project.folder / file
    path.write_text(path.read_text(encoding="utf-8").replace(was, becomes, 1), encoding="utf-8")
    assert [project.build(), project.build()] == [["link", "main", "model", "sine"], []]


@pytest.mark.parametrize("name", SYSTEMS)
def test_broken_model(name: str, built: Start) -> None:
    """One error, the same on every try; what was there stays whole, and a sound model mends it."""
    project = built(name)
    sound, before = project.model.read_bytes(), (project.generated / "sine.c").read_bytes()
    time.sleep(0.01)
    project.model.write_bytes(b"this is not a model")
    for _ in range(2):
        done = project.run(*project.system.build)
        assert done.returncode != 0
        assert (done.stdout + done.stderr).count("sine: error: broken model file: ") == 1
    assert (project.generated / "sine.c").read_bytes() == before
    assert not list(project.generated.glob(".tinyml-*"))
    project.model.write_bytes(sound)
    assert [project.build(), project.build()] == [["model"], []]


@pytest.mark.parametrize("name", SYSTEMS)
def test_broken_model_at_first(name: str, start: Start) -> None:
    """Nothing appears that a build could take for the model's C."""
    project = start(name)
    project.model.write_bytes(b"this is not a model")
    assert project.run(*project.system.build, "-j8").returncode != 0
    left = {path.suffix for path in project.generated.glob("sine.*")}
    assert left <= {".model", ".settings", ".sum"}
    assert not project.elf.exists()
