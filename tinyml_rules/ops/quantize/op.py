"""QUANTIZE: what may be wrong with a node.

At a model's end the pass `partition_conversions` cuts the node off and leaves it to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared import constraints

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
    return lambda view: (view.input(0).dtype, view.output.dtype) == (source, result)


def check(view: NodeView) -> Iterator[str]:
    """Input and output of the same shape, in types of which one is made from the other."""
    source, result = view.input(0), view.output
    wrong = list(constraints.typed(source, "input", *RESULTS))
    wrong = wrong or list(constraints.typed(result, "output", *RESULTS[source.dtype]))
    wrong = wrong or [*_quantized(source, "input"), *_quantized(result, "output")]
    yield from wrong
    for tensor, role in ((source, "input"), (result, "output")):
        yield from constraints.constant_or_computed(tensor, role)
    yield from constraints.shaped(result, source.shape)
    if not wrong and not source.dtype.is_real:
        yield from constraints.rescaling(source, result)


def _quantized(tensor: Tensor, role: str) -> Iterator[str]:
    """One scale; and of int32 the zero point 0, because a difference from another can be beyond."""
    if tensor.dtype.is_real:
        return
    wrong = list(constraints.per_tensor(tensor, role))
    yield from wrong
    if not wrong and tensor.dtype is DType.INT32 and tensor.zero_point:
        yield f"{role} tensor {tensor} is int32 with zero point {tensor.zero_point}, expected 0"
