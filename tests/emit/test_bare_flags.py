"""Generated C in a firmware's own build, which has flags of its own.

With nothing but what names the processor it compiles at every level of optimization, with and
without a frame pointer, and gives TFLM's bytes.  The image around the model has the target's flags.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.layers import LAYERS
from tests.conftest import ZooModel
from tests.support.available import available_targets
from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.target.toolchain import Toolchain

LEVELS = ("-Og", "-O1", "-Os", "-O2", "-O3")
FRAMES = ((), ("-fno-omit-frame-pointer",))
NAMING = (
    "-mcpu=",
    "-mmcu=",
    "-march=",
    "-mabi=",
    "-mthumb",
    "-mfpu=",
    "-mfloat-abi=",
    "-mforce-l32",
)
"""How the flags begin without which a compiler makes code for another processor, or for one that
loads bytes from flash."""
CLANG = {
    # enums and calls of memset as in GCC's objects, or they do not link
    "arm": ("--target=arm-none-eabi", "-fshort-enums", "-meabi", "gnu"),
    "riscv": ("--target=riscv32-unknown-elf",),
    "host": (),
}
"""By architecture; Clang makes no code for Xtensa, and none with the `__flash` of AVR."""
CLANG_LEVELS = ("-Os", "-O3")
WARNINGS = ("-Wall", "-Wextra", "-Werror")
SAMPLES = 4


def bare_targets() -> list[str]:
    """One target of those that get the same C and the same flags."""
    kinds: dict[tuple[object, ...], str] = {}
    for name in available_targets():
        target = load_target(name)
        kinds.setdefault((target.features, *_gcc(target)), name)
    return list(kinds.values())


def _gcc(target: Target) -> tuple[str, ...]:
    flags = target.toolchain.machine_flags
    return (target.toolchain.program("gcc"), *(each for each in flags if each.startswith(NAMING)))


def commands(
    target: Target, frames: Sequence[tuple[str, ...]] = FRAMES
) -> Iterator[tuple[str, ...]]:
    """Every compiler with every level."""
    gcc = _gcc(target)
    hosted = gcc if _has_library(gcc[0]) else (*gcc, "-ffreestanding")
    clang = ("clang", *CLANG.get(target.architecture, ()), *gcc[1:])
    for frame in frames:
        yield from ((*hosted, level, *frame) for level in LEVELS)
        if target.architecture in CLANG:
            yield from ((*clang, level, *frame) for level in CLANG_LEVELS)


@cache
def _has_library(program: str) -> bool:
    """Whether the compiler comes with the headers of C; one without says so only if it is asked to
    do without."""
    command = [program, "-fsyntax-only", "-include", "stdint.h", "-xc", "/dev/null"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def linking_clang(target: Target) -> Toolchain:
    """The toolchain with what links Clang's objects, too: they say that their stack is not code,
    which assembly does not."""
    more = ("-Wl,--no-warn-execstack",) if target.architecture in CLANG else ()
    return replace(target.toolchain, link_flags=(*target.toolchain.link_flags, *more))


@pytest.mark.parametrize("target_name", bare_targets())
def test_compiles(target_name: str, zoo_model: ZooModel, tmp_path: Path) -> None:
    """The models of the zoo that have convolutions, where the part has room for them, with a frame
    pointer: assembly that has registers enough has them without one, too."""
    target = target_or_skip(target_name)
    lines = []
    for name in ("kws", "speech"):
        try:
            compiled = compile_model(Request(zoo_model(name).read_bytes(), name, target))
        except DoesNotFitError:
            continue
        lines.append(f'#include "{name}.c"\n')
        for file, text in compiled.files.items():
            (tmp_path / file).write_text(text, encoding="utf-8")
    unit = tmp_path / "unit.c"
    unit.write_text("".join(lines), encoding="utf-8")
    for command in commands(target, FRAMES[-1:]):
        words = [*command, *WARNINGS, "-c", str(unit), "-o", str(tmp_path / "unit.o")]
        run_tool(words, where=" ".join(command))


@pytest.mark.parametrize("target_name", bare_targets())
def test_equals_tflm(target_name: str, tmp_path: Path) -> None:
    """A residual network from each compiler at each level, all of them in one image, or as many."""
    target = target_or_skip(target_name)
    file = build_model(LAYERS["residual_network"]())
    (port,) = compile_model(Request(file, "residual", target)).interface.inputs
    values = np.random.default_rng(7).integers(-128, 128, (SAMPLES, *port.shape), np.int8)
    (expected,) = tflm_outputs(file, [values])
    target = replace(target, toolchain=linking_clang(target))
    each = {f"residual_{number}": command for number, command in enumerate(commands(target))}
    jobs = [Job(name, file, values.tobytes(), compiler=each[name]) for name in each]
    outputs = run_combined(target, jobs, folder=tmp_path)
    assert outputs.keys() == each.keys()
    wrong = [" ".join(each[name]) for name in each if outputs[name] != expected.tobytes()]
    assert wrong == []
