"""BROADCAST_ARGS: the shape to which two shapes broadcast, which is known when a model is
compiled."""

from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.broadcast_args.op import OPERANDS, check, oracle

OP = Op(
    name="broadcast_args",
    builtin_code=145,
    inputs=("first shape", "second shape"),
    summary="constants of int32 or int64; a constant",
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
)
