"""DEQUANTIZE: what may be wrong with a node, its constants and its meaning.

At a model's end the pass `partition_conversions` cuts the node off and leaves it to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tinyml_rules.ir.c_struct import Float32, Int32
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import Operand, real
from tinyml_rules.ops._shared.pointwise import map_work

TYPES = (DType.INT8, DType.UINT8, DType.INT16)
"""Those of TFLM's `DequantizePrepare`."""


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    scale: Float32
    zero_point: Int32


def takes(source: DType) -> Callable[[NodeView], bool]:
    """Whether a node is from this type."""
    return lambda view: view["input"].dtype is source


OPERANDS = {"input": Operand(scaled=TYPES), "output": real(shape="input")}


def check(view: NodeView) -> Iterator[str]:
    """An integer of 8 or 16 bits, or a float16 constant."""
    source = view["input"]
    if source.dtype is not DType.FLOAT16 or not source.is_constant:
        yield from constraints.typed(source, "input", *TYPES)


def prepare(view: NodeView) -> Work:
    """One unit is one value."""
    source = view["input"]
    return map_work(view, Params(scale=source.scale, zero_point=source.zero_point))
