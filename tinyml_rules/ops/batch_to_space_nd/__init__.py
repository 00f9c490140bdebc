"""BATCH_TO_SPACE_ND: each image of the batch becomes every n-th row and column of one image."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.blocks import block_operands, blocks_of, cells_of_blocks, check_blocks
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves


def check(view: NodeView) -> Iterator[str]:
    """The batch is a whole number of sets of images."""
    wrong = list(check_blocks(view, "crops"))
    yield from wrong
    images = view["input"].shape[0]
    if not wrong and images % blocks_of(view).count:
        yield f"{images} images, expected a multiple of {blocks_of(view).count}"


def _result_shape(view: NodeView) -> tuple[int, ...]:
    shape, blocks = view["input"].shape, blocks_of(view)
    rows = zip(shape[1:-1], blocks.sizes, blocks.border, strict=True)
    inner = (size * block - sum(pair) for size, block, pair in rows)
    return (shape[0] // blocks.count, *inner, shape[-1])


OPERANDS = block_operands("crops", _result_shape)


def layout(view: NodeView) -> Iterator[Place]:
    """Block offset by block offset."""
    source, result = view["input"], view.output
    for place in cells_of_blocks(blocks_of(view), image=result, parts=source):
        yield place.turned


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Every image becomes a slice of a larger one, which is then cropped."""
    source = values[view["input"].index]
    sizes = values[view["block shape"].index].tolist()
    parts = np.split(source, int(np.prod(sizes)))
    inner = [size * block for size, block in zip(source.shape[1:-1], sizes, strict=True)]
    whole = np.zeros((len(parts[0]), *inner, source.shape[-1]), source.dtype)
    for part, offset in zip(parts, np.ndindex(*sizes), strict=True):
        cut = [slice(at, None, size) for at, size in zip(offset, sizes, strict=True)]
        whole[(slice(None), *cut)] = part
    pairs = values[view["crops"].index].tolist()
    kept = [slice(first, size - last) for (first, last), size in zip(pairs, inner, strict=True)]
    return np.ascontiguousarray(whole[(slice(None), *kept)])


OP = Op(
    name="batch_to_space_nd",
    builtin_code=37,
    options_type=24,
    inputs=("input", "block shape", "crops"),
    summary="any type; 3 or 4 dimensions; constant blocks and crops",
    role=Role.LAYOUT,
    layout=layout,
    joined=blocks_of,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=moves(int16_version=4),
)
