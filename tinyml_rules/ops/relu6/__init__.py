"""RELU6: min(max(x, 0), 6), for int8 a clamp in the input's own quantization."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import map_work
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.relu6.op import check, params_of
from tinyml_rules.ops.relu6.oracle import oracle, oracle_of_reals

OP = map_op(
    "relu6",
    21,
    real_map(oracle_of_reals),
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
    summary=f"int8, input and output quantized alike; {ISLAND}",
)
