"""NEG: -x; LiteRT has int8."""

from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops._shared.quantization import QuantizationRule, Relation
from tinyml_rules.ops._shared.real_maps import ISLAND, map_op, real_map
from tinyml_rules.ops.neg.op import check
from tinyml_rules.ops.neg.oracle import oracle, oracle_of_reals

OP = map_op(
    "neg",
    59,
    real_map(oracle_of_reals),
    Meaning(check=check, oracle=oracle),
    summary=f"int8 with zero points 0 and one scale; {ISLAND}",
    options_type=42,
    quantization=QuantizationRule(Relation.SAME, version=1, is_symmetric=True),
)
