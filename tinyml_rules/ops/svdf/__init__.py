"""SVDF: a layer with a memory of what it has seen, by two factors of its weights."""

from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
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


def _meaning(dtype: DType) -> Meaning:
    """For a state of this type."""
    kernel = Kernel(
        name=f"svdf_{dtype.bits}",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WHOLE,
        runtime=("dot_product", "requantize"),
        has_far_form=True,
        values={"element": dtype.c_type, "least": f"{dtype.name}_MIN", "most": f"{dtype.name}_MAX"},
    )
    return Meaning(
        operands=operands_of(dtype),
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        takes=lambda view: state_type(view) is dtype,
    )


OP = Op(
    name="svdf",
    builtin_code=27,
    options_type=6,
    attrs=Attrs,
    inputs=("input", "weights", "time weights", "bias", "state"),
    options=check_options,
    summary="int8 with a state of int16 or int8; rank",
    role=Role.EFFECT,
    macs=macs,
    meanings=(_meaning(DType.INT16), _meaning(DType.INT8)),
)
