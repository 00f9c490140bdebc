"""What SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND share: an image, and the images of every n-th cell.

The cells of block offset o are image o of the blocks: those at o, o + block, o + 2 * block, ...
of the image with its border, which is what paddings add and crops take away.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import mul

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import Operands, ShapeOf, alike, movable, numbers
from tinyml_rules.ops._shared.operator import Blocks


def blocks_of(view: NodeView) -> Blocks:
    """Of a checked node."""
    border = ints(view.input(2))
    return Blocks(ints(view["block shape"]), tuple(zip(border[::2], border[1::2], strict=True)))


def block_operands(border: str, result: ShapeOf) -> Operands:
    """An image of [batch, height, channels] or [batch, height, width, channels], and constants;
    `border` is the name of what is around it."""
    return {
        "input": movable(ranks=range(3, 5)),
        "block shape": numbers(shape=lambda view: (len(view["input"].shape) - 2,)),
        border: numbers(shape=lambda view: (len(view["input"].shape) - 2, 2)),
        "output": alike("input", shape=result),
    }


def check_blocks(view: NodeView, border: str) -> Iterator[str]:
    """The block sizes are positive, and paddings or crops are not negative."""
    if min(ints(view["block shape"])) < 1:
        yield f"block shape tensor {view['block shape']} has a number below 1"
    if min(ints(view[border])) < 0:
        yield f"{border} tensor {view[border]} has a negative number"


def cells_of_blocks(blocks: Blocks, *, image: Tensor, parts: Tensor) -> Iterator[Place]:
    """Places from the image to its blocks, for each block offset that has cells inside it."""
    image_steps, parts_steps = dense_steps(image.shape), dense_steps(parts.shape)
    for number, offset in enumerate(np.ndindex(*blocks.sizes)):
        counts, image_offset = [], 0
        blocks_offset = number * image.shape[0] * parts_steps[0]
        spatial = zip(offset, blocks.sizes, blocks.border, strict=True)
        for dimension, (at, size, (before, _)) in enumerate(spatial, start=1):
            first = max(-((at - before) // size), 0)
            end = -((at - before - image.shape[dimension]) // size)
            counts.append(min(end, parts.shape[dimension]) - first)
            image_offset += (first * size + at - before) * image_steps[dimension]
            blocks_offset += first * parts_steps[dimension]
        if min(counts) > 0:
            yield Place(
                target=parts.index,
                shape=(image.shape[0], *counts, image.shape[-1]),
                source=image.index,
                source_offset=image_offset,
                source_steps=(image_steps[0], *map(mul, image_steps[1:-1], blocks.sizes), 1),
                target_offset=blocks_offset,
                target_steps=parts_steps,
            )
