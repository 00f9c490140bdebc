"""SIGN of integers: what may be wrong with a node."""

from __future__ import annotations

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ops._shared.operands import plain
from tinyml_rules.ops._shared.operator import Meaning
from tinyml_rules.ops.sign.oracle import oracle

_OPERANDS = {
    "input": plain(DType.FLOAT32, DType.INT32),
    "output": plain(DType.INT32, shape="input"),
}


def of_integers() -> Meaning:
    """SIGN of int32."""
    return Meaning(operands=_OPERANDS, oracle=oracle)
