"""What the operators on resource variables share. `passes/resolve_variables.py` removes them, or
replaces the handle by the variable's tensor."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared import constraints


def check_variable(tensor: Tensor) -> Iterator[str]:
    """The variable was found."""
    if not tensor.is_variable:
        yield (
            f"input tensor {tensor} is {tensor.dtype}, expected a variable that VAR_HANDLE names "
            "in the same graph"
        )


def check_value(variable: Tensor, value: Tensor, role: str) -> Iterator[str]:
    """The value that is read or assigned has the variable's type, shape and quantization."""
    yield from constraints.typed(value, role, variable.dtype)
    yield from constraints.shaped(value, variable.shape)
    if value.quantization != variable.quantization:
        yield f"{role} tensor {value} has another quantization than variable {variable.name!r}"


def no_meaning(view: NodeView) -> Iterator[str]:
    """The oracle of a node that a pass has removed: never called."""
    yield f"names variable {view.output.name!r} in a way that is not supported"
