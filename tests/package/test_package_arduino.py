"""Libraries for Arduino, built by arduino-builder with Debian's AVR core and run on simavr."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.frontends.builds import SINE, run
from tests.frontends.node import check_node, copy_example
from tests.lower.models import large_model
from tests.package.package_builds import (
    ANSWERS,
    build_sketch,
    expected_answers,
    make_package,
    run_sketch,
)

BOARDS = {"atmega328": ("arduino:avr:uno", "atmega328p")}
BOARDS["atmega2560"] = ("arduino:avr:mega:cpu=atmega2560", "atmega2560")
KEYWORD_OPTIONS = [
    ("--arena=static",),
    ("--arena=caller", "--push-rows"),
    ("--arena=static", "--push-rows", "--weights=external"),
]
CATEGORIES = (
    *("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing"),
    *("Data Storage", "Data Processing", "Other"),
)
"""Those that the Library Manager knows."""


def check_example(
    folder: Path, model: Path, name: str, *options: str, target: str, count: int = ANSWERS
) -> None:
    """Package a model, build the library's example and compare `count` answers with TFLM's."""
    library = folder / "libraries" / name
    make_package("arduino", library, *options, model=model, name=name, target=target)
    board, part = BOARDS[target]
    sketch = library / "examples" / name / f"{name}.ino"
    done = build_sketch(sketch, library.parent, folder / "build", board=board)
    assert done.returncode == 0, done.stderr
    assert str(library) not in done.stderr, "a warning of ours"
    weights = library / f"{name}.weights.bin" if "--weights=external" in options else None
    elf = folder / "build" / f"{name}.ino.elf"
    answers = run_sketch(elf, part=part, count=count, weights=weights)
    assert answers == expected_answers(model)[:count]


@pytest.mark.parametrize("arena", ["static", "caller", "shared"])
def test_example(arena: str, tmp_path: Path) -> None:
    """Every answer is TFLM's, wherever the arena lives."""
    model = SINE / "sine.tflite"
    check_example(tmp_path, model, "sine", "--arena", arena, target="atmega328")


def test_example_that_pushes_rows(zoo_model: ZooModel, tmp_path: Path) -> None:
    """A model whose input does not fit into the part, with its rows in the sketch's memory."""
    options = ("--push-rows", "--arena", "caller")
    check_example(tmp_path, zoo_model("speech"), "speech", *options, target="atmega328")


def test_example_with_weights_outside(zoo_model: ZooModel, tmp_path: Path) -> None:
    """271 kB of weights on an Uno, which the sketch reads from an SPI flash."""
    check_example(
        tmp_path, zoo_model("ad"), "ad", "--weights=external", target="atmega328", count=2
    )


def test_example_on_a_larger_board(zoo_model: ZooModel, tmp_path: Path) -> None:
    """A model that does not fit into an Uno."""
    check_example(tmp_path, zoo_model("kws"), "kws", target="atmega2560", count=3)


def test_node(installed_python: Path, tmp_path: Path) -> None:
    """The sketchbook of examples/arduino, with the command of its README."""
    sketchbook = copy_example("arduino", tmp_path)
    readme = (sketchbook / "README.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"^python (.+)$", readme, re.M)
    done = run([installed_python, *words.split()], sketchbook)
    assert (done.returncode, done.stderr) == (0, "")
    sketch = sketchbook / "node" / "node.ino"
    done = build_sketch(sketch, sketchbook / "libraries", tmp_path / "build")
    assert done.returncode == 0, done.stderr
    check_node(tmp_path / "build" / "node.ino.elf")


def test_wrong_board(tmp_path: Path) -> None:
    """A library for another processor stops the build, and says which one it is for."""
    library = make_package("arduino", tmp_path / "libraries" / "sine", target="rp2040")
    sketch = library / "examples" / "sine" / "sine.ino"
    done = build_sketch(sketch, library.parent, tmp_path / "build")
    assert done.returncode != 0
    assert "sine.c was compiled for rp2040, a processor whose int has 32 bits: " in done.stderr


def test_properties(tmp_path: Path) -> None:
    """What the specification and the Library Manager ask for."""
    options = ("--version", "2.1.0", "--author", "Ada <ada@example.com>", "--url", "https://a.org")
    library = make_package("arduino", tmp_path / "sine", *options)
    text = (library / "library.properties").read_text(encoding="utf-8")
    properties = dict(line.split("=", 1) for line in text.splitlines())
    assert properties["name"] == "sine"
    assert properties["version"] == "2.1.0"
    assert properties["author"] == properties["maintainer"] == "Ada <ada@example.com>"
    assert properties["url"] == "https://a.org"
    assert properties["category"] in CATEGORIES
    assert properties["architectures"] == "avr"
    assert properties["includes"] == "sine.h"
    assert properties["sentence"]
    assert properties["paragraph"]


@pytest.mark.parametrize("options", KEYWORD_OPTIONS, ids=" ".join)
def test_keywords(options: tuple[str, ...], zoo_model: ZooModel, tmp_path: Path) -> None:
    """Every function and constant of the header, so that the editor colours them."""
    model = zoo_model("speech")
    folder = tmp_path / "net"
    make_package("arduino", folder, *options, model=model, name="net", target="atmega2560")
    lines = (folder / "keywords.txt").read_text(encoding="utf-8").splitlines()
    keywords = dict(line.split("\t") for line in lines)
    header = (folder / "src" / "net.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"^\w[\w *]*?\b(net_\w+)\(", header, re.M))
    macros = set(re.findall(r"^#define (NET_(?!H$)\w+)(?=\s|$)", header, re.M))
    assert {word for word, kind in keywords.items() if kind == "KEYWORD2"} == functions
    assert {word for word, kind in keywords.items() if kind == "LITERAL1"} == macros


def test_far_weights(tmp_path: Path) -> None:
    """More than 64 kB of weights, linked by the script of Arduino's compiler: what has to be near,
    be it ours or avr-libc's, is not pushed out of reach."""
    (tmp_path / "large.tflite").write_bytes(large_model())
    check_example(tmp_path, tmp_path / "large.tflite", "large", target="atmega2560", count=3)
