"""What the 8-bit specification asks of an operator's tensors: said by each operator, asked by the
quantizer and by `passes/deviations`, which name none.

Every float32 tensor of a node becomes int8, and every other one stays what it is; the rule says how
their scales and zero points hang together.  `version` is the least of the operator's versions that
takes int8 (`GetBuiltinOperatorVersion` of TensorFlow Lite).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import NodeView, Quantization, Tensor

Numbers = npt.NDArray[Any]


class Relation(Enum):
    """How the quantization of a node's tensors hangs together."""

    FREE = "free"
    """Each has its own."""
    SAME = "same"
    """All have one."""


@dataclass(frozen=True)
class Weights:
    """Positions of a weighted sum's operands, and the axis of the weights that is the output
    channels."""

    axis: int
    source: int = 0
    weights: int = 1
    bias: int = 2


@dataclass(frozen=True, eq=False)
class Affine:
    """A node that makes `factor * x + term` of its one computed operand, float64 numbers or arrays
    that broadcast to the output."""

    source: int
    factor: Numbers
    term: Numbers


@dataclass(frozen=True)
class QuantizationRule:
    """An operator's rule in the 8-bit specification."""

    relation: Relation = Relation.FREE
    version: int = 2
    output: Quantization | None = None
    """What the specification fixes."""
    weights: Weights | None = None
    """Of an operator that sums products with constants: those are symmetric, and the bias has the
    scale of the products."""
    is_symmetric: bool = False
    """The zero points are 0."""
    clamp: Activation | None = None
    """The operator does nothing but this."""
    passes_clamps: bool = False
    """It only moves and chooses values, so that a clamp after it is the same as one before it;
    cells that it adds are clamped too."""
    takes_greatest: bool = False
    """A value below all others has no effect on its output."""
    affine: Callable[[NodeView], Affine | None] = lambda _view: None
    gives_shape: bool = False
    """Its output is its input's values in a shape that does not depend on the input's."""


FREE = QuantizationRule()
SAME = QuantizationRule(Relation.SAME)
MOVES = QuantizationRule(Relation.SAME, passes_clamps=True)
MOVES_FIRST_VERSION = QuantizationRule(Relation.SAME, version=1, passes_clamps=True)
"""Its first version takes int8."""


def fixed(scale: float, zero_point: int) -> QuantizationRule:
    """The output's quantization is the specification's."""
    return QuantizationRule(output=Quantization((scale,), (zero_point,)))


def weighted(weights: Weights, *, version: int) -> QuantizationRule:
    """Sums of products of the first input with constants."""
    return QuantizationRule(weights=weights, version=version)


def affine_rule(
    of_constant: Callable[[Numbers, bool], tuple[Numbers, Numbers] | None], *, version: int = 2
) -> QuantizationRule:
    """Of two operands, of which one is constant: `of_constant` has the factor and the term from its
    values, and from whether it is the first of the two."""

    def affine(view: NodeView) -> Affine | None:
        places = [place for place in (0, 1) if _is_plain_constant(view.input(place))]
        if len(places) != 1:
            return None
        (place,) = places
        values = view.input(place).data
        assert values is not None
        found = of_constant(values.astype(np.float64), place == 0)
        return None if found is None else Affine(1 - place, *found)

    return QuantizationRule(affine=affine, version=version)


def _is_plain_constant(tensor: Tensor) -> bool:
    return tensor.data is not None and tensor.dtype.is_real and not tensor.unread
