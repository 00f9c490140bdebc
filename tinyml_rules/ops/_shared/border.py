"""What PAD and PADV2 share: cells of one value around a tensor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared.channels import Channels, same_channels
from tinyml_rules.ops._shared.moves import run_of, slice_of
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, numbers
from tinyml_rules.ops._shared.operator import Pads


def check_border(view: NodeView) -> Iterator[str]:
    """The paddings are not negative."""
    if min(ints(view["paddings"])) < 0:
        yield f"paddings tensor {view['paddings']} has a negative number"


def _result_shape(view: NodeView) -> tuple[int, ...]:
    pairs = zip(view["input"].shape, pads_of(view), strict=True)
    return tuple(size + sum(pair) for size, pair in pairs)


BORDER = {
    "input": movable(),
    "paddings": numbers(DType.INT32, DType.INT64, shape=lambda view: (len(view["input"].shape), 2)),
    "output": alike("input", shape=_result_shape),
}
"""Operands; the constant paddings are [before, after] for each dimension."""


def pads_of(view: NodeView) -> Pads:
    """The cells before and after, along each dimension."""
    numbers_of_all = ints(view["paddings"])
    return tuple(zip(numbers_of_all[::2], numbers_of_all[1::2], strict=True))


def channels(view: NodeView) -> Channels | None:
    """Each channel on its own, if only rows and columns get a border."""
    return same_channels(view) if pads_of(view)[-1:] == ((0, 0),) else None


def zero_of(tensor: Tensor) -> int:
    """The value that means 0 in a tensor."""
    is_narrow = tensor.dtype in (DType.INT8, DType.UINT8)
    return tensor.zero_point if is_narrow and tensor.quantization is not None else 0


def border_places(view: NodeView, value: Tensor | None) -> Iterator[Place]:
    """The border, or all cells of the output if that takes fewer copies, then the input. `value`:
    the value of the border; None for the output's zero."""
    source, result = view["input"], view.output
    starts = [before for before, _ in pads_of(view)]
    core = slice_of(result, source, starts=starts).turned
    fill = Place(result.index, (1,), (0,), (1,))
    if value is None:
        fill = replace(fill, values=np.full(1, zero_of(result), result.dtype.numpy))
    else:
        fill = replace(fill, source=value.index)
    run = run_of(core)
    if source.count == result.count:
        bands: tuple[tuple[int, int], ...] = ()
    elif run is None:
        bands = ((0, result.count),)
    else:
        bands = ((0, core.target_offset), (core.target_offset + run, result.count))
    for begin, end in bands:
        if begin < end:
            yield replace(fill, shape=(end - begin,), target_offset=begin)
    yield core
