"""TRANSPOSE_CONV: every input pixel, times a window of weights, is added around its place."""

from pathlib import Path
from typing import Any

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.convolution import check_options
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import Weights, weighted
from tinyml_rules.ops._shared.real_weights import RealSums, in_fours, takes_real_weights
from tinyml_rules.ops._shared.weighted_interval import weighted_interval
from tinyml_rules.ops._weighted.int16x8 import int16_meaning
from tinyml_rules.ops._weighted.words import ElementWords
from tinyml_rules.ops.transpose_conv import float32, int16
from tinyml_rules.ops.transpose_conv.op import OPERANDS, REAL_OPERANDS, Attrs, check, macs, prepare
from tinyml_rules.ops.transpose_conv.oracle import oracle, oracle_of_real, products

_KERNELS = Path(__file__).parent / "kernels"

_PORTABLE: Kernel[Any] = Kernel(
    name="transpose_conv",
    template=_KERNELS / "portable.c.j2",
    form=Form.WINDOW,
    runtime=("dot_product", "multiply_accumulate", "requantize"),
    takes_row=True,
    has_far_form=True,
    variant=ElementWords(),
)

_REAL = Kernel[RealSums](
    name="transpose_conv_real",
    template=_KERNELS / "float32.c.j2",
    form=Form.WINDOW,
    takes_row=True,
)

OP = Op(
    name="transpose_conv",
    builtin_code=67,
    options_type=49,
    attrs=Attrs,
    inputs=("shape", "weights", "input", "bias?"),
    options=check_options,
    summary="int8, int16; weights int8 per-tensor or per-axis; SAME, VALID; stride; float32; "
    "fused activation",
    macs=macs,
    meanings=(
        Meaning(
            takes=takes_real_weights,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=float32.prepare,
            kernels=(in_fours(_REAL), _REAL),
        ),
        int16_meaning(
            OPERANDS,
            check,
            oracle,
            int16.prepare,
            _PORTABLE,
            biases=(DType.INT64, DType.INT16),
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="transpose_conv_patch",
                    template=_KERNELS / "patch.c.j2",
                    form=Form.WINDOW,
                    requires=frozenset((Feature.REGISTERS_32,)),
                    runtime=(
                        *("dot_products", "dot_product", "copy", "fill"),
                        *("requantize", "requantize_four"),
                    ),
                    takes_row=True,
                ),
                _PORTABLE,
            ),
            interval=weighted_interval(products),
        ),
    ),
    quantization=weighted(Weights(axis=0, source=2, weights=1, bias=3), version=3),
)
