"""TANH: the hyperbolic tangent, always as a table."""

from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import fixed
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.tanh.oracle import oracle, oracle_of_reals

_SCALE, _ZERO_POINT = 1 / 128, 0
_OPERANDS = {"input": int8(), "output": int8(shape="input", fixed=(_SCALE, _ZERO_POINT))}
"""TFLM takes the output to be quantized so."""

OP = map_op(
    "tanh",
    28,
    real_map(oracle_of_reals),
    Meaning(operands=_OPERANDS, oracle=oracle),
    summary=f"int8, output scale 1/128 and zero point 0; {ISLAND}",
    quantization=fixed(_SCALE, _ZERO_POINT),
)
