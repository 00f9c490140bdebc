"""What hypothesis draws one-operator models from: `MODELS` in the `cases.py` of every operator.

Small sizes, because what differs differs there already; the ends of what a file can say are drawn
more often than chance would.
"""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import filled, quantized
from tinyml_rules.ops._shared.cases.weighted import computed
from tinyml_rules.ops._shared.spatial import Padding, Sliding

Shape = tuple[int, ...]

FEW = st.integers(1, 4)
SIZES = st.integers(1, 8)
PAIRS = st.tuples(FEW, FEW)
ZERO_POINTS = st.sampled_from((-128, 127, 0)) | st.integers(-128, 127)
SCALES = st.sampled_from((0.25, 0.5, 0.75, 1.0, 1.5)) | st.floats(2.0**-7, 3.0, width=32)
"""Quotients of the first ones make ties, and one of 1.5 differs if it is rounded to float32."""
BITS = st.sampled_from((8, 8, 4))
"""Of weights."""
ACTIVATIONS = st.sampled_from(
    (Activation.NONE, Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
)


def shapes(*, least_rank: int = 1, most_rank: int = 4, most: int = 5) -> st.SearchStrategy[Shape]:
    """Shapes of any rank between, with up to so many elements along a dimension."""
    sizes = st.integers(1, most)
    return st.lists(sizes, min_size=least_rank, max_size=most_rank).map(tuple)


def axes(rank: int) -> st.SearchStrategy[int]:
    """One axis, counted from either end."""
    return st.integers(-rank, rank - 1)


@st.composite
def activations(draw: st.DrawFn, name: str, shape: Shape) -> TensorSpec:
    """An int8 tensor with a quantization of its own."""
    return quantized(name, shape, scale=draw(SCALES), zero_point=draw(ZERO_POINTS))


@st.composite
def maybe_constant(draw: st.DrawFn, tensor: TensorSpec) -> TensorSpec:
    """The tensor, computed or with random values in the file."""
    return filled(tensor, seed=draw(st.integers(0, 9))) if draw(st.booleans()) else tensor


@st.composite
def broadcast_shapes(
    draw: st.DrawFn, *, count: int = 2, most_rank: int = 4, most: int = 4
) -> tuple[Shape, ...]:
    """Shapes of so many operands that broadcast: along each dimension an operand has the common
    size or 1, and the first dimensions may be left out."""
    common = draw(shapes(least_rank=0, most_rank=most_rank, most=most))
    found = []
    for _ in range(count):
        kept = draw(st.lists(st.booleans(), min_size=len(common), max_size=len(common)))
        shape = tuple(size if keeps else 1 for size, keeps in zip(common, kept, strict=True))
        found.append(shape[draw(st.integers(0, len(shape))) :] if draw(st.booleans()) else shape)
    return tuple(found)


@st.composite
def windows(draw: st.DrawFn, *, has_dilation: bool) -> dict[str, Any]:
    """An image, a window that fits it or is padded, and what else moves a window: the keywords of
    the builders in `weighted.py` and `pooling.py`."""
    window, strides = draw(PAIRS), draw(PAIRS)
    dilations = draw(PAIRS) if has_dilation else (1, 1)
    reaches = [Sliding(size, 1, gap).reach for size, gap in zip(window, dilations, strict=True)]
    padding = draw(st.sampled_from(Padding))
    least = reaches if padding is Padding.VALID else [1, 1]
    height, width = (draw(st.integers(size, size + 7)) for size in least)
    found = {
        "image": (draw(st.integers(1, 3)), height, width, draw(FEW)),
        "window": window,
        "strides": strides,
        "padding": padding,
        "activation": draw(ACTIVATIONS),
    }
    return {**found, "dilations": dilations} if has_dilation else found


@st.composite
def sums(draw: st.DrawFn) -> dict[str, Any]:
    """Fields of `Sums` in `weighted.py`."""
    return {
        "zero_points": (draw(ZERO_POINTS), draw(ZERO_POINTS)),
        "factor": draw(st.none() | st.floats(2.0**-12, 2.0) | st.sampled_from((2.0**-7, 0.5))),
        "is_per_axis": draw(st.booleans()),
        "bias_size": draw(st.sampled_from((None, 0, 5000, 2**28))),
    }


@st.composite
def maybe_computed(draw: st.DrawFn, model: ModelSpec) -> ModelSpec:
    """The model with its weights or bias computed or constant; weights of four bits stay."""
    _, weights, *rest = model.tensors
    operands = ["weights"] if weights.dtype == "int8" else []
    operands += ["bias"] if len(rest) > 1 else []
    return computed(model, *(operand for operand in operands if draw(st.booleans())))


@st.composite
def reshaped(draw: st.DrawFn, shape: Shape) -> Shape:
    """Another shape of as many elements."""
    left, found = math.prod(shape), list[int]()
    while left > 1 and len(found) < len(shape) + 1:
        divisors = [size for size in range(1, left + 1) if left % size == 0]
        found.append(draw(st.sampled_from(divisors)))
        left //= found[-1]
    return (*found, left)
