"""ADD: options, what may be wrong with a node, and its constants.

Both inputs are brought to a common scale, twice the larger one, 20 bits up; their sum is brought to
the output's scale.  An input that is a constant always comes second: the sum is symmetric.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range, quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int32
from tinyml_rules.ir.graph import Array, NodeView, Tensor
from tinyml_rules.ir.options import option
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.pointwise import row_of

LEFT_SHIFT = 20
MAX_RANK = 4


@dataclass(frozen=True)
class Attrs:
    activation: int = option(0, "int8")


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    first_multiplier: Int32
    second_multiplier: Int32
    output_multiplier: Int32
    first_shift: Int8
    second_shift: Int8
    output_shift: Int8
    first_zero_point: Int8
    second_zero_point: Int8
    output_zero_point: Int8
    clamp_min: Int8
    clamp_max: Int8


@dataclass(frozen=True, eq=False)
class BroadcastParams(Params):
    """The same with the output's four dimensions, and how far each input moves along each: 0
    along a dimension that it repeats."""

    dimensions: Array
    first_steps: Array
    second_steps: Array


@dataclass(frozen=True, eq=False)
class ConstantParams(BroadcastParams):
    """The same with the second input's values."""

    constant: Array


def check(view: NodeView) -> Iterator[str]:
    """int8; shapes that broadcast to the output's; one input at least is computed."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    first, second, result = view.input(0), view.input(1), view.output
    problems = [
        *constraints.quantized(first, "first input"),
        *constraints.quantized(second, "second input"),
        *constraints.quantized_activation(result, "output"),
    ]
    yield from problems
    yield from constraints.fused_activation(attrs.activation, result)
    try:
        expected = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        yield f"shapes {list(first.shape)} and {list(second.shape)} do not broadcast"
        return
    yield from constraints.shaped(result, tuple(expected))
    if len(expected) > MAX_RANK and first.shape != second.shape:
        yield f"broadcast over {len(expected)} dimensions, expected at most {MAX_RANK}"
    if not problems and not _scales_are_sane(view):
        yield f"output tensor {result} has a scale too small for the sum of its inputs"


def _scales_are_sane(view: NodeView) -> bool:
    """TFLM needs the sum's multiplier below 1."""
    return 2 * max(view.input(0).scale, view.input(1).scale) < 2.0**LEFT_SHIFT * view.output.scale


def operands(view: NodeView) -> tuple[Tensor, Tensor]:
    """The inputs, a constant one second."""
    first, second = view.input(0), view.input(1)
    return (second, first) if first.is_constant else (first, second)


def params_of(view: NodeView) -> Params | BroadcastParams | ConstantParams:
    """Everything that does not depend on the input's values; `AddPrepare` of TFLM."""
    first, second = operands(view)
    params = _scale_params(view)
    if first.shape == second.shape and not second.is_constant:
        return params
    broadcast = BroadcastParams(
        **vars(params),
        dimensions=_four(view.output.shape, first.shape == second.shape),
        first_steps=_steps(first, second),
        second_steps=_steps(second, first),
    )
    if not second.is_constant:
        return broadcast
    assert second.data is not None
    return ConstantParams(**vars(broadcast), constant=second.data)


def _scale_params(view: NodeView) -> Params:
    attrs, result = view.node.attrs, view.output
    assert isinstance(attrs, Attrs)
    first, second = operands(view)
    common = 2 * max(first.scale, second.scale)
    first_multiplier, first_shift = quantize_multiplier(first.scale / common)
    second_multiplier, second_shift = quantize_multiplier(second.scale / common)
    output_multiplier, output_shift = quantize_multiplier(common / (2**LEFT_SHIFT * result.scale))
    clamp_min, clamp_max = clamp_range(
        Activation(attrs.activation), scale=result.scale, zero_point=result.zero_point
    )
    return Params(
        first_multiplier=first_multiplier,
        second_multiplier=second_multiplier,
        output_multiplier=output_multiplier,
        first_shift=first_shift,
        second_shift=second_shift,
        output_shift=output_shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
        output_zero_point=result.zero_point,
        clamp_min=clamp_min,
        clamp_max=clamp_max,
    )


def _four(shape: tuple[int, ...], same: bool) -> Array:
    """The shape with exactly four dimensions; equal shapes need only one loop."""
    if same:
        return np.array([1, 1, 1, int(np.prod(shape, dtype=np.int64))], np.int32)
    return np.array((1,) * (MAX_RANK - len(shape)) + shape, np.int32)


def _steps(tensor: Tensor, other: Tensor) -> Array:
    """Elements to move along each of four dimensions; 0 along one that is repeated."""
    if tensor.shape == other.shape:
        return np.array([0, 0, 0, 1], np.int32)
    shape = (1,) * (MAX_RANK - len(tensor.shape)) + tensor.shape
    sizes = np.cumprod((1, *shape[:0:-1]))[::-1]
    return np.where(np.array(shape) == 1, 0, sizes).astype(np.int32)


def prepare(view: NodeView) -> Work:
    """One unit is one value; with broadcasting the whole tensor at once."""
    params = params_of(view)
    return Work(
        params=params,
        inputs=tuple(tensor.index for tensor in operands(view) if not tensor.is_constant),
        outputs=(view.output.index,),
        units=view.output.count,
        chunk=row_of(view.output.shape),
    )
