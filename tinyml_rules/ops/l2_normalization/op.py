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
from tinyml_rules.ops._shared.real_maps import check_reals

OUTPUT_SCALE = 1 / 128
MOST_RANK = 4
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


def check(view: NodeView) -> Iterator[str]:
    """int8; the output's scale is 1/128 and its zero point 0; no fused activation."""
    source, result = view.input(0), view.output
    problems = [
        *constraints.quantized(source, "input"),
        *constraints.quantized(result, "output"),
    ]
    yield from problems
    if not problems:
        yield from constraints.fixed_quantization(result, scale=OUTPUT_SCALE, zero_point=0)
    yield from constraints.shaped(result, source.shape)
    yield from _check_rest(view)
    if source.shape and source.shape[-1] > MOST_DEPTH:
        yield (
            f"input tensor {source} has {source.shape[-1]} values along the last dimension, "
            f"expected at most {MOST_DEPTH}"
        )


def check_real(view: NodeView) -> Iterator[str]:
    """float32; no fused activation."""
    yield from check_reals(view)
    yield from _check_rest(view)


def _check_rest(view: NodeView) -> Iterator[str]:
    attrs, source = view.node.attrs, view.input(0)
    assert isinstance(attrs, Attrs)
    if attrs.activation != Activation.NONE:
        yield f"fused activation {attrs.activation}, expected none"
    if len(source.shape) not in range(1, MOST_RANK + 1):
        yield f"input tensor {source} has {len(source.shape)} dimensions, expected 1 to {MOST_RANK}"


def prepare(view: NodeView) -> Work:
    """One unit is one vector of the last dimension."""
    source = view.input(0)
    depth = source.shape[-1]
    return Work(
        params=Params(depth=depth, zero_point=source.zero_point),
        inputs=(source.index,),
        outputs=(view.output.index,),
        units=source.count // depth,
    )
