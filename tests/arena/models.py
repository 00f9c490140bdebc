"""Compiles models of the zoo with an arena of any kind, and runs them beside TFLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.support.hand_written import CACHE
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.build import build_image
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.runners import run_image
from tinyml_rules.target.target import Target

SAMPLES = 4
SEED = 7


def compiled(
    model: Path,
    target: Target,
    arena: ArenaMode = ArenaMode.STATIC,
    *,
    places: tuple[tuple[str, str], ...] = (),
    is_pushed: bool = False,
) -> Compiled:
    """The model's layers under its file's name."""
    return compile_model(
        Request(
            model.read_bytes(),
            model.stem,
            target,
            arena=arena,
            places=places,
            push_rows=is_pushed,
            optimize=Optimize.LAYERS,
        )
    )


def samples_of(made: Compiled, count: int = SAMPLES) -> AnyArray:
    """Random inputs of a model with one input, the first at the end of the range."""
    (port,) = made.interface.inputs
    samples = np.random.default_rng(SEED).integers(-128, 128, (count, *port.shape))
    samples[0] = -128
    return samples.astype(np.int8)


def assert_equals_tflm(made: Compiled, model: Path, target: Target, folder: Path) -> Path:
    """Run the test image on random samples; returns the image."""
    image = build_image(
        target, sources=made.files, interface=made.interface, kind="test", folder=folder
    )
    samples = samples_of(made)
    result = run_image(target, image, samples.tobytes(), timeout_s=120, cache=CACHE)
    (expected,) = tflm_outputs(model.read_bytes(), [samples])
    assert result.output == expected.tobytes()
    return image.elf


def symbols_of(elf: Path) -> dict[str, tuple[int, int]]:
    """{name: (address, bytes)} of every symbol of an object or program."""
    with elf.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {each.name: (each["st_value"], each["st_size"]) for each in table.iter_symbols()}
