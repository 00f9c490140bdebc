"""In which order a core reads the weights of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tinyml_rules.ir.graph import Array


@dataclass(frozen=True)
class Order:
    """Of int8 weights [outputs][inputs]; the tests prove that `unpack` is the inverse."""

    pack: Callable[[Array], Array]
    """The weights in the order of the C."""
    unpack: Callable[[Array, int, int], Array]
    """The matrix, from those, the number of outputs and that of inputs."""
    fits: Callable[[Array], bool] = lambda _weights: True
    """Whether it is for a matrix."""
