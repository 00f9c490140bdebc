"""The default input of a run: the same bytes on every computer."""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.arithmetic.pseudo_random import (
    pattern,
    values_of,
)
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface


def pattern_inputs(interface: Interface, *, samples: int = 1) -> dict[str, Array]:
    """{tensor: values as the model takes them, with a leading axis of samples}: sample after
    sample, each with all inputs in order, from one run of the generator."""
    widths = [port.size_bytes for port in interface.inputs]
    rows = pattern(samples * sum(widths)).reshape(samples, -1)
    columns = np.split(rows, np.cumsum(widths)[:-1], axis=1)
    inputs: dict[str, Array] = {}
    for port, column in zip(interface.inputs, columns, strict=True):
        values = values_of(port.dtype, np.ascontiguousarray(column)).reshape(samples, *port.shape)
        inputs[port.tensor] = values
        if port.is_float_in_model:
            inputs[port.tensor] = dequantize_real(
                values, scale=port.scale, zero_point=port.zero_point
            )
    return inputs


def pattern_text(interface: Interface, *, samples: int = 1) -> str:
    """A text that describes the input."""
    count = samples * sum(port.size_bytes for port in interface.inputs)
    is_int8 = all(port.dtype is DType.INT8 for port in interface.inputs)
    unit = "int8 value" if is_int8 else "byte"
    return f"{count:,} pseudo-random {unit}{'' if count == 1 else 's'} (fixed seed)"
