"""DEADBAND: values near zero become zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int16
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.operands import int8
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pointwise import map_work


@dataclass(frozen=True)
class Options:
    """What the model file says of a node, in a FlexBuffer: {"width": 0.25, "subtracts": true}."""

    width: float
    subtracts: bool = False
    """What lies outside moves towards zero by the width, so that there is no jump."""


@dataclass(frozen=True)
class Params:
    """Members of the kernel's C struct."""

    zero_point: Int16
    width: Int16
    moved: Int16


def options_of(view: NodeView) -> Options:
    """Those of a node, read from the model file."""
    assert isinstance(view.node.attrs, Options)
    return view.node.attrs


OPERANDS = {"input": int8(), "output": int8(shape="input", scale_of="input", tolerance=0.0)}
"""Both are int8 with one scale and one zero point, which are the same, and of one shape."""


def check(view: NodeView) -> Iterator[str]:
    """All else that is wrong with a node, as texts of errors."""
    width = options_of(view).width
    if not width >= 0:
        yield f"width is {width:g}, expected 0 or more"


def prepare(view: NodeView) -> Work:
    """All arithmetic that does not depend on the input: the width in steps of the scale."""
    source, options = view["input"], options_of(view)
    steps = min(round(options.width / source.scale), 255)
    params = Params(
        zero_point=source.zero_point, width=steps, moved=steps if options.subtracts else 0
    )
    return map_work(view, params)


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The meaning, by itself: it does not ask `prepare`."""
    source, options = view["input"], options_of(view)
    width = np.round(options.width / source.scale)
    moved = values[source.index].astype(np.float64) - source.zero_point
    kept = np.sign(moved) * (np.abs(moved) - width) if options.subtracts else moved
    result = np.where(np.abs(moved) <= width, 0, kept) + source.zero_point
    return result.astype(np.int8)


OP = Op(
    name="deadband",
    custom_name="Deadband",
    attrs=Options,
    inputs=("input",),
    summary="int8, input and output quantized alike; values of at most `width` become zero",
    meanings=(
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="deadband",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.POINTWISE,
                    is_in_place=True,
                ),
            ),
        ),
    ),
)
