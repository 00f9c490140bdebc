"""REDUCE_PROD: the product of the values along some axes; integers wrap.

int8 and int16 are LiteRT's: after each factor the product is brought to a scale whose n-th power is
the output's, so that it stays small, and once more at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    Int64Array,
    multiply_by_16_bits,
    of_16_bits,
    quantize_multiplier,
)
from tinyml_rules.ir.c_struct import Int8, Int16
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.axes import check_axes
from tinyml_rules.ops._shared.in_numpy import over_axes
from tinyml_rules.ops._shared.operands import quantized
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.reduction import (
    Attrs,
    Totals,
    Walk,
    cells_of,
    kernel,
    reduced,
    walk_of,
)

_PLAIN = (DType.INT32, DType.INT64, DType.BOOL, DType.FLOAT32)
MOST_SHIFT = 7
"""The largest left shift of a product of 64 bits in LiteRT."""


@dataclass(frozen=True, eq=False)
class Params(Walk):
    """The same with the multiplier, of 15 bits, that follows each factor."""

    multiplier: Int16
    shift: Int8
    input_zero_point: Int8
    output_zero_point: Int8


def _shift_of(view: NodeView) -> tuple[int, int]:
    """(multiplier, shift): the input's scale divided by the n-th root of the output's."""
    root = view.output.scale ** (1.0 / cells_of(view))
    return quantize_multiplier(view["input"].scale / root)


def check(view: NodeView) -> Iterator[str]:
    """Axes of the input; a factor whose shift LiteRT has."""
    wrong = list(check_axes(view))
    yield from wrong
    if not wrong and _shift_of(view)[1] > MOST_SHIFT:
        output, scale = view.output, view["input"].scale
        yield (
            f"output tensor {output} has scale {output.scale:g}, too small for products of the "
            f"input's {scale:g}"
        )


def prepare(view: NodeView) -> Work:
    """One unit is one output."""
    multiplier, shift = _shift_of(view)
    params = Params(
        **vars(walk_of(view)),
        multiplier=min((multiplier + 2**15) >> 16, 2**15 - 1),
        shift=shift,
        input_zero_point=view["input"].zero_point,
        output_zero_point=view.output.zero_point,
    )
    return Work(params=params, inputs=(view["input"].index,), outputs=(view.output.index,))


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    dtype = values[view["input"].index].dtype
    return over_axes(view, values, np.multiply, start=dtype.type(1))


def oracle_of_quantized(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of int8 and int16; `QuantizedReduceProd` of LiteRT."""
    source, result = view["input"], view.output
    centred = values[source.index].astype(np.int64) - source.zero_point
    count = centred.size // result.count
    factor, shift = quantize_multiplier(source.scale / result.scale ** (1.0 / count))
    highest, seen = of_16_bits(factor), 0

    def times(total: Int64Array, each: Int64Array) -> Int64Array:
        nonlocal seen
        seen += 1
        return each if seen == 1 else multiply_by_16_bits(total * each, highest, shift)

    found = over_axes(view, {**values, source.index: centred}, times, start=np.int64(0))
    products = found.astype(np.int64)
    scaled = multiply_by_16_bits(products, highest, shift) + result.zero_point
    return np.asarray(np.clip(scaled, *result.dtype.limits), result.dtype.numpy)


_NONE = "INT64_MAX"
"""The total before the first factor, which is taken as it is."""
_FACTOR = "({value} - params->input_zero_point)"
_STEP = f"""if ({{total}} == {_NONE}) {{{{
                {{total}} = {_FACTOR};
            }}}} else {{{{
                {{total}} = (int32_t)(({{total}} * {_FACTOR} * params->multiplier
                    + ((int64_t)1 << (14 - params->shift))) >> (15 - params->shift));
            }}}}"""


def _meaning(dtype: DType) -> Meaning:
    """Of int8 or int16."""
    result = (
        "{p}requantize_int16_wide({total}, params->multiplier, params->shift,\n"
        f"            params->output_zero_point, {dtype.upper()}_MIN, {dtype.upper()}_MAX)"
    )
    totals = Totals(
        c_type="int64_t",
        start=_NONE,
        step=_STEP,
        result=result if dtype is DType.INT16 else f"(int8_t){result}",
    )
    name, runtime = f"reduce_prod_{dtype}", ("requantize_int16_wide",)
    centred = (DType.INT16,)
    return Meaning(
        operands=reduced(quantized(dtype, centred=centred), quantized(dtype, centred=centred)),
        check=check,
        oracle=oracle_of_quantized,
        prepare=prepare,
        kernels=(kernel(name, totals, element=dtype.c_type, runtime=runtime),),
        takes=lambda view: view["input"].dtype is dtype,
    )


def _totals(dtype: DType) -> Totals:
    """The product as it is; of truth values, whether all are true."""
    if dtype is DType.BOOL:
        return joined(dtype, "&&", start="true")
    return joined(dtype, "*", start="1")


OP = Op(
    name="reduce_prod",
    builtin_code=81,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int8, int16, int32, int64, bool, float32; any axes, constants; keep_dims",
    meanings=(
        *meanings("reduce_prod", _totals, oracle, _PLAIN),
        *map(_meaning, (DType.INT8, DType.INT16)),
    ),
)
