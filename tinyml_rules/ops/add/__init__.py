"""ADD: the sum of two tensors, broadcast where their shapes differ."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.add.op import Attrs, BroadcastParams, ConstantParams, check, prepare
from tinyml_rules.ops.add.oracle import oracle

_KERNELS = Path(__file__).parent / "kernels"
_RUNTIME = ("rescale",)

OP = Op(
    name="add",
    builtin_code=0,
    options_type=11,
    attrs=Attrs,
    input_counts=range(2, 3),
    summary="int8; broadcast up to 4 dimensions; either input constant; fused activation",
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="add_constant",
                    template=_KERNELS / "broadcast.c.j2",
                    form=Form.WHOLE,
                    when=lambda params: isinstance(params, ConstantParams),
                    runtime=_RUNTIME,
                    values={"constant": "yes"},
                ),
                Kernel(
                    name="add_broadcast",
                    template=_KERNELS / "broadcast.c.j2",
                    form=Form.WHOLE,
                    when=lambda params: isinstance(params, BroadcastParams),
                    runtime=_RUNTIME,
                ),
                Kernel(
                    name="add",
                    template=_KERNELS / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=_RUNTIME,
                ),
            ),
        ),
    ),
)
