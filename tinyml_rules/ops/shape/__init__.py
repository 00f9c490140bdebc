"""SHAPE: the dimensions of a tensor, which are known when a model is compiled."""

from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import QuantizationRule
from tinyml_rules.ops.shape.op import OPERANDS, oracle

OP = Op(
    name="shape",
    builtin_code=77,
    options_type=55,
    inputs=("input",),
    summary="of a tensor of any type, as int32 or int64; a constant",
    reads_shapes_alone=True,
    meanings=(Meaning(operands=OPERANDS, oracle=oracle),),
    quantization=QuantizationRule(version=1),
)
