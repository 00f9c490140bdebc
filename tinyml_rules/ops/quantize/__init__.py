"""QUANTIZE: real numbers to int8 at the model's end, or one int8 quantization to another."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops.quantize.op import check, oracle, params_of

OP = Op(
    name="quantize",
    builtin_code=114,
    options_type=89,
    input_counts=range(1, 2),
    summary="float32 to int8 at a model input (becomes the caller's); int8 to int8 anywhere",
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=lambda view: map_work(view, params_of(view)),
            kernels=(
                Kernel(
                    name="quantize",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("requantize",),
                ),
            ),
        ),
    ),
)
