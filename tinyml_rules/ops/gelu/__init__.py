"""GELU: x times the normal distribution's share below x, exactly or by a tanh; LiteRT's."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.pointwise import INT8_MAP
from tinyml_rules.ops._shared.quantization import FREE
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.gelu.op import Attrs
from tinyml_rules.ops.gelu.oracle import oracle, oracle_of_reals

OP = map_op(
    "gelu",
    150,
    real_map(oracle_of_reals),
    Meaning(operands=INT8_MAP, oracle=oracle),
    summary=f"int8; exact and approximate; {ISLAND}",
    options_type=116,
    attrs=Attrs,
    quantization=FREE,
)
