"""Comparisons of two tensors, elementwise: bools that are true where a relation holds.

`a > b` is `b < a`, so that GREATER and GREATER_EQUAL have the kernels of LESS and LESS_EQUAL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8
from tinyml_rules.ir.contract import Contract, Multiplier, Shift
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.broadcast import (
    EITHER,
    FIRST_AND_SECOND,
    SECOND,
    check_broadcast,
    constant_last,
    has_single_constants,
    inputs_of,
)
from tinyml_rules.ops._shared.operands import plain, value_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Oracle
from tinyml_rules.ops._shared.plain_values import plain_meaning
from tinyml_rules.ops._shared.quantization import FREE, SAME_OF_INT16
from tinyml_rules.ops._shared.quantized_values import QUANTIZED, pair_of, quantized_meaning
from tinyml_rules.ops._shared.value_kernels import Order

TYPES = (DType.INT32, DType.INT64, DType.FLOAT32)
IN_ORDER = {
    "first input": value_of(DType.INT16),
    "second input": value_of(DType.INT16, scale_of="first input"),
    "output": plain(DType.BOOL),
}
"""Operands of int16 that are compared as integers."""


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    first_multiplier: Multiplier
    second_multiplier: Multiplier
    first_shift: Shift
    second_shift: Shift
    first_zero_point: Int8
    second_zero_point: Int8


@dataclass(frozen=True)
class Compared(Variant):
    """Words of the function of quantized values."""

    operator: str
    """C operator between the values."""


@dataclass(frozen=True)
class Relation:
    """A C operator; `kernel` begins the names of its kernels, `order` is the order of their
    operands."""

    kernel: str
    operator: str
    order: Order = inputs_of
    constants: tuple[tuple[int, ...], ...] = EITHER
    is_equality: bool = False
    """Whether it takes bools, and int16 of any scales: LiteRT puts int16 in order by the integers
    alone, and so as real numbers if their scales are equal."""


def _swapped(view: NodeView) -> tuple[Tensor, ...]:
    return inputs_of(view)[::-1]


EQUAL = Relation("equal", "==", constant_last, SECOND, is_equality=True)
NOT_EQUAL = Relation("not_equal", "!=", constant_last, SECOND, is_equality=True)
LESS = Relation("less", "<")
LESS_EQUAL = Relation("less_equal", "<=")
GREATER = Relation("less", "<", _swapped)
GREATER_EQUAL = Relation("less_equal", "<=", _swapped)


def comparison(
    name: str, relation: Relation, oracle: Oracle, *, builtin_code: int, options_type: int
) -> Op:
    """The operator of a relation."""
    types = (*TYPES, DType.BOOL) if relation.is_equality else TYPES
    of_int16 = "with scales below 1" if relation.is_equality else "in one quantization"
    scaled = QUANTIZED if relation.is_equality else (DType.INT8,)
    unscaled = types if relation.is_equality else (DType.INT16, *types)
    plain_meanings = (
        plain_meaning(
            relation.kernel,
            dtype,
            f"first {relation.operator} second",
            oracle,
            result=DType.BOOL,
            constants=relation.constants,
            order=relation.order,
            operands=IN_ORDER if dtype is DType.INT16 else None,
        )
        for dtype in unscaled
    )
    return Op(
        name=name,
        builtin_code=builtin_code,
        options_type=options_type,
        inputs=FIRST_AND_SECOND,
        summary=f"int8 with scales below 1, int16 {of_int16}, {', '.join(types)}, to bool; "
        "broadcast up to 5 dimensions; either input constant",
        is_map=has_single_constants,
        quantization=FREE if relation.is_equality else SAME_OF_INT16,
        meanings=(
            *(_quantized_meaning(relation, dtype, oracle) for dtype in scaled),
            *plain_meanings,
        ),
    )


_REQUIRES = {
    DType.INT8: (),
    DType.INT16: ("first_zero_point == 0 && second_zero_point == 0",),
}
"""What contracts do."""


def _quantized_meaning(relation: Relation, dtype: DType, oracle: Oracle) -> Meaning:
    return quantized_meaning(
        f"{relation.kernel}_int8" if dtype is DType.INT8 else relation.kernel,
        dtype,
        "_shared/kernels/compared.c.j2",
        oracle,
        runtime=("rescale",),
        function=Compared(relation.operator),
        result=DType.BOOL,
        operands={**pair_of(dtype), "output": plain(DType.BOOL)},
        check=check,
        params_of=lambda view: params_of(relation.order(view)),
        order=relation.order,
        constants=relation.constants,
        contract=Contract(requires=_REQUIRES[dtype]),
    )


def check(view: NodeView) -> Iterator[str]:
    """Scales in the range of the reference's comparison; shapes that broadcast to the output's."""
    reference = "TFLM" if view["first input"].dtype is DType.INT8 else "LiteRT"
    for name in FIRST_AND_SECOND:
        if view[name].scale >= 1:
            yield (
                f"{name} tensor {view[name]} has scale {view[name].scale:g}, expected less than 1, "
                f"which {reference}'s comparisons are limited to"
            )
    yield from check_broadcast(view)


def params_of(operands: Sequence[Tensor]) -> Params:
    """`ComparisonsPrepare` of TFLM."""
    first, second = operands
    first_multiplier, first_shift = quantize_multiplier(first.scale)
    second_multiplier, second_shift = quantize_multiplier(second.scale)
    return Params(
        first_multiplier=first_multiplier,
        second_multiplier=second_multiplier,
        first_shift=first_shift,
        second_shift=second_shift,
        first_zero_point=first.zero_point,
        second_zero_point=second.zero_point,
    )
