"""FULLY_CONNECTED: every output is a weighted sum of a whole input vector."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops.fully_connected.op import Params, check, parse, prepare
from tinyml_rules.ops.fully_connected.oracle import oracle
from tinyml_rules.ops.operator import Op

_KERNELS = Path(__file__).parent / "kernels"
_RUNTIME = ("dot_product", "requantize")

OP = Op(
    name="fully_connected",
    builtin_code=9,
    options_type=8,
    versions=range(1, 13),
    input_counts=range(2, 4),
    summary="int8; weights per-tensor or per-axis; fused activation; any input rank",
    kernels=(
        Kernel(
            name="fully_connected_per_axis",
            template=_KERNELS / "portable.c.j2",
            form=Form.POINTWISE,
            when=lambda params: isinstance(params, Params) and params.is_per_axis,
            runtime=_RUNTIME,
            values={"per_axis": "yes"},
        ),
        Kernel(
            name="fully_connected",
            template=_KERNELS / "portable.c.j2",
            form=Form.POINTWISE,
            runtime=_RUNTIME,
        ),
    ),
    parse=parse,
    check=check,
    prepare=prepare,
    oracle=oracle,
)
