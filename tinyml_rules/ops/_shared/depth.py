"""What SPACE_TO_DEPTH and DEPTH_TO_SPACE share: an image, and one with blocks of it as channels.

A pixel of the deep image has the pixels of its block one after the other, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.moves import dense_steps
from tinyml_rules.ops._shared.operands import alike, movable
from tinyml_rules.ops._shared.spatial import RANK


@dataclass(frozen=True)
class BlockAttrs:
    """SpaceToDepthOptions and DepthToSpaceOptions."""

    size: int = option(0, "int32")


DEPTH = {
    "input": movable(ranks=range(RANK, RANK + 1)),
    "output": alike("input", ranks=range(RANK, RANK + 1)),
}


def check_options(view: NodeView) -> Iterator[str]:
    """The block size is positive."""
    attrs = view.node.attrs
    assert isinstance(attrs, BlockAttrs)
    if attrs.size < 1:
        yield f"block size {attrs.size}, expected 1 or more"


def check_depth(view: NodeView, *, flat: Tensor, deep: Tensor) -> Iterator[str]:
    """Both images have the same number of values, and a pixel of the one is a whole block of pixels
    of the other."""
    attrs = view.node.attrs
    assert isinstance(attrs, BlockAttrs)
    (batches, height, width, channels), size = flat.shape, attrs.size
    if height % size or width % size:
        yield f"blocks of {size} do not divide tensor {flat}, [{height}, {width}]"
        return
    expected = (batches, height // size, width // size, channels * size**2)
    role = "output" if deep is view.output else "input"
    yield from constraints.shaped(deep, expected, role=role)


def depth_place(view: NodeView, *, flat: Tensor, deep: Tensor) -> Place:
    """The place of the image in the deep one: rows and columns of blocks, then those within a
    block."""
    attrs = view.node.attrs
    assert isinstance(attrs, BlockAttrs)
    size, channels = attrs.size, flat.shape[-1]
    images, rows, columns, _ = deep.shape
    image, row, column, _ = dense_steps(flat.shape)
    shape = (images, rows, columns, size, size, channels)
    return Place(
        target=deep.index,
        shape=shape,
        source=flat.index,
        source_steps=(image, size * row, size * column, row, column, 1),
        target_steps=dense_steps(shape),
    )
