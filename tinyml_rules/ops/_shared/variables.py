"""What the operators on resource variables share: they are gone once `passes/resolve_variables.py`
found the variable, or have a tensor instead of its handle."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared import constraints


def check_variable(tensor: Tensor) -> Iterator[str]:
    """A variable that was found."""
    if not tensor.is_variable:
        yield (
            f"input tensor {tensor} is {tensor.dtype}, expected a variable that VAR_HANDLE names "
            "in the same graph"
        )


def check_value(variable: Tensor, value: Tensor, role: str) -> Iterator[str]:
    """What is read or assigned is of the variable's type, shape and quantization."""
    yield from constraints.typed(value, role, variable.dtype)
    yield from constraints.shaped(value, variable.shape)
    if value.quantization != variable.quantization:
        yield f"{role} tensor {value} has another quantization than variable {variable.name!r}"


def no_meaning(view: NodeView) -> Iterator[str]:
    """A node that should be gone by now."""
    yield f"names variable {view.output.name!r} in a way that is not supported"
