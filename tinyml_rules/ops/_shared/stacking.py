"""What PACK and UNPACK share: tensors of one shape, and one that has them along an additional
axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.moves import dense_steps, part
from tinyml_rules.ops._shared.moving import check_axis, plain_axis


@dataclass(frozen=True)
class StackAttrs:
    """PackOptions and UnpackOptions."""

    count: int = option(0, "int32")
    axis: int = option(1, "int32")


def check_stack(view: NodeView, *, whole: Tensor, parts: Sequence[Tensor]) -> Iterator[str]:
    """The parts have the shape of the whole without the axis, whose size is their number."""
    attrs = view.node.attrs
    assert isinstance(attrs, StackAttrs)
    if attrs.count != len(parts):
        yield f"{len(parts)} tensors, but the options say {attrs.count}"
    wrong = list(check_axis(attrs.axis, len(whole.shape)))
    yield from wrong
    if wrong:
        return
    axis = _axis(view, whole)
    if whole.shape[axis] != len(parts):
        size = whole.shape[axis]
        yield f"tensor {whole} has {size} in dimension {axis}, expected {len(parts)}"
    expected = (*whole.shape[:axis], *whole.shape[axis + 1 :])
    for tensor in dict.fromkeys(parts):
        if tensor.shape != expected:
            yield f"tensor {tensor} has shape {list(tensor.shape)}, expected {list(expected)}"


def _axis(view: NodeView, whole: Tensor) -> int:
    attrs = view.node.attrs
    assert isinstance(attrs, StackAttrs)
    return plain_axis(attrs.axis, len(whole.shape))


def stack_places(view: NodeView, *, whole: Tensor, parts: Sequence[Tensor]) -> Iterator[Place]:
    """Each part, as a slice along the axis of the whole."""
    axis, steps = _axis(view, whole), dense_steps(whole.shape)
    other_steps = (*steps[:axis], *steps[axis + 1 :])
    for number, each in enumerate(parts):
        yield part(whole, each, offset=number * steps[axis], steps=other_steps)
