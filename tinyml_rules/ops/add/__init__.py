"""ADD: the sum of two tensors, broadcast where their shapes differ."""

from tinyml_rules.ops._shared.broadcast import binary_kernels, binary_work, has_single_constant
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.add.op import Attrs, check, params_of
from tinyml_rules.ops.add.oracle import oracle

OP = Op(
    name="add",
    builtin_code=0,
    options_type=11,
    attrs=Attrs,
    input_counts=range(2, 3),
    summary="int8; broadcast up to 5 dimensions; either input constant; fused activation",
    is_map=has_single_constant,
    meanings=(
        Meaning(
            check=check,
            oracle=oracle,
            prepare=lambda view: binary_work(view, params_of(view)),
            kernels=binary_kernels("add", "add/kernels/value.c.j2", runtime=("rescale",)),
        ),
    ),
)
