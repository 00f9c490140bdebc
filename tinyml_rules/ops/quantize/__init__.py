"""QUANTIZE: real numbers to int8 at the model's end, or one int8 quantization to another."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.constraints import takes_real
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops.quantize.op import (
    check,
    params_of,
    prepare_from_real,
)
from tinyml_rules.ops.quantize.oracle import oracle, oracle_from_real

OP = Op(
    name="quantize",
    builtin_code=114,
    options_type=89,
    input_counts=range(1, 2),
    summary="float32 to int8 (the caller's at a model input); int8 to int8",
    role=Role.CONVERSION,
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            takes=takes_real,
            check=check,
            oracle=oracle_from_real,
            prepare=prepare_from_real,
            kernels=(
                Kernel(
                    name="quantize_from_real",
                    template=Path(__file__).parent / "kernels" / "from_real.c.j2",
                    form=Form.POINTWISE,
                    copies_unit=True,
                ),
            ),
        ),
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
