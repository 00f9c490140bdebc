"""QUANTIZE: real numbers to an integer type, or integers to another type or quantization.

From 8 bits to 8 bits it is a table if a tensor is large, and always from or to uint8.  At the end
of a model the pass `partition_conversions` cuts the node off and leaves it to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import (
    multiply_by_quantized_multiplier,
    quantize_multiplier,
    quantize_real,
)
from tinyml_rules.ir.c_struct import Float32, Int16
from tinyml_rules.ir.contract import AnyShift, Multiplier, each_value
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import Operand
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.pointwise import map_work

RESULTS = {
    DType.FLOAT32: (DType.INT8, DType.INT16),
    DType.INT8: (DType.INT8, DType.UINT8, DType.INT16, DType.INT32),
    DType.UINT8: (DType.INT8,),
    DType.INT16: (DType.INT8, DType.INT16, DType.INT32),
    DType.INT32: (DType.INT8, DType.INT16),
}
"""The output types that TFLM's `EvalQuantizeReference` has for each input type."""
PAIRS = tuple((source, result) for source, results in RESULTS.items() for result in results)


def takes(source: DType, result: DType) -> Callable[[NodeView], bool]:
    """Whether a node has these types."""
    return lambda view: view.output.dtype is result and view["input"].dtype is source


_SCALED = tuple(dtype for dtype in RESULTS if not dtype.is_real)
OPERANDS = {
    "input": Operand(types=tuple(RESULTS), scaled=_SCALED, centred=(DType.INT32,)),
    "output": Operand(scaled=_SCALED, centred=(DType.INT32,), shape="input"),
}
"""The zero point of int32 is 0, because a difference from another one can leave int32."""


def check(view: NodeView) -> Iterator[str]:
    """The output has one of the types that TFLM makes of the input's."""
    source, result = view["input"], view.output
    wrong = list(constraints.typed(result, "output", *RESULTS[source.dtype]))
    yield from wrong
    if not wrong and not source.dtype.is_real:
        yield from constraints.rescaling(source, result)


def oracle_from_real(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source, result = view["input"], view.output
    real = values[source.index].astype(np.float32)
    return quantize_real(
        real, scale=result.scale, zero_point=result.zero_point, dtype=str(result.dtype)
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor; `Requantize` of TFLM."""
    source, result = view["input"], view.output
    distances = values[source.index].astype(np.int64) - source.zero_point
    factor = quantize_multiplier(source.scale / result.scale)
    moved = multiply_by_quantized_multiplier(distances, *factor) + result.zero_point
    return np.clip(moved, *result.dtype.limits).astype(result.dtype.numpy)


_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Multiplier
    shift: AnyShift
    input_zero_point: Int16
    output_zero_point: Int16


_REQUIRES = {
    DType.INT8: "-128 <= input_zero_point <= 127 && shift <= 23",
    DType.INT16: "input_zero_point == 0 && shift <= 15",
    DType.INT32: "input_zero_point == 0 && shift <= 0",
}
"""What contracts do, by the type of the input."""


@dataclass(frozen=True)
class Types(Variant):
    """Words of the template."""

    source: str
    """C type of an input value."""
    target: str
    """C type of an output value."""
    limits: str
    """Prefix of the output's limits: `INT8` for INT8_MIN and INT8_MAX."""


def of_integers(source: DType, result: DType) -> Meaning:
    """QUANTIZE from one integer type to another."""
    return Meaning(
        takes=takes(source, result),
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=_prepare_integers,
        kernels=_integer_kernels(source, result),
    )


def _prepare_integers(view: NodeView) -> Work:
    """One unit is one value; `PrepareQuantizeReference` of TFLM: the quotient of the scales in
    double."""
    source, result = view["input"], view.output
    multiplier, shift = quantize_multiplier(source.scale / result.scale)
    params = Params(
        multiplier=multiplier,
        shift=shift,
        input_zero_point=source.zero_point,
        output_zero_point=result.zero_point,
    )
    return map_work(view, params)


def _integer_kernels(source: DType, result: DType) -> tuple[Kernel, ...]:
    if DType.UINT8 in (source, result):
        return ()
    if (source, result) == (DType.INT8, DType.INT8):
        kernel = Kernel(
            name="quantize",
            template=_KERNELS / "portable.c.j2",
            form=Form.POINTWISE,
            is_in_place=True,
            runtime=("requantize",),
            contract=each_value(requires=(_REQUIRES[source],)),
        )
        return (kernel,)
    kernel = Kernel(
        name=f"quantize_{source}_to_{result}",
        template=_KERNELS / "integers.c.j2",
        form=Form.POINTWISE,
        copies_unit=True,
        runtime=("rescale",),
        variant=Types(source.c_type, result.c_type, result.upper()),
        contract=each_value(requires=(_REQUIRES[source],)),
    )
    return (kernel,)


@dataclass(frozen=True)
class RealParams:
    """Members of the C struct for real numbers."""

    scale: Float32
    zero_point: Int16


@dataclass(frozen=True)
class Result(Variant):
    """Words of the template."""

    target: str
    """C type of an output value."""
    limits: str
    """Prefix of the output's limits: `INT8` for INT8_MIN and INT8_MAX."""
    number: str
    """C type that holds a value before it is clamped."""
    bound: str
    """C literal of a real number: input / scale is clamped unless it is below."""


def of_reals(result: DType) -> Meaning:
    """QUANTIZE from float32 to an integer type."""
    _, greatest = result.limits
    kernel = Kernel(
        name=f"quantize_real_to_{result}",
        template=_KERNELS / "from_real.c.j2",
        form=Form.POINTWISE,
        copies_unit=True,
        contract=each_value(),
        variant=Result(
            target=result.c_type,
            limits=result.upper(),
            number="int" if result.bits == 8 else "int32_t",
            bound=f"{2 * (greatest + 1)}.0f",
        ),
    )
    return Meaning(
        takes=takes(DType.FLOAT32, result),
        operands=OPERANDS,
        check=check,
        oracle=oracle_from_real,
        prepare=_prepare_reals,
        kernels=(kernel,),
    )


def _prepare_reals(view: NodeView) -> Work:
    """One unit is one value."""
    result = view.output
    return map_work(view, RealParams(scale=result.scale, zero_point=result.zero_point))


OP = Op(
    name="quantize",
    builtin_code=114,
    options_type=89,
    inputs=("input",),
    summary="float32 to int8, int16 (the caller's at a model input); int8 to int8, uint8, int16, "
    "int32; uint8 to int8; int16 to int8, int16, int32; int32 to int8, int16",
    role=Role.CONVERSION,
    is_map=lambda _view: True,
    meanings=tuple(
        of_reals(result) if source.is_real else of_integers(source, result)
        for source, result in PAIRS
    ),
)
