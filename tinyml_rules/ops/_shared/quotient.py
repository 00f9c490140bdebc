"""Division of plain numbers in numpy, and what may be wrong with a divisor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import NodeView

Numbers = npt.NDArray[Any]


def check_divisor(view: NodeView) -> Iterator[str]:
    """A constant divisor has no 0, at which TFLM and LiteRT stop."""
    divisor = view.input(1)
    if divisor.data is not None and not np.all(divisor.data):
        yield f"second input tensor {divisor} has a 0, by which integers cannot be divided"


def whole_quotient(first: Numbers, second: Numbers) -> Numbers:
    """int32, cut off towards zero as in C; by 0 it is 0."""
    dividend, divisor = first.astype(np.int64), second.astype(np.int64)
    size = np.abs(dividend) // np.maximum(np.abs(divisor), 1)
    return np.where(divisor == 0, 0, size * np.sign(dividend) * np.sign(divisor))
