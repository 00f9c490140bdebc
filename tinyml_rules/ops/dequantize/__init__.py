"""DEQUANTIZE: quantized integers to real numbers.

At the end of a model the pass `partition_conversions` cuts the node off and leaves it to the
caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fixed_point import dequantize_real
from tinyml_rules.ir.c_struct import Float32, Int32
from tinyml_rules.ir.contract import each_value
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import Operand, real
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.pointwise import map_work

TYPES = (DType.INT8, DType.UINT8, DType.INT16)
"""The types that TFLM's `DequantizePrepare` takes."""


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    scale: Float32
    zero_point: Int32


def takes(source: DType) -> Callable[[NodeView], bool]:
    """Whether a node's input has this type."""
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


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The output, shaped like the output tensor."""
    source = view["input"]
    if source.dtype is DType.FLOAT16:
        return values[source.index].astype(np.float32)
    return dequantize_real(values[source.index], scale=source.scale, zero_point=source.zero_point)


@dataclass(frozen=True)
class Source(Variant):
    """Words of the template."""

    source: str
    """C type of an input value."""


def _meaning(source: DType) -> Meaning:
    kernel = Kernel(
        name=f"dequantize_{source}",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.POINTWISE,
        copies_unit=True,
        variant=Source(source.c_type),
        contract=each_value(requires=("-32768 <= zero_point <= 32767",)),
    )
    return Meaning(
        takes=takes(source),
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
    )


OP = Op(
    name="dequantize",
    builtin_code=6,
    options_type=38,
    inputs=("input",),
    summary="int8, uint8, int16 to float32 (the caller's at a model output); float16 constants",
    role=Role.CONVERSION,
    is_map=lambda _view: True,
    meanings=tuple(map(_meaning, TYPES)),
)
