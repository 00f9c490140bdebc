"""SUM: the sum of the values along some axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared import quantized_sums
from tinyml_rules.ops._shared.in_numpy import over_axes, requantized_sums, sums_over_axes
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.plain_reduction import joined, meanings
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.reduction import Attrs, Totals, channels


def multiplier_of(view: NodeView, _cells: int) -> tuple[int, int]:
    """(multiplier, shift): the quotient of the scales in double."""
    return quantize_multiplier(view["input"].scale / view.output.scale)


_IN_LITERT = {
    DType.INT8: "which LiteRT's reference kernel takes for uint8",
    DType.INT16: "of which LiteRT's reference kernel gives other numbers than sums",
}


def not_of_litert(meaning: Meaning) -> Meaning:
    """The meaning of int8 and int16 for TFLM alone: what LiteRT's reference kernel gives is
    useless."""

    def check(view: NodeView) -> Iterator[str]:
        yield from meaning.check(view)
        source = view["input"]
        if view.reference is RoundingReference.LITERT and source.dtype in _IN_LITERT:
            yield (
                f"input tensor {source} is {source.dtype}, {_IN_LITERT[source.dtype]}, "
                "supported only with rounding=tflm"
            )

    return replace(meaning, check=check)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output
    sums, _ = sums_over_axes(view, values[source.index], values[view["axis"].index])
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    return requantized_sums(view, sums, multiplier=multiplier, shift=shift)


def oracle_of_plain(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The same of unquantized values; integers wrap."""
    dtype = values[view["input"].index].dtype
    return over_axes(view, values, np.add, start=dtype.type(0))


def plain_totals(dtype: DType) -> Totals:
    """The sum as it is; of truth values, whether any is true, as LiteRT adds them."""
    if dtype is DType.BOOL:
        return joined(dtype, "||", start="false")
    return joined(dtype, "+", start="0")


OP = Op(
    name="sum",
    builtin_code=74,
    options_type=27,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int8, uint8, int16, int32, int64, bool, float32; any axes, constants; keep_dims",
    channels=channels,
    meanings=(
        *map(not_of_litert, quantized_sums.meanings("sum", multiplier_of, oracle)),
        *meanings(
            "sum",
            plain_totals,
            oracle_of_plain,
            (DType.INT32, DType.INT64, DType.BOOL, DType.FLOAT32),
        ),
    ),
    quantization=FREE,
)
