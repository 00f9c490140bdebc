"""SPACE_TO_BATCH_ND: every n-th row and column becomes an image of its own.

Padding holds the output's zero point, as the 8-bit specification says; TFLM writes 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.blocks import block_operands, blocks_of, cells_of_blocks, check_blocks
from tinyml_rules.ops._shared.border import zero_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves


def check(view: NodeView) -> Iterator[str]:
    """The padded image has whole blocks, as many as the output."""
    wrong = list(check_blocks(view, "paddings"))
    yield from wrong
    if wrong:
        return
    padded, sizes = _padded(view), blocks_of(view).sizes
    if any(size % block for size, block in zip(padded, sizes, strict=True)):
        yield f"blocks of {list(sizes)} do not divide the padded image, {padded}"


def _padded(view: NodeView) -> list[int]:
    """Sizes of the image with its border."""
    sizes, border = view["input"].shape[1:-1], blocks_of(view).border
    return [size + sum(pair) for size, pair in zip(sizes, border, strict=True)]


def _result_shape(view: NodeView) -> tuple[int, ...]:
    shape, blocks = view["input"].shape, blocks_of(view)
    inner = (size // block for size, block in zip(_padded(view), blocks.sizes, strict=True))
    return (shape[0] * blocks.count, *inner, shape[-1])


OPERANDS = block_operands("paddings", _result_shape)


def layout(view: NodeView) -> Iterator[Place]:
    """Zeros where there is padding, then the image, block offset by block offset."""
    source, result, blocks = view["input"], view.output, blocks_of(view)
    if source.count < result.count:
        zero = np.full(1, zero_of(result), result.dtype.numpy)
        yield Place(result.index, (result.count,), (0,), (1,), values=zero)
    yield from cells_of_blocks(blocks, image=source, parts=result)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's padding, then its slices."""
    source, result = values[view["input"].index], view.output
    is_byte = result.dtype.size_bytes == 1 and result.quantization is not None
    pairs = [[0, 0], *values[view["paddings"].index].tolist(), [0, 0]]
    padded = np.pad(source, pairs, constant_values=result.zero_point if is_byte else 0)
    sizes = values[view["block shape"].index].tolist()
    parts = []
    for offset in np.ndindex(*sizes):
        cut = [slice(at, None, size) for at, size in zip(offset, sizes, strict=True)]
        parts.append(padded[(slice(None), *cut)])
    return np.concatenate(parts)


OP = Op(
    name="space_to_batch_nd",
    builtin_code=38,
    options_type=25,
    inputs=("input", "block shape", "paddings"),
    summary="any type; 3 or 4 dimensions; constant blocks and paddings",
    role=Role.LAYOUT,
    layout=layout,
    cut=blocks_of,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=4),
)
