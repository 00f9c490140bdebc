"""What `run` shows of a model: inputs that its model.toml names, and a line for each result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from models.samples import BITMAP_SUFFIX, real_inputs, sample_input
from models.zoo import Demo
from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.overview.text import field
from tinyml_rules.runners.outputs import output_lines
from tinyml_rules.runners.pattern import pattern_inputs, pattern_text

RANDOM_SAMPLES = 4


def demo_inputs(demo: Demo, files: Sequence[Path], interface: Interface) -> dict[str, Array]:
    """{tensor: samples}: the real values, else the bitmaps, else the fixed pattern."""
    port = interface.inputs[0]
    bitmaps = [path for path in files if path.suffix == BITMAP_SUFFIX]
    if len(interface.inputs) == 1 and demo.values:
        return {port.tensor: _as_model_takes(real_inputs(demo.values, port), port)}
    if len(interface.inputs) == 1 and bitmaps:
        images = np.stack([sample_input(path, port) for path in bitmaps])
        return {port.tensor: _as_model_takes(images, port)}
    return pattern_inputs(interface, samples=RANDOM_SAMPLES)


def _as_model_takes(values: Array, port: Port) -> Array:
    quantized = values.astype(np.int8)
    if port.is_float_in_model:
        return dequantize_real(quantized, scale=port.scale, zero_point=port.zero_point)
    return quantized


def demo_lines(demo: Demo, interface: Interface, outputs: Mapping[str, Array]) -> Iterator[str]:
    """What a person wants to see of the outputs: values beside the reference, or labels; all there
    is where nothing is known of the model."""
    if demo == Demo():
        yield from field("input", pattern_text(interface, samples=RANDOM_SAMPLES))
        yield from output_lines(interface, outputs)
        return
    port = interface.outputs[0]
    values = outputs[port.tensor]
    real = values
    if not port.is_float_in_model:
        real = dequantize_real(values.astype(np.int8), scale=port.scale, zero_point=port.zero_point)
    rows = real.reshape(len(real), -1).astype(np.float64)
    if demo.values and demo.reference:
        yield from _beside_reference(demo, rows[:, 0])
        return
    names = [sample.label for sample in demo.samples if sample.file.name.endswith(BITMAP_SUFFIX)]
    for number, row in enumerate(rows):
        best = int(row.argmax())
        label = demo.labels[best] if best < len(demo.labels) else f"output {best}"
        fed = names[number] if number < len(names) else f"random input {number}"
        yield f"  {fed:16} -> {label} ({row[best]:.3f})"


def _beside_reference(demo: Demo, results: Array) -> Iterator[str]:
    reference = getattr(math, demo.reference)
    yield f"  {'x':>6}  {'model':>8}  {demo.reference + '(x)':>8}  {'error':>8}"
    for x, y in zip(demo.values, results.tolist(), strict=True):
        yield f"  {x:6.3f}  {y:8.4f}  {reference(x):8.4f}  {y - reference(x):8.4f}"
