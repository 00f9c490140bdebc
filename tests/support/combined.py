"""Builds and runs many compiled models in as few firmware images as their sizes allow.

An image a model would take minutes: every object is compiled once, measured, and packed with
others until flash or RAM of the target is full.  What is too large for the part alone is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import jinja2
import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from tests.support.available import available_targets
from tinyml_rules.compile import compile_model
from tinyml_rules.errors import DoesNotFitError
from tinyml_rules.firmware.build import link_image
from tinyml_rules.firmware.image import Image
from tinyml_rules.firmware.support import FIRMWARE_FOLDER, link_memory, support_sources
from tinyml_rules.ir.interface import Interface
from tinyml_rules.request.request import Request, Weights
from tinyml_rules.runners import run_image
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.missing import missing_tools
from tinyml_rules.target.target import Target, load_target

MAIN = Path(__file__).with_name("combined_main.c.j2")
FLASH_RESERVE_BYTES = 4096
"""For startup, port and main(): what is in an image beside its models."""
RAM_RESERVE_BYTES = 512
"""For the stack."""
UNLIMITED = 2**40

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
    weights: Weights = Weights.FLASH


@dataclass(frozen=True)
class _Built:
    """A compiled model and what it takes of the target."""

    job: Job
    interface: Interface
    object_file: Path
    flash_bytes: int
    ram_bytes: int

    @property
    def sample_count(self) -> int:
        return len(self.job.samples) // sum(port.size_bytes for port in self.interface.inputs)

    @property
    def is_sequence(self) -> bool:
        return self.job.is_sequence

    @property
    def output_bytes(self) -> int:
        return self.sample_count * sum(port.size_bytes for port in self.interface.outputs)


def targets_of_each_kind() -> list[str]:
    """One target of those that get the same C for the same instructions: they differ in memory."""
    kinds: dict[tuple[str, frozenset[str]], str] = {}
    for name in available_targets():
        target = load_target(name)
        kinds.setdefault((target.architecture, target.features), name)
    return list(kinds.values())


def target_or_skip(name: str) -> Target:
    """The target; the test is skipped where its tools are missing."""
    target = load_target("host" if name == SANITIZED else name)
    missing = missing_tools(target)
    if missing:
        pytest.skip(f"missing packages: {', '.join(tool.package for tool in missing)}")
    if name != SANITIZED:
        return target
    flags = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return replace(target, name=name, toolchain=replace(target.toolchain, compile_flags=flags))


def run_combined(
    target: Target, jobs: Sequence[Job], *, folder: Path, is_checked: bool | None = None
) -> dict[str, bytes]:
    """{name: output of all samples} for every job that fits the target; without being told, builds
    are checked on the host alone, where that costs little.

    Raises ToolError where a model does not compile without warnings, or crashes.
    """
    if is_checked is None:
        is_checked = target.name == "host"
    built = [
        each for job in jobs for each in _build(target, job, folder=folder, is_checked=is_checked)
    ]
    outputs: dict[str, bytes] = {}
    for number, batch in enumerate(_batches(target, built)):
        image = _link(target, batch, folder=folder, name=f"batch_{number}")
        samples = b"".join(each.job.samples for each in batch)
        result = run_image(target, image, samples, invoke_symbol="combined_invoke")
        position = 0
        for each in batch:
            outputs[each.job.name] = result.output[position : position + each.output_bytes]
            position += each.output_bytes
        assert position == len(result.output), "an image wrote more than its models' outputs"
    return outputs


def _build(target: Target, job: Job, *, folder: Path, is_checked: bool) -> Iterator[_Built]:
    """The one built model, or nothing for one that exceeds the part on its own."""
    try:
        request = Request(job.model, job.name, target, weights=job.weights, checked=is_checked)
        compiled = compile_model(request)
    except DoesNotFitError:
        return
    for name, text in compiled.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    object_file = _compile(target, folder / f"{job.name}.c", folder=folder)
    flash_bytes, ram_bytes = _sizes(object_file)
    yield _Built(job, compiled.interface, object_file, flash_bytes, ram_bytes)


def _compile(target: Target, source: Path, *, folder: Path) -> Path:
    object_file = folder / f"{source.stem}.o"
    include = (folder, FIRMWARE_FOLDER)
    command = target.toolchain.compile_command(source, object_file, include=include)
    run_tool(command, where=source.name)
    return object_file


def _sizes(object_file: Path) -> tuple[int, int]:
    """(bytes of flash, bytes of RAM) of an object's sections."""
    flash_bytes = ram_bytes = 0
    with object_file.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            flags = section["sh_flags"]
            if not flags & SH_FLAGS.SHF_ALLOC:
                continue
            if section["sh_type"] != "SHT_NOBITS":
                flash_bytes += section["sh_size"]
            if flags & SH_FLAGS.SHF_WRITE:
                ram_bytes += section["sh_size"]
    return flash_bytes, ram_bytes


def _batches(target: Target, models: Sequence[_Built]) -> Iterator[list[_Built]]:
    """Models in order, as many at a time as fit."""
    memory = link_memory(target, "test")
    flash = memory.flash.bytes - FLASH_RESERVE_BYTES if memory else UNLIMITED
    ram = memory.ram.bytes - RAM_RESERVE_BYTES if memory else UNLIMITED
    batch: list[_Built] = []
    for model in models:
        if model.flash_bytes > flash or model.ram_bytes > ram:
            continue
        full = [*batch, model]
        if (
            sum(each.flash_bytes for each in full) > flash
            or sum(each.ram_bytes for each in full) > ram
        ):
            yield batch
            full = [model]
        batch = full
    if batch:
        yield batch


def _link(target: Target, batch: Sequence[_Built], *, folder: Path, name: str) -> Image:
    main = folder / f"{name}.c"
    template = jinja2.Template(
        MAIN.read_text(encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    main.write_text(template.render(models=batch), encoding="utf-8")
    sources = (main, *support_sources(target, kind="test"))
    models = tuple(each.object_file for each in batch)
    image = Image(
        name=name,
        invoke_symbol="main",
        kind="test",
        elf=folder / f"{name}.elf",
        map_file=folder / f"{name}.map",
        objects=(*models, *(_compile(target, source, folder=folder) for source in sources)),
        model_objects=models,
    )
    link_image(target, image)
    return image
