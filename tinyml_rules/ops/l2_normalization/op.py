"""L2_NORMALIZATION: options, what may be wrong with a node, and its constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.c_struct import Int, Int8
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import int8, real

OUTPUT_SCALE = 1 / 128
RANKS = range(1, 5)
MOST_DEPTH = 2**15
"""Each square is below 2^16, and int32 holds their sum."""


@dataclass(frozen=True)
class Attrs:
    activation: int = option(0, "int8")


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    depth: Int
    zero_point: Int8


OPERANDS = {
    "input": int8(ranks=RANKS),
    "output": int8(shape="input", fixed=(OUTPUT_SCALE, 0)),
}
REAL_OPERANDS = {"input": real(ranks=RANKS), "output": real(shape="input")}


def check_options(view: NodeView) -> Iterator[str]:
    """No fused activation."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    if attrs.activation != Activation.NONE:
        yield f"fused activation {attrs.activation}, expected none"


def check(view: NodeView) -> Iterator[str]:
    """A sum of squares that int32 holds."""
    yield from constraints.depth(view["input"], most=MOST_DEPTH)


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    source = view["input"]
    depth = source.shape[-1]
    return Work(
        params=Params(depth=depth, zero_point=source.zero_point),
        inputs=(source.index,),
        outputs=(view.output.index,),
        units=source.count // depth,
    )
