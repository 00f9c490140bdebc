"""MUL: the product of two tensors, broadcast where their shapes differ."""

from tinyml_rules.ops._shared.broadcast import binary_kernels, binary_work, has_single_constant
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.mul import plain
from tinyml_rules.ops.mul.op import Attrs, check, oracle, params_of

OP = Op(
    name="mul",
    builtin_code=18,
    options_type=21,
    attrs=Attrs,
    input_counts=range(2, 3),
    summary="int8, int32; broadcast up to 5 dimensions; either input constant; fused activation",
    is_map=has_single_constant,
    meanings=(
        Meaning(
            takes=lambda view: not plain.is_plain(view),
            check=check,
            oracle=oracle,
            prepare=lambda view: binary_work(view, params_of(view)),
            kernels=binary_kernels("mul", "mul/kernels/value.c.j2", runtime=("requantize",)),
        ),
        Meaning(
            takes=plain.is_plain,
            check=plain.check,
            oracle=plain.oracle,
            prepare=lambda view: binary_work(view, plain.params_of(view)),
            kernels=binary_kernels("mul_int32", "mul/kernels/plain.c.j2", element="int32_t"),
        ),
    ),
)
