"""DEQUANTIZE: integers to the real numbers that they stand for."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.dequantize.op import check, prepare
from tinyml_rules.ops.dequantize.oracle import oracle

OP = Op(
    name="dequantize",
    builtin_code=6,
    options_type=38,
    input_counts=range(1, 2),
    summary="int8 to float32 (the caller's at a model output); float16 constants",
    role=Role.CONVERSION,
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="dequantize",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    copies_unit=True,
                ),
            ),
        ),
    ),
)
