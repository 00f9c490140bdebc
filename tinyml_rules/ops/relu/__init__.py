"""RELU: max(x, 0), between tensors that may be quantized differently, or of real numbers."""

from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.c_struct import NoParams
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.constraints import takes_real
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import INT8_MAP, check_factor, map_work
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops._shared.real_maps import REAL_MAP
from tinyml_rules.ops.relu import real
from tinyml_rules.ops.relu.op import params_of
from tinyml_rules.ops.relu.oracle import oracle

_KERNELS = Path(__file__).parent / "kernels"

OP = Op(
    name="relu",
    builtin_code=19,
    inputs=("input",),
    summary="int8, input and output may be quantized differently; float32",
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            takes=lambda view: not takes_real(view),
            operands=INT8_MAP,
            check=check_factor,
            oracle=oracle,
            prepare=lambda view: map_work(view, params_of(view)),
            kernels=(
                Kernel(
                    name="relu",
                    template=_KERNELS / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                    runtime=("requantize",),
                ),
            ),
        ),
        Meaning(
            takes=takes_real,
            operands=REAL_MAP,
            oracle=real.oracle,
            prepare=lambda view: map_work(view, NoParams()),
            kernels=(
                Kernel(
                    name="relu_real",
                    template=_KERNELS / "real.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                ),
            ),
        ),
    ),
    quantization=QuantizationRule(clamp=Activation.RELU),
)
