"""SOFTMAX: exp(beta * x) divided by its sum along the last dimension."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops.softmax import int16
from tinyml_rules.ops.softmax.op import (
    REAL_OPERANDS,
    Attrs,
    check,
    check_real,
    contract_of,
    keeps_order,
    operands_of,
    prepare,
    prepare_real,
)
from tinyml_rules.ops.softmax.oracle import oracle, oracle_of_int16, oracle_of_real


@dataclass(frozen=True)
class Result(Variant):
    """Words of the template of int8 input."""

    target: str
    """C type of an output value."""
    bits: int
    """Of an output value: 8 or 16."""
    least: str
    """C name of the least output."""
    most: str
    """C name of the greatest output."""


def _meaning(result: DType) -> Meaning:
    def takes(view: NodeView) -> bool:
        return view.output.dtype is result and view["input"].dtype is not DType.INT16

    kernel = Kernel(
        name="softmax" if result is DType.INT8 else f"softmax_{result}",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.POINTWISE,
        is_in_place=result is DType.INT8,
        runtime=("reciprocal_of_one_plus", "rounding_high_multiply", "rounding_shift_right"),
        variant=Result(
            target=result.c_type,
            bits=result.bits,
            least=f"{result.upper()}_MIN",
            most=f"{result.upper()}_MAX",
        ),
        contract=contract_of(result),
    )
    return Meaning(
        operands_of(result), oracle, prepare, kernels=(kernel,), takes=takes, check=check
    )


OP = Op(
    name="softmax",
    builtin_code=25,
    options_type=9,
    attrs=Attrs,
    inputs=("input",),
    keeps_order=keeps_order,
    summary="int8 to int8 or int16, int16; output from 0 to 1; float32; any beta",
    meanings=(
        _meaning(DType.INT8),
        _meaning(DType.INT16),
        Meaning(
            takes=lambda view: view["input"].dtype is DType.INT16,
            operands=int16.OPERANDS,
            check=int16.check,
            oracle=oracle_of_int16,
            prepare=int16.prepare,
            kernels=(int16.KERNEL,),
        ),
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check_real,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="softmax_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("real_exp",),
                ),
            ),
        ),
    ),
    quantization=fixed(1 / 256, -128, int16_scale=1 / 32768),
)
