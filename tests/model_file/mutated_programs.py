"""The C of mutated models, many in a program, run on the least, the greatest and random inputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.model_file.malformed_worker import compiled_copy
from tests.plan.together import Variant, outputs_of
from tinyml_rules.ir.interface import Port
from tinyml_rules.lower.choice import Optimize

PER_PROGRAM = 24
MOST_MACS = 2**22
MOST_BYTES = 2**22
"""What an inference may need to be run: a shape in a small file may ask for more."""
SAMPLES = 3


def run_copies(copies: Mapping[int, bytes], folder: Path) -> int:
    """Compiles each, without a warning, and runs it under the sanitizers; returns how many were
    run.  Raises CalledProcessError for what a compiler or a sanitizer refuses."""
    variants = [variant for number, data in copies.items() if (variant := _variant(number, data))]
    for first in range(0, len(variants), PER_PROGRAM):
        some = variants[first : first + PER_PROGRAM]
        place = folder / some[0].name
        place.mkdir()
        outputs_of(some, place)
    return len(variants)


def _variant(number: int, data: bytes) -> Variant | None:
    """None for a model that takes too long."""
    compiled = compiled_copy(data, f"copy_{number}", Optimize.LAYERS)
    report, interface = compiled.report, compiled.interface
    ports = (*interface.inputs, *interface.outputs)
    most = max(report.arena_bytes, *(port.size_bytes for port in ports))
    if report.macs > MOST_MACS or most > MOST_BYTES:
        return None
    generator = np.random.default_rng(number)
    samples = [
        b"".join(_values(port, place, generator) for port in interface.inputs)
        for place in range(SAMPLES)
    ]
    return Variant(compiled, SAMPLES, b"".join(samples), b"")


def _values(port: Port, place: int, generator: np.random.Generator) -> bytes:
    dtype = port.dtype.numpy
    assert dtype is not None
    ends: tuple[float, float] = (-1e3, 1e3)
    if dtype.kind != "f":
        ends = (0, 1) if dtype.kind == "b" else port.dtype.limits
    if place < len(ends):
        return np.full(port.count, ends[place], dtype).tobytes()
    if dtype.kind in "fb":
        return generator.uniform(*ends, port.count).round().astype(dtype).tobytes()
    return generator.bytes(port.size_bytes)
