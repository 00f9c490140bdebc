"""QUANTIZE of integers: its constants and its kernels.

From 8 bits to 8 bits it is a table where a tensor is large, and always from or to uint8.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.c_struct import Int8, Int16, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops.quantize.op import OPERANDS, check, takes
from tinyml_rules.ops.quantize.oracle import oracle

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    multiplier: Int32
    shift: Int8
    input_zero_point: Int16
    output_zero_point: Int16


@dataclass(frozen=True)
class Types(Variant):
    """Words of the template."""

    source: str
    """C type of an input value."""
    target: str
    """C type of an output value."""
    limits: str
    """Of the output, without an ending: `INT8` for INT8_MIN and INT8_MAX."""


def of_integers(source: DType, result: DType) -> Meaning:
    """QUANTIZE from one integer type to another."""
    return Meaning(
        takes=takes(source, result),
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=_prepare,
        kernels=_kernels(source, result),
    )


def _prepare(view: NodeView) -> Work:
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


def _kernels(source: DType, result: DType) -> tuple[Kernel, ...]:
    if DType.UINT8 in (source, result):
        return ()
    if (source, result) == (DType.INT8, DType.INT8):
        kernel = Kernel(
            name="quantize",
            template=_KERNELS / "portable.c.j2",
            form=Form.POINTWISE,
            is_in_place=True,
            runtime=("requantize",),
        )
        return (kernel,)
    kernel = Kernel(
        name=f"quantize_{source}_to_{result}",
        template=_KERNELS / "integers.c.j2",
        form=Form.POINTWISE,
        copies_unit=True,
        runtime=("rescale",),
        variant=Types(source.c_type, result.c_type, result.upper()),
    )
    return (kernel,)
