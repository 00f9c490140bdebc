"""What TFLM's operators of audio signals share: they are custom operators, whose options are the
numbers of a FlexBuffer, and their tensors are plain integers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Node, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared import constraints

Int64s = npt.NDArray[np.int64]
INT32_MOST = 2**31 - 1


def options_of(node: Node) -> Any:
    """A node's attrs, of any class."""
    return node.attrs


def options(view: NodeView) -> Any:
    """Those of the view's node."""
    return options_of(view.node)


def out_of_range(view: NodeView, **limits: tuple[int, int]) -> Iterator[str]:
    """A message for each option that is not between its limits, inclusive."""
    for name, (least, most) in limits.items():
        found = getattr(options(view), name)
        if not least <= found <= most:
            expected = f"{least} to {most}" if least < most else least
            yield f"{name} is {found}, expected {expected}"


def constant_inputs(view: NodeView, *names: str) -> Iterator[str]:
    """A message for each of these inputs that is a constant: nothing of a signal is."""
    for name in names:
        if view[name].is_constant:
            yield f"{name} tensor {view[name]} is a constant, expected computed values"


def shaped(view: NodeView, name: str, shape: tuple[int, ...]) -> Iterator[str]:
    """A message if the operand has another shape."""
    yield from constraints.shaped(view[name], shape, role=name)


def work_of(view: NodeView, params: object, **more: Any) -> Work[Any]:
    """All inputs that are no constants, state included, and all outputs."""
    return Work(
        params=params,
        inputs=tuple(t.index for t in view.inputs if t is not None and not t.is_constant),
        outputs=tuple(tensor.index for tensor in view.outputs),
        **more,
    )


def bit_length(values: npt.NDArray[Any]) -> Int64s:
    """How many bits each number has, without zeros before the first 1; the numbers are below
    2^53."""
    return np.frexp(values.astype(np.float64))[1].astype(np.int64)
