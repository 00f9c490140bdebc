"""Elementwise operators on unquantized values: integers that wrap, real numbers, bools.

Each operator brings an expression in C and a function in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.c_struct import Float32, Int32
from tinyml_rules.ir.contract import CLAMPED, CLAMPS, Contract
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.activated import activation_of, plain_bounds
from tinyml_rules.ops._shared.broadcast import (
    EITHER,
    FIRST_AND_SECOND,
    MOST_FILE_RANK,
    check_broadcast,
    inputs_of,
)
from tinyml_rules.ops._shared.operands import Operands, plain
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.value_kernels import Order, Values, value_meaning

MOST_SIMPLE_RANK = 4
"""Of the shapes that TFLM's `BroadcastBinaryFunction4DSlow` broadcasts."""


PROVED = (DType.INT8, DType.INT16)
"""Types for which expressions have contracts."""


@dataclass(frozen=True)
class WholeBounds:
    """Members of the C struct."""

    clamp_min: Int32
    clamp_max: Int32


@dataclass(frozen=True)
class RealBounds:
    """Members of the C struct."""

    clamp_min: Float32
    clamp_max: Float32


@dataclass(frozen=True)
class Expression(Variant):
    """Words of the function of values that is an expression."""

    expression: str
    """C expression of `first`, `second` and `third`; @ before the name of a piece that it calls."""


@dataclass(frozen=True)
class Named(Expression):
    """Words of the function with a fused activation."""

    called: str
    """C name of the result."""


def takes_type(dtype: DType, *, place: int = 0) -> Callable[[NodeView], bool]:
    """Whether an input, by default the first, has this type."""
    return lambda view: view.input(place).dtype is dtype


def plain_operands(
    dtype: DType, result: DType, names: Sequence[str] = FIRST_AND_SECOND
) -> Operands:
    """Inputs of one type, and an output."""
    return {**dict.fromkeys(names, plain(dtype)), "output": plain(result)}


def plain_meaning(
    name: str,
    dtype: DType,
    expression: str,
    oracle: Oracle,
    *,
    result: DType | None = None,
    constants: tuple[tuple[int, ...], ...] = EITHER,
    order: Order = inputs_of,
    most_rank: int = MOST_FILE_RANK,
    operands: Operands | None = None,
    calls: tuple[str, ...] = (),
    more: Callable[[NodeView], Iterable[str]] = lambda _view: (),
) -> Meaning:
    """The meaning for inputs of one type; `order` is the order in which kernels take them, `calls`
    the pieces of C that the expression calls, `more` has further checks."""
    gives = result or dtype

    def check(view: NodeView) -> Iterator[str]:
        yield from check_broadcast(view, most_rank=most_rank)
        yield from more(view)

    return value_meaning(
        f"{name}_{dtype}",
        expression_values(expression, (dtype, dtype), gives, calls=calls),
        oracle,
        takes=takes_type(dtype),
        operands=operands or plain_operands(dtype, gives),
        check=check,
        order=order,
        constants=constants,
    )


def expression_values(
    expression: str, operands: Sequence[DType], result: DType, *, calls: tuple[str, ...] = ()
) -> Values:
    """The function of values from a C expression of `first`, `second` and `third`."""
    return Values(
        "_shared/kernels/expression.c.j2",
        operands=tuple(each.c_type for each in operands),
        result=result.c_type,
        takes_params=False,
        runtime=calls,
        function=Expression(expression),
        contract=None if calls or operands[0] not in PROVED else Contract(),
    )


def wrapping(operator: str, dtype: DType = DType.INT32) -> str:
    """The C expression of an operator on two integers, as unsigned numbers, which wrap."""
    c_type = dtype.c_type
    return f"({c_type})((u{c_type})first {operator} (u{c_type})second)"


def unscaled(view: NodeView) -> Iterator[str]:
    """TFLM refuses plain integers that have a scale."""
    operands = zip((*inputs_of(view), view.output), (*FIRST_AND_SECOND, "output"), strict=True)
    for tensor, name in operands:
        if tensor.quantization is not None:
            yield f"{name} tensor {tensor} has a scale, which int32 is refused with"


def unactivated(view: NodeView) -> Iterator[str]:
    """There is no fused activation, because TFLM ignores it."""
    if activation_of(view) != Activation.NONE:
        number = activation_of(view)
        yield f"fused activation {number} of int32, which TFLM leaves out, expected NONE"


def _unclamped(view: NodeView) -> Iterator[str]:
    """There is no fused activation, whose bounds the params would have to hold in 64 bits."""
    if activation_of(view) != Activation.NONE:
        yield f"fused activation {activation_of(view)} of int64, expected NONE"


def long_meaning(
    name: str,
    operator: str,
    oracle: Oracle,
    *,
    constants: tuple[tuple[int, ...], ...] = EITHER,
    order: Order = inputs_of,
) -> Meaning:
    """The meaning for int64, which wraps, without an activation: LiteRT's alone."""
    return plain_meaning(
        name,
        DType.INT64,
        wrapping(operator, DType.INT64),
        oracle,
        constants=constants,
        order=order,
        more=_unclamped,
    )


def clamped_meaning(
    name: str,
    dtype: DType,
    expression: str,
    oracle: Oracle,
    *,
    called: str,
    constants: tuple[tuple[int, ...], ...] = EITHER,
    order: Order = inputs_of,
    more: Callable[[NodeView], Iterable[str]] = lambda _view: (),
) -> Meaning:
    """The meaning for int32 or float32 with a fused activation, which is in the attrs."""

    def check(view: NodeView) -> Iterator[str]:
        yield from check_broadcast(view)
        yield from more(view)

    values = Values(
        "_shared/kernels/clamped.c.j2",
        operands=(dtype.c_type, dtype.c_type),
        result=dtype.c_type,
        function=Named(expression, called),
        contract=None if dtype.is_real else Contract(requires=(CLAMPS,), result=CLAMPED),
    )
    return value_meaning(
        f"{name}_{dtype}",
        values,
        oracle,
        takes=takes_type(dtype),
        operands=plain_operands(dtype, dtype),
        check=check,
        params_of=_bounds,
        order=order,
        constants=constants,
    )


def _bounds(view: NodeView) -> WholeBounds | RealBounds:
    """The bounds of the fused activation."""
    low, high = plain_bounds(activation_of(view), view.output.dtype)
    if view.output.dtype.is_real:
        return RealBounds(low, high)
    return WholeBounds(int(low), int(high))
