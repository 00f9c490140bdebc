"""MIRROR_PAD: a border of the tensor's own elements, mirrored.

REFLECT does not repeat the first and the last element, SYMMETRIC does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared.border import BORDER, check_border, pads_of
from tinyml_rules.ops._shared.choosing import chosen
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import moves

REFLECT, SYMMETRIC = 0, 1
"""The schema's MirrorPadMode."""


@dataclass(frozen=True)
class Attrs:
    """MirrorPadOptions."""

    mode: int = option(0, "int8")

    @property
    def skipped(self) -> int:
        """Elements at either end that are not repeated."""
        return 1 if self.mode == REFLECT else 0


def check_options(view: NodeView) -> Iterator[str]:
    """The mode is REFLECT or SYMMETRIC."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.mode not in (REFLECT, SYMMETRIC):
        yield f"mode {attrs.mode}, expected {REFLECT} (REFLECT) or {SYMMETRIC} (SYMMETRIC)"


def check(view: NodeView) -> Iterator[str]:
    """The paddings are not longer than what is mirrored."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    wrong = list(check_border(view))
    yield from wrong
    if wrong:
        return
    for axis, (size, pair) in enumerate(zip(source.shape, pads_of(view), strict=True)):
        if max(pair) > size - attrs.skipped:
            yield (
                f"{max(pair)} cells beside dimension {axis} of input tensor {source}, "
                f"expected at most {size - attrs.skipped}"
            )


def layout(view: NodeView) -> tuple[Place, ...]:
    """Backwards, forwards and backwards along each dimension."""
    attrs, source = view.node.attrs, view["input"]
    assert isinstance(attrs, Attrs)
    lists = []
    for size, (before, after) in zip(source.shape, pads_of(view), strict=True):
        low, high = attrs.skipped, size - attrs.skipped
        backwards = range(low + before - 1, low - 1, -1), range(high - 1, high - 1 - after, -1)
        lists.append([*backwards[0], *range(size), *backwards[1]])
    return chosen(source, view.output, lists)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """numpy's own."""
    attrs, paddings = view.node.attrs, values[view["paddings"].index]
    assert isinstance(attrs, Attrs)
    mode = "symmetric" if attrs.mode == SYMMETRIC else "reflect"
    return np.pad(values[view["input"].index], paddings.tolist(), mode=mode)  # type: ignore[call-overload, no-any-return]


OP = Op(
    name="mirror_pad",
    builtin_code=100,
    options_type=77,
    attrs=Attrs,
    inputs=("input", "paddings"),
    options=check_options,
    summary="any type; constant paddings; REFLECT and SYMMETRIC",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=BORDER, check=check, oracle=oracle),),
    quantization=moves(int16_version=3),
)
