"""The rules of LiteRT's quantization for an operator's tensors: each operator declares its own, the
quantizer and `passes/deviations` ask for them.

Every float32 tensor of a node becomes int8, or int16 with zero point 0, every other one keeps its
type; the rule relates their scales and zero points. `version` is the operator's first version that
takes int8, `int16_version` that for int16 (`GetBuiltinOperatorVersion` of TensorFlow Lite).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Array, Graph, Node, NodeView, Quantization, Tensor

Numbers = npt.NDArray[Any]


class Relation(Enum):
    """How the quantizations of a node's tensors are related."""

    FREE = "free"
    """Each tensor has its own."""
    SAME = "same"
    """All tensors have the same one."""


Seen = Callable[[NodeView, Numbers], Numbers]
"""What each output channel's sums multiply by its weights, in their order: of a node and its input
without the zero point, [groups, sums, values].  Output channels see the groups in order, as many
channels each."""


@dataclass(frozen=True)
class Weights:
    """Positions of a weighted sum's operands, and the axis of the weights that is the output
    channels."""

    axis: int
    source: int = 0
    weights: int = 1
    bias: int = 2
    int4_version: int = 0
    """The operator's first version that takes int8 with weights of int4; 0: none does."""
    has_int4_per_axis: bool = True
    """Whether TFLM takes a scale for each output channel of such weights."""
    seen: Seen | None = None
    """For an operator whose weights may be rounded by what they are multiplied with."""


@dataclass(frozen=True)
class Matrix:
    """Positions of the operands of one of several weighted sums, whose weights have one scale."""

    source: int
    weights: int
    bias: int | None = None


@dataclass(frozen=True)
class Memory:
    """Positions of the operands of an operator that keeps values, and what it makes them of.

    The hidden state has the output's quantization; the cell is int16 in any case, and its scale a
    power of two.  `cells` gives every value that the cell has in an inference."""

    sums: tuple[Matrix, ...]
    hidden: int
    cell: int
    cells: Callable[[NodeView, Mapping[int, Array]], Array]

    @property
    def constants(self) -> frozenset[int]:
        """Positions of weights and biases."""
        places = {place for each in self.sums for place in (each.weights, each.bias)}
        return frozenset(place for place in places if place is not None)


@dataclass(frozen=True, eq=False)
class Affine:
    """A node that computes `factor * x + term` of its one computed operand; both are float64
    numbers or arrays that broadcast to the output."""

    source: int
    factor: Numbers
    term: Numbers


@dataclass(frozen=True)
class QuantizationRule:
    """An operator's rule in the 8-bit specification, and what is different with int16."""

    relation: Relation = Relation.FREE
    version: int = 2
    output: Quantization | None = None
    """The output's quantization, if the specification fixes it."""
    int16_output: Quantization | None = None
    """The same for an output of int16."""
    int16_relation: Relation | None = None
    """The relation between tensors of int16; None for that of int8."""
    int16_version: int = 0
    """0: that for int8."""
    has_int16: bool = True
    """False for an operator of which neither TFLM nor LiteRT takes int16, although we do."""
    weights: Weights | None = None
    """For an operator that sums products with constants: the weights are symmetric, and the bias
    has the scale of the products."""
    memory: Memory | None = None
    """For an operator that keeps values from one inference to the next."""
    is_symmetric: bool = False
    """The zero points are 0."""
    clamp: Activation | None = None
    """The operator does nothing but clamp in this way."""
    passes_clamps: bool = False
    """It only moves and selects values, so that a clamp after it equals one before it; cells that
    it adds are clamped too."""
    takes_greatest: bool = False
    """Only the greatest of several values matters, so that one below all others has no effect."""
    affine: Callable[[NodeView], Affine | None] = lambda _view: None
    form: Callable[[Graph, Node, Any], Graph | None] | None = None
    """The float32 graph in which this operator does the work of several nodes, whose integers are
    worse, given the last of them and all
    operators; None if they are not there."""
    gives_shape: bool = False
    """Its output has its input's values in a shape that does not depend on the input's shape."""


FREE = QuantizationRule()
SAME_OF_INT16 = QuantizationRule(int16_relation=Relation.SAME)
"""Its tensors of int16 have one quantization, those of int8 each their own."""
SAME = QuantizationRule(Relation.SAME)
MOVES = QuantizationRule(Relation.SAME, passes_clamps=True)
MOVES_FIRST_VERSION = QuantizationRule(Relation.SAME, version=1, passes_clamps=True)
"""Its first version takes int8."""


def moves(*, int16_version: int) -> QuantizationRule:
    """That of an operator that moves and selects values, with another version for int16."""
    return replace(MOVES, int16_version=int16_version)


def fixed(scale: float, zero_point: int, *, int16_scale: float | None = None) -> QuantizationRule:
    """The rule of an operator whose output has a fixed quantization, and another for int16 if it
    takes that; its version for int16 is 3."""
    output = Quantization((scale,), (zero_point,))
    if int16_scale is None:
        return QuantizationRule(output=output)
    wide = Quantization((int16_scale,), (0,))
    return QuantizationRule(output=output, int16_output=wide, int16_version=3)


def weighted(weights: Weights, *, version: int) -> QuantizationRule:
    """The rule of an operator that sums products of its first input and constants."""
    return QuantizationRule(weights=weights, version=version)


def affine_rule(
    of_constant: Callable[[Numbers, bool], tuple[Numbers, Numbers] | None],
    *,
    version: int = 2,
    int16_version: int = 0,
) -> QuantizationRule:
    """The rule of a binary operator with one constant operand: `of_constant` gives factor and term
    from its values, and from whether it is the first operand."""

    def affine(view: NodeView) -> Affine | None:
        places = [place for place in (0, 1) if _is_plain_constant(view.input(place))]
        if len(places) != 1:
            return None
        (place,) = places
        values = view.input(place).data
        assert values is not None
        found = of_constant(values.astype(np.float64), place == 0)
        return None if found is None else Affine(1 - place, *found)

    return QuantizationRule(affine=affine, version=version, int16_version=int16_version)


def _is_plain_constant(tensor: Tensor) -> bool:
    return tensor.data is not None and tensor.dtype.is_real and not tensor.unread
