"""Builds and runs many compiled models in as few firmware images as their sizes allow.

An image a model would take minutes: objects are compiled once, measured, and packed until flash or
RAM of the target is full, without what is too large for the part alone.  An object has many models,
as far as the part has room for them: to start a compiler takes longer than a small model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from tests.support.available import available_targets
from tests.support.images import linked, main_template, object_of
from tests.support.object_sizes import sizes_of
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError, ToolError
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.support import link_memory
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.interface import Interface
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners import run_image
from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.target import Target, load_target

MAIN = Path(__file__).with_name("combined_main.c.j2")
FLASH_RESERVE_BYTES = 4096
"""For startup, port and main(): what is in an image beside its models."""
RAM_RESERVE_BYTES = 1024
"""For the stack: POW of floats takes most of it.  Small parts have no room for so much."""
UNLIMITED = 2**40
MODELS_OF_A_UNIT = 16
CALLED_BYTES = {"xtensa": 2**19}
"""How far a call reaches, by architecture: more than any firmware has but that of many cases."""

SANITIZED = "host_sanitized"
"""The host with a compiler that stops at undefined behaviour and at stray accesses."""


@dataclass(frozen=True)
class Job:
    """A model to compile as `name`, and its samples, raw and one after the other."""

    name: str
    model: bytes
    samples: bytes
    is_sequence: bool = False
    """Variables keep their values from one sample to the next."""
    reset_before: int = 0
    """The sample of a sequence in front of which they get their first values again."""
    weights: Weights = Weights.FLASH
    optimize: Optimize = Optimize.LAYERS
    kernels: tuple[tuple[str, str], ...] = ()
    rounding: RoundingReference = RoundingReference.TFLM
    dequantize: bool = False
    compiler: tuple[str, ...] = ()
    """With its flags, in place of the target's own, for an object of the model alone."""


@dataclass(frozen=True)
class Ran:
    """What a model gave and took: the output of all samples, what each inference counted, and the
    memory of its object file, which is its alone where `models_of_a_unit` is 1."""

    output: bytes
    counts: tuple[int, ...]
    estimated_cycles: tuple[int, ...]
    flash_bytes: int
    ram_bytes: int


@dataclass(frozen=True)
class _Model:
    """A compiled model, and the job that it is of."""

    job: Job
    interface: Interface

    @property
    def sample_count(self) -> int:
        return len(self.job.samples) // sum(port.size_bytes for port in self.interface.inputs)

    @property
    def output_bytes(self) -> int:
        return self.sample_count * sum(port.size_bytes for port in self.interface.outputs)


@dataclass(frozen=True)
class _Object:
    """Models in one object file, and what they take of the target."""

    models: tuple[_Model, ...]
    file: Path
    flash_bytes: int
    ram_bytes: int


ONLY_PIECES = frozenset((Feature.RISCV_B, Feature.DUAL_ISSUE))
"""Features for which the core has pieces of its own, and no operator has kernels."""
OF_THE_FIRST = frozenset((Feature.FPU,))
"""Features that the first target of a kind has, if any of them has: what others run instead of its
kernels for these is what runs on every target without them."""


@cache
def targets_of_each_kind() -> tuple[str, ...]:
    """One target of those that get the same C for the same instructions: they differ in memory, or
    in some pieces, which `targets_of_own_pieces` are for."""
    return tuple(_kinds(ONLY_PIECES | OF_THE_FIRST).values())


@cache
def targets_of_own_pieces() -> tuple[str, ...]:
    """One target of those that get the same C but for pieces of their core."""
    others = targets_of_each_kind()
    return tuple(name for name in _kinds(OF_THE_FIRST).values() if name not in others)


def _kinds(left_out: frozenset[Feature]) -> dict[tuple[str, frozenset[Feature]], str]:
    """The first target of each architecture and each set of features, but for those left out."""
    kinds: dict[tuple[str, frozenset[Feature]], str] = {}
    for name in available_targets():
        target = load_target(name)
        kinds.setdefault((target.architecture, target.features - left_out), name)
    return kinds


def target_or_skip(name: str) -> Target:
    """The target; the test is skipped where its tools are missing."""
    target = load_target("host" if name == SANITIZED else name)
    missing = missing_tools(target)
    if missing:
        pytest.skip(f"missing packages: {', '.join(tool.package for tool in missing)}")
    if name != SANITIZED:
        return target
    flags = ("-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return replace(target, name=name, toolchain=replace(target.toolchain, compile_flags=flags))


NEAR_CONSTANTS = "near constants exceed 64 kB"
"""What the linker scripts of AVR say."""


def run_combined(
    target: Target, jobs: Sequence[Job], *, folder: Path, is_checked: bool | None = None
) -> dict[str, bytes]:
    """{name: output of all samples} for every job that fits the target; without being told, builds
    are checked on the host alone, where that costs little.

    Raises ToolError where a model does not compile without warnings, or crashes.
    """
    if is_checked is None:
        is_checked = target.name == "host"
    ran = measure_combined(target, jobs, folder=folder, is_checked=is_checked)
    return {name: each.output for name, each in ran.items()}


def measure_combined(
    target: Target,
    jobs: Sequence[Job],
    *,
    folder: Path,
    is_checked: bool = False,
    models_of_a_unit: int = MODELS_OF_A_UNIT,
) -> dict[str, Ran]:
    """The same with what each inference took, its call included: the compiler sees so many models
    in one file, where there is room, and may make another choice for two of them than for one."""
    models = [each for job in jobs for each in _models(target, job, folder, is_checked=is_checked)]
    objects = list(_objects(target, models, folder, size=models_of_a_unit))
    ran: dict[str, Ran] = {}
    for number, batch in enumerate(_batches(target, objects)):
        ran |= _run_batch(target, batch, folder=folder, name=f"batch_{number}")
    return ran


def _run_batch(
    target: Target, batch: Sequence[_Object], *, folder: Path, name: str
) -> dict[str, Ran]:
    """What became of one image, or of two with half of the objects each where the compiler's
    library makes it too large."""
    try:
        image = _link(target, batch, folder=folder, name=name)
    except (DoesNotFitError, ToolError) as error:
        is_large = isinstance(error, DoesNotFitError) or NEAR_CONSTANTS in str(error)
        if len(batch) == 1 or not is_large:
            raise
        half = len(batch) // 2
        first = _run_batch(target, batch[:half], folder=folder, name=f"{name}_a")
        return first | _run_batch(target, batch[half:], folder=folder, name=f"{name}_b")
    models = [(model, each) for each in batch for model in each.models]
    samples = b"".join(model.job.samples for model, _ in models)
    result = run_image(target, image, samples, invoke_symbol="combined_invoke")
    ran: dict[str, Ran] = {}
    position = inference = 0
    for model, its in models:
        output = result.output[position : position + model.output_bytes]
        some = slice(inference, inference + model.sample_count)
        figures = (result.counts[some], result.estimated_cycles[some])
        ran[model.job.name] = Ran(output, *figures, its.flash_bytes, its.ram_bytes)
        position += model.output_bytes
        inference += model.sample_count
    assert position == len(result.output), "an image wrote more than its models' outputs"
    return ran


def _models(target: Target, job: Job, folder: Path, *, is_checked: bool) -> Iterator[_Model]:
    """The one compiled model with all its layers, its files in the folder; nothing for one that
    exceeds the part."""
    try:
        asked = {
            each: getattr(job, each)
            for each in ("optimize", "kernels", "weights", "rounding", "dequantize")
        }
        compiled = compile_model(Request(job.model, job.name, target, checked=is_checked, **asked))
    except DoesNotFitError:
        return
    for name, text in compiled.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    yield _Model(job, compiled.interface)


def _objects(
    target: Target, models: Sequence[_Model], folder: Path, *, size: int
) -> Iterator[_Object]:
    """All models, at most `size` to an object; fewer where the part has no room for so many, or
    where a model has a compiler of its own.  Models next to each other are alike: where one object
    had to be smaller, so is the next."""
    flash, ram = _room(target)
    most = 1 if any(model.job.compiler for model in models) else size
    size, first = most, 0
    while first < len(models):
        some = tuple(models[first : first + size])
        names = [model.job.name for model in some]
        unit = write_unit(names, folder / f"unit_of_{names[0]}_{len(names)}.c")
        file = object_of(target, unit, folder, compiler=some[0].job.compiler)
        one = _Object(some, file, *sizes_of(file))
        if len(some) > 1 and (one.flash_bytes > flash or one.ram_bytes > ram):
            size = (len(some) + 1) // 2
            continue
        yield one
        first += len(some)
        if 3 * one.flash_bytes < flash and 3 * one.ram_bytes < ram:
            size = min(2 * size, most)


def write_unit(names: Sequence[str], file: Path) -> Path:
    """One C file with the generated ones of models beside it."""
    lines = [
        # in a program of its own each has one of its size
        f'#define tinyml_shared_arena {name}_arena\n#include "{name}.c"\n#undef tinyml_shared_arena'
        for name in names
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _room(target: Target) -> tuple[int, int]:
    """Bytes of flash and of RAM for models."""
    memory = link_memory(target, "test")
    if memory is None:
        return UNLIMITED, UNLIMITED
    flash_bytes = min(memory.flash.bytes, CALLED_BYTES.get(target.architecture, UNLIMITED))
    reserve = min(RAM_RESERVE_BYTES, memory.ram.bytes // 4)
    return flash_bytes - FLASH_RESERVE_BYTES, memory.ram.bytes - reserve


def _batches(target: Target, objects: Sequence[_Object]) -> Iterator[list[_Object]]:
    """Objects in order, as many at a time as fit."""
    flash, ram = _room(target)
    batch: list[_Object] = []
    for one in objects:
        if one.flash_bytes > flash or one.ram_bytes > ram:
            continue
        full = [*batch, one]
        if (
            sum(each.flash_bytes for each in full) > flash
            or sum(each.ram_bytes for each in full) > ram
        ):
            yield batch
            full = [one]
        batch = full
    if batch:
        yield batch


def _link(target: Target, batch: Sequence[_Object], *, folder: Path, name: str) -> Image:
    main = folder / f"{name}.c"
    models = [model for each in batch for model in each.models]
    main.write_text(main_template(MAIN).render(models=models), encoding="utf-8")
    return linked(target, [main], folder, name=name, models=[each.file for each in batch])
