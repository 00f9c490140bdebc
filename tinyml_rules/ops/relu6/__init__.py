"""RELU6: min(max(x, 0), 6), a clamp in the input's own quantization."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops.relu6.op import check, params_of
from tinyml_rules.ops.relu6.oracle import oracle

OP = Op(
    name="relu6",
    builtin_code=21,
    input_counts=range(1, 2),
    summary="int8; input and output quantized alike",
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=lambda view: map_work(view, params_of(view)),
            kernels=(
                Kernel(
                    name="relu6",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                ),
            ),
        ),
    ),
)
