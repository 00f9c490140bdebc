"""LOG_SOFTMAX: the logarithm of the softmax along the last dimension."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops.log_softmax.op import OPERANDS, REAL_OPERANDS, check, prepare
from tinyml_rules.ops.log_softmax.oracle import oracle, oracle_of_real

OP = Op(
    name="log_softmax",
    builtin_code=50,
    options_type=36,
    inputs=("input",),
    keeps_order=lambda _view: (
        True
    ),  # a distance from the largest, rescaled, less one number for all
    summary="int8; output scale 1/16 and zero point 127",
    meanings=(
        Meaning(takes=takes_reals, operands=REAL_OPERANDS, oracle=oracle_of_real),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="log_softmax",
                    template=Path(__file__).parent / "kernels" / "log_softmax.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("reciprocal_of_one_plus", "rescale"),
                ),
            ),
        ),
    ),
    quantization=fixed(16 / 256, 127),
)
