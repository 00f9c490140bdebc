"""LOGISTIC: 1 / (1 + exp(-x)), always as a table."""

from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.logistic.oracle import oracle, oracle_of_reals

_SCALE, _ZERO_POINT = 1 / 256, -128
_OPERANDS = {"input": int8(), "output": int8(shape="input", fixed=(_SCALE, _ZERO_POINT))}
"""TFLM looks at its zero point alone, and takes the scale to be right."""

OP = map_op(
    "logistic",
    14,
    real_map(oracle_of_reals),
    Meaning(operands=_OPERANDS, oracle=oracle),
    summary=f"int8, output scale 1/256 and zero point -128; {ISLAND}",
    quantization=fixed(_SCALE, _ZERO_POINT),
)
