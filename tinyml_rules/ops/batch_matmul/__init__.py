"""BATCH_MATMUL: products of matrices, either of which may be computed."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops.batch_matmul import float32, int16
from tinyml_rules.ops.batch_matmul.op import (
    OPERANDS,
    REAL_OPERANDS,
    Attrs,
    Params,
    check,
    macs,
    prepare,
    with_constant,
)
from tinyml_rules.ops.batch_matmul.oracle import oracle, oracle_of_int16, oracle_of_real


@dataclass(frozen=True, kw_only=True)
class Walk(Variant):
    """Words of the template."""

    is_constant: bool
    """Whether one of the matrices is a member of the params."""
    gathers: bool
    """Whether the values of a vector lie apart, and are copied side by side."""
    is_strided: bool
    """Whether those of a row lie apart, too."""


def _kernel(
    name: str, *, is_constant: bool, gathers: bool, is_strided: bool = False
) -> Kernel[Params]:
    """`gathers`: the values of a vector lie apart, and are copied side by side; `is_strided`:
    those of a row do, too."""

    dot_product = "dot_product" if is_constant else "ram_dot_product"
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "batch_matmul.c.j2",
        form=Form.WHOLE,
        can=(
            with_constant(is_constant=is_constant),
            Condition(
                lambda params: params.gathers == gathers,
                f"the values of a vector lie {'side by side' if gathers else 'apart'}",
            ),
            Condition(
                lambda params: params.is_strided == is_strided,
                f"the values of a row lie {'side by side' if is_strided else 'apart'}",
            ),
        ),
        runtime=(*((dot_product,) if not is_strided else ()), "requantize"),
        variant=Walk(is_constant=is_constant, gathers=gathers, is_strided=is_strided),
    )


OP = Op(
    name="batch_matmul",
    builtin_code=126,
    options_type=101,
    attrs=Attrs,
    inputs=("first input", "second input"),
    summary="int8, int16, float32; 2 to 5 dimensions, batches broadcast; inputs transposed, "
    "or constant",
    macs=macs,
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=float32.prepare,
            kernels=float32.KERNELS,
        ),
        Meaning(
            takes=lambda view: view["first input"].dtype is DType.INT16,
            operands=int16.OPERANDS,
            check=int16.check,
            oracle=oracle_of_int16,
            prepare=int16.prepare,
            kernels=int16.KERNELS,
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                _kernel("batch_matmul_constant", is_constant=True, gathers=False),
                _kernel("batch_matmul_constant_gathered", is_constant=True, gathers=True),
                _kernel("batch_matmul", is_constant=False, gathers=False),
                _kernel("batch_matmul_gathered", is_constant=False, gathers=True),
                _kernel("batch_matmul_strided", is_constant=False, gathers=True, is_strided=True),
            ),
        ),
    ),
    quantization=QuantizationRule(int16_version=3),
)
