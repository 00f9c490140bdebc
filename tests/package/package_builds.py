"""Packages made as a user makes them, what arduino-builder makes of one, what examples print."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, run
from tests.support.hand_written import CACHE
from tests.support.stages import read
from tests.support.tflm import tflm_outputs
from tinyml_rules.cli import main
from tinyml_rules.runners.native import compile_cached

TARGETS = {
    "arduino": "atmega328",
    "esp-idf": "xtensa_lx6",
    "zephyr": "stm32f405",
    "cmsis-pack": "stm32f405",
    "rust": "stm32f405",
    "c": "atmega328",
}
"""A target for each kind: AVR where the ecosystem has it."""

ANSWERS = 32
"""What an example prints before it repeats itself."""

RUNNERS = PROJECT / "tinyml_rules" / "runners"

CORE = Path("/usr/share/arduino/hardware")
BUILDER = Path("/usr/share/arduino-builder")
_LINE = re.compile(r"^(-?\d+):((?: -?\d+)+)$", re.M)

Answers = list[tuple[int, list[int]]]
"""(what every input value was, the outputs)."""


def make_package(
    kind: str,
    folder: Path,
    *options: str,
    model: Path = SINE / "sine.tflite",
    name: str = "sine",
    target: str = "",
) -> Path:
    """Run the command; returns `folder`, where the package is."""
    words = ["--target", target or TARGETS[kind], "--name", name, "--out", str(folder)]
    assert main(["package", kind, str(model), *words, *options]) == 0
    return folder


def compile_through_package(folder: Path, kind: str = "arduino") -> Path:
    """sine.c and sine.h for the kind's target, as its package has them, in the folder returned."""
    package = make_package(kind, folder / "package")
    sources = folder / "sources"
    sources.mkdir()
    for name in ("sine.c", "sine.h"):
        (found,) = (each for each in package.rglob(name) if each.parent.name != "host")
        shutil.copy2(found, sources)
    return sources


def printed_by(command: list[str | Path], folder: Path) -> str:
    """What a command prints that may not fail."""
    done = run(command, folder, timeout_s=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_sketch(
    sketch: Path, libraries: Path, folder: Path, *, board: str = "arduino:avr:uno"
) -> subprocess.CompletedProcess[str]:
    """Run arduino-builder with Debian's AVR core; the ELF file is <folder>/<sketch>.elf."""
    folder.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = ["arduino-builder", "-compile", "-warnings", "all"]
    command += ["-hardware", CORE, "-hardware", BUILDER, "-tools", "/usr/bin"]
    command += ["-built-in-libraries", CORE / "arduino" / "avr" / "libraries"]
    command += ["-libraries", libraries, "-fqbn", board, "-build-path", folder]
    # <float.h> of Debian's compiler keeps this macro from C++11, in which the core is written
    command += ["-prefs", "compiler.cpp.extra_flags=-DDECIMAL_DIG=17", sketch]
    return run(command, sketch.parent, timeout_s=120)


def expected_answers(model: Path) -> Answers:
    """What an example prints, by TFLM: the outputs for inputs of one value each, from -128 on."""
    data = model.read_bytes()
    graph = read(data)
    shapes = [graph.tensors[index].shape for index in graph.inputs]
    values = np.arange(-128, 128, 256 // ANSWERS)
    inputs = [np.stack([np.full(shape, value, np.int8) for value in values]) for shape in shapes]
    outputs = [array.reshape(len(values), -1) for array in tflm_outputs(data, inputs)]
    rows = np.concatenate(outputs, axis=1)
    return [(int(value), row.tolist()) for value, row in zip(values, rows, strict=True)]


def answers_of(printed: str) -> Answers:
    """The lines of an example's output."""
    lines = _LINE.findall(printed)
    return [(int(value), [int(word) for word in words.split()]) for value, words in lines]


def run_sketch(
    elf: Path, *, part: str, count: int = ANSWERS, weights: Path | None = None
) -> Answers:
    """The first answers of an example, which would go on for ever, on simavr."""
    return answers_of(serial_text(elf, part=part, count=count, weights=weights))


def serial_text(elf: Path, *, part: str, count: int, weights: Path | None = None) -> str:
    """The first lines that a sketch prints; `weights` are in an SPI memory selected by pin 10 of
    an Uno."""
    source = Path(__file__).with_name("simavr_serial.c")
    header = RUNNERS / "simavr_spi_memory.h"
    flags = ("-lsimavr", f"-I{RUNNERS}")
    program = compile_cached(source, headers=(header,), flags=flags, cache=CACHE, folder=elf.parent)
    memory = () if weights is None else ("B2", weights)
    return printed_by([program, part, elf, str(count), *memory], elf.parent)
