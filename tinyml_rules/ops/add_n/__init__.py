"""ADD_N: the sum of two or more tensors of one shape.

TFLM begins the sum of int8 values at minus the zero point instead of 0, and so does this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    INT8_MAX,
    INT8_MIN,
    quantize_multiplier,
    requantize,
)
from tinyml_rules.ir.c_struct import Int8, NoParams
from tinyml_rules.ir.contract import Contract, Multiplier, Shift
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import has_single_constants, inputs_of, value_work
from tinyml_rules.ops._shared.operands import int8, real
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.value_kernels import Values, equal_shapes_kernel

MOST_INPUTS = 15
"""With more inputs the sum of int8 values, shifted left by 19 bits, can leave int32."""
RAISED_BITS = 19
"""A left shift by 20 bits and a multiplication by one half, which is exact."""


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Multiplier
    shift: Shift
    input_zero_point: Int8
    output_zero_point: Int8


def check_count(view: NodeView) -> Iterator[str]:
    """The number of inputs is in range."""
    if len(view.inputs) not in range(2, MOST_INPUTS + 1):
        yield f"{len(view.inputs)} inputs, expected 2 to {MOST_INPUTS}"


def check_quantized(view: NodeView) -> Iterator[str]:
    """All inputs have one quantization, as TFLM demands."""
    first, result = view.each("input")[0], view.output
    for tensor in view.each("input"):
        yield from constraints.quantized_as(tensor, "input", first, "first", tolerance=0, rule="")
    if 2 * first.scale >= 2.0 ** (RAISED_BITS + 1) * result.scale:
        yield f"output tensor {result} has a scale too small for the sum of its inputs"


def params_of(view: NodeView) -> Params:
    """`CalculateOpData` of TFLM."""
    first, result = view.each("input")[0], view.output
    multiplier, shift = quantize_multiplier(first.scale / (2**RAISED_BITS * result.scale))
    return Params(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=first.zero_point,
        output_zero_point=result.zero_point,
    )


def takes(dtype: DType, count: int) -> Callable[[NodeView], bool]:
    """Whether a node has so many inputs of a type; for the error messages, a single one counts as
    two, and too many as the most."""
    return lambda view: (
        view.each("input")[0].dtype is dtype and min(max(len(view.inputs), 2), MOST_INPUTS) == count
    )


def oracle_of_int8(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; a constant of one value is added to any number."""
    first, result = view.each("input")[0], view.output
    centred = [values[each.index].astype(np.int64) - first.zero_point for each in inputs_of(view)]
    return requantize(
        (reduce(np.add, centred) - first.zero_point) << 19,
        *quantize_multiplier(2 * first.scale / (2**20 * result.scale)),
        zero_point=result.zero_point,
        clamp_min=INT8_MIN,
        clamp_max=INT8_MAX,
    )


def oracle_of_float32(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor: one after the other."""
    found = np.zeros(view.output.shape, np.float32)
    for tensor in inputs_of(view):
        found = np.asarray(np.add(found, values[tensor.index]))
    return found


_TEMPLATE = "add_n/kernels/value.c.j2"
_COUNTS = range(2, MOST_INPUTS + 1)


def _int8(count: int) -> Meaning:
    values = Values(
        _TEMPLATE, operands=("int8_t",) * count, runtime=("requantize",), contract=Contract()
    )
    return Meaning(
        takes=takes(DType.INT8, count),
        operands={"input": int8(shape="output"), "output": int8()},
        check=check_quantized,
        oracle=oracle_of_int8,
        prepare=lambda view: value_work(view, inputs_of(view), params_of(view), constants=()),
        kernels=(equal_shapes_kernel(f"add_{count}", values),),
    )


def _float32(count: int) -> Meaning:
    values = Values(_TEMPLATE, operands=("float",) * count, result="float", takes_params=False)
    return Meaning(
        takes=takes(DType.FLOAT32, count),
        operands={"input": real(shape="output"), "output": real()},
        oracle=oracle_of_float32,
        prepare=lambda view: value_work(view, inputs_of(view), NoParams(), constants=()),
        kernels=(equal_shapes_kernel(f"add_{count}_float32", values),),
    )


OP = Op(
    name="add_n",
    builtin_code=106,
    options_type=82,
    inputs=("input+",),
    options=check_count,
    summary=f"int8 in one quantization, float32; 2 to {MOST_INPUTS} inputs of one shape",
    is_map=has_single_constants,
    meanings=(*map(_int8, _COUNTS), *map(_float32, _COUNTS)),
)
