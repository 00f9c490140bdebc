"""How far a step's output may run into an input that nobody reads again.

Worked out from the kernel's form alone: a walk from the first unit (or row) to the last writes
behind what it still reads, so the output may lie below its input; a walk the other way round above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ir.program import Form, Step, Window


@dataclass(frozen=True)
class Overlap:
    """The least distances in bytes at which nothing is overwritten before its last use.

    ascending: from the output's first byte up to the input's; descending: from the input's up to
    the output's.  None: that walk allows no overlap.
    """

    ascending: int | None = None
    descending: int | None = None


def overlap_of(step: Step, source: Tensor, result: Tensor) -> Overlap:
    """The distances for one input of a step; tensors are int8, so elements are bytes."""
    if step.kernel.form is Form.POINTWISE and source.count % step.units == 0:
        return _pointwise(step, source.count // step.units, result.count // step.units)
    if step.kernel.form is Form.WINDOW and step.window is not None and step.window.batches == 1:
        return _window(step.window)
    return Overlap()


def _pointwise(step: Step, input_bytes: int, output_bytes: int) -> Overlap:
    """Unit i of the input is read while unit i of the output is written.

    Written ends are linear in i, so the first and the last unit decide.  Descending is done in
    chunks of `step.chunk` units, each from its first unit to its last.
    """
    last = step.units - 1
    # a kernel that reads each value before it writes the one at its place may cover its own unit
    own = input_bytes if step.kernel.is_in_place and input_bytes == output_bytes else 0
    ascending = max(output_bytes - own, (last + 1) * output_bytes - last * input_bytes - own, 0)
    chunks = step.units // step.chunk
    chunk_in, chunk_out = input_bytes * step.chunk, output_bytes * step.chunk
    descending = max(chunk_in, chunks * chunk_in - (chunks - 1) * chunk_out)
    return Overlap(ascending, descending)


def _window(window: Window) -> Overlap:
    """Output row y is written while its input rows are read."""
    y = np.arange(window.output_rows)
    top = y * window.stride - window.pad_top
    bottom = np.minimum(top + (window.height - 1) * window.dilation + 1, window.input_rows)
    begin, end = y * window.output_row_bytes, (y + 1) * window.output_row_bytes
    ascending = end - np.maximum(top, 0) * window.input_row_bytes
    descending = bottom * window.input_row_bytes - begin
    return Overlap(max(int(ascending.max()), 0), max(int(descending.max()), 0))
