"""Bytes that look random and are the same on every computer: the input of runs and self tests.

Values that look random find more than zeros do, and a run on them takes as long as a real one.  The
generator is written down so that firmware and other programs can make the same bytes in a line.
"""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array

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


def values_of(dtype: DType, column: Array) -> Array:
    """Bytes as values of a type; of real numbers the quotient of an int32 by 2^31, and of truth the
    lowest bit, because not every pattern of bytes is one."""
    if dtype is DType.BOOL:
        return (column.view(np.uint8) & 1).astype(np.bool_)
    if dtype.is_real:
        return (column.view(np.int32) / np.float64(2**31)).astype(np.float32)
    assert dtype.numpy is not None
    return column.view(dtype.numpy)
