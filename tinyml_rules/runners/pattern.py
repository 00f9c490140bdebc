"""The input of a run for which nobody gives one: the same bytes on every computer.

Values that look random find more than zeros do, and a run on them takes as long as a real one.  The
generator is written down so that firmware and other programs can make the same bytes in a line.
"""

from __future__ import annotations

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.interface import Interface, Port

MULTIPLIER, INCREMENT = 1664525, 1013904223  # Numerical Recipes' "quick and dirty" generator
SEED = 0x9E3779B9


def pattern(count: int) -> Array:
    """int8 values of shape (count,): x = x * MULTIPLIER + INCREMENT modulo 2^32 from x = SEED on,
    and of each x the highest byte, read as int8."""
    state = np.array([SEED * MULTIPLIER + INCREMENT & 0xFFFFFFFF], np.uint32)
    multiplier, increment = np.uint32(MULTIPLIER), np.uint32(INCREMENT)
    with np.errstate(over="ignore"):  # modulo 2^32 is what is meant
        while len(state) < count:  # as many again: so many steps at once
            state = np.concatenate([state, state * multiplier + increment])
            increment = increment * (multiplier + np.uint32(1))
            multiplier = multiplier * multiplier
    return (state[:count] >> np.uint32(24)).astype(np.uint8).view(np.int8)


def pattern_inputs(interface: Interface, *, samples: int = 1) -> dict[str, Array]:
    """{tensor: values as the model takes them, with a leading axis of samples}: sample after
    sample, each with all inputs in order, from one run of the generator."""
    widths = [port.size_bytes for port in interface.inputs]
    rows = pattern(samples * sum(widths)).reshape(samples, -1)
    columns = np.split(rows, np.cumsum(widths)[:-1], axis=1)
    inputs: dict[str, Array] = {}
    for port, column in zip(interface.inputs, columns, strict=True):
        values = _values(port, np.ascontiguousarray(column)).reshape(samples, *port.shape)
        inputs[port.tensor] = values
        if port.is_float_in_model:
            inputs[port.tensor] = dequantize_real(
                values.astype(np.int8), scale=port.scale, zero_point=port.zero_point
            )
    return inputs


def _values(port: Port, column: Array) -> Array:
    """The bytes as the port's values; of real numbers the quotient of an int32 by 2^31, and of
    truth the lowest bit, because not every pattern of bytes is one."""
    if port.dtype is DType.BOOL:
        return (column.view(np.uint8) & 1).astype(np.bool_)
    if port.dtype.is_real:
        return (column.view(np.int32) / np.float64(2**31)).astype(np.float32)
    assert port.dtype.numpy is not None
    return column.view(port.dtype.numpy)


def pattern_text(interface: Interface, *, samples: int = 1) -> str:
    """What was fed, in words."""
    count = samples * sum(port.size_bytes for port in interface.inputs)
    is_int8 = all(port.dtype is DType.INT8 for port in interface.inputs)
    return (
        f"{count:,} pseudo-random {'int8 values' if is_int8 else 'bytes'}, the top bytes of "
        f"x = {MULTIPLIER} x + {INCREMENT} mod 2^32 from x = {SEED:#x} on"
    )
