"""LOGISTIC: 1 / (1 + exp(-x)), always as a table."""

from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.logistic.op import check
from tinyml_rules.ops.logistic.oracle import oracle

OP = Op(
    name="logistic",
    builtin_code=14,
    input_counts=range(1, 2),
    summary="int8; output scale 1/256 and zero point -128",
    is_map=lambda _view: True,
    meanings=(Meaning(check=check, oracle=oracle),),
)
