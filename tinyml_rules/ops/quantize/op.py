"""QUANTIZE: what may be wrong with a node.

At a model's end the pass `partition_conversions` cuts the node off and leaves it to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import Operand

RESULTS = {
    DType.FLOAT32: (DType.INT8, DType.INT16),
    DType.INT8: (DType.INT8, DType.UINT8, DType.INT16, DType.INT32),
    DType.UINT8: (DType.INT8,),
    DType.INT16: (DType.INT8, DType.INT16, DType.INT32),
    DType.INT32: (DType.INT8, DType.INT16),
}
"""What TFLM's `EvalQuantizeReference` makes of each type."""
PAIRS = tuple((source, result) for source, results in RESULTS.items() for result in results)


def takes(source: DType, result: DType) -> Callable[[NodeView], bool]:
    """Whether a node is from one type to another."""
    return lambda view: (view["input"].dtype, view.output.dtype) == (source, result)


_SCALED = tuple(dtype for dtype in RESULTS if not dtype.is_real)
OPERANDS = {
    "input": Operand(types=tuple(RESULTS), scaled=_SCALED, centred=(DType.INT32,)),
    "output": Operand(scaled=_SCALED, centred=(DType.INT32,), shape="input"),
}
"""The zero point of int32 is 0, because a difference from another can be beyond it."""


def check(view: NodeView) -> Iterator[str]:
    """Types of which one is made from the other."""
    source, result = view["input"], view.output
    wrong = list(constraints.typed(result, "output", *RESULTS[source.dtype]))
    yield from wrong
    if not wrong and not source.dtype.is_real:
        yield from constraints.rescaling(source, result)
