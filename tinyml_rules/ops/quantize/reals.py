"""QUANTIZE of real numbers: its constants and its kernels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.c_struct import Float32, Int16
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops.quantize.op import OPERANDS, check, takes
from tinyml_rules.ops.quantize.oracle import oracle_from_real


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    scale: Float32
    zero_point: Int16


@dataclass(frozen=True)
class Result(Variant):
    """Words of the template."""

    target: str
    """C type of an output value."""
    limits: str
    """Of the output, without an ending: `INT8` for INT8_MIN and INT8_MAX."""
    number: str
    """C type that holds a value before it is clamped."""
    bound: str
    """C literal of a real number: an input / scale that is not below it is clamped."""


def of_reals(result: DType) -> Meaning:
    """QUANTIZE from float32 to an integer type."""
    _, greatest = result.limits
    kernel = Kernel(
        name=f"quantize_real_to_{result}",
        template=Path(__file__).parent / "kernels" / "from_real.c.j2",
        form=Form.POINTWISE,
        copies_unit=True,
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
        prepare=_prepare,
        kernels=(kernel,),
    )


def _prepare(view: NodeView) -> Work:
    """One unit is one value."""
    result = view.output
    return map_work(view, Params(scale=result.scale, zero_point=result.zero_point))
