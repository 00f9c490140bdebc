"""SVDF: a layer with memory, whose weights are factored into features and time."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.svdf import float32
from tinyml_rules.ops.svdf.op import (
    Attrs,
    check,
    check_options,
    macs,
    operands_of,
    prepare,
    state_type,
)
from tinyml_rules.ops.svdf.oracle import oracle


@dataclass(frozen=True)
class State(Variant):
    """Words of the template."""

    element: str
    """C type of a value of the state."""
    least: str
    """C name of the least value of the state."""
    most: str
    """C name of the greatest value of the state."""


def _meaning(dtype: DType) -> Meaning:
    """For a state of this type."""
    kernel = Kernel(
        name=f"svdf_{dtype.bits}",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WHOLE,
        runtime=("dot_product", "requantize"),
        has_far_form=True,
        variant=State(dtype.c_type, f"{dtype.name}_MIN", f"{dtype.name}_MAX"),
    )
    return Meaning(
        operands=operands_of(dtype),
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        takes=lambda view: state_type(view) is dtype,
    )


_REAL = Meaning(
    operands=float32.OPERANDS,
    check=float32.check,
    oracle=float32.oracle,
    prepare=float32.prepare,
    kernels=(
        Kernel(
            name="svdf_real",
            template=Path(__file__).parent / "kernels" / "float32.c.j2",
            form=Form.WHOLE,
        ),
    ),
    takes=float32.takes,
)

OP = Op(
    name="svdf",
    builtin_code=27,
    options_type=6,
    attrs=Attrs,
    inputs=("input", "weights", "time weights", "bias", "state"),
    options=check_options,
    summary="int8 with a state of int16 or int8; float32; rank",
    role=Role.EFFECT,
    macs=macs,
    meanings=(_REAL, _meaning(DType.INT16), _meaning(DType.INT8)),
)
