"""Random shapes, windows and quantizations: the oracle equals TFLM."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.operator_cases import expected_bytes, graph_of, oracle_bytes, result_bytes
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import random_case
from tinyml_rules.ops._shared.cases.pooling import pool
from tinyml_rules.ops._shared.spatial import Padding, Sliding
from tinyml_rules.ops.add.cases import add
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.ops.fully_connected.cases import dense

few = st.integers(1, 4)
sizes = st.integers(1, 8)
pairs = st.tuples(few, few)
zero_points = st.integers(-128, 127)
activations = st.sampled_from(
    [Activation.NONE, Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1]
)
scales = st.floats(0.01, 10.0)
fewer_examples = settings(max_examples=50, deadline=None, derandomize=True, database=None)


@st.composite
def windowed(draw: st.DrawFn, *, has_dilation: bool) -> dict[str, Any]:
    """An image, a window that fits it or is padded, and what both kinds of operators share."""
    window, strides = draw(pairs), draw(pairs)
    dilations = draw(pairs) if has_dilation else (1, 1)
    reaches = [Sliding(size, 1, gap).reach for size, gap in zip(window, dilations, strict=True)]
    padding = draw(st.sampled_from(Padding))
    least = reaches if padding is Padding.VALID else [1, 1]
    height, width = (draw(st.integers(size, size + 7)) for size in least)
    common = {
        "image": (draw(st.integers(1, 3)), height, width, draw(few)),
        "window": window,
        "strides": strides,
        "padding": padding,
        "activation": draw(activations),
    }
    return {**common, "dilations": dilations} if has_dilation else common


def check_model(model: ModelSpec, *, seed: int) -> None:
    """The oracle gives TFLM's bytes on random inputs."""
    case = random_case(model, seed=seed)
    graph = graph_of(case, name="model")
    assert result_bytes(case, graph, oracle_bytes(case, graph)) == expected_bytes(case)


@fewer_examples
@given(
    geometry=windowed(has_dilation=True),
    outputs=few,
    points=st.tuples(zero_points, zero_points),
    is_per_axis=st.booleans(),
)
def test_conv_2d(
    *, geometry: dict[str, Any], outputs: int, points: tuple[int, int], is_per_axis: bool
) -> None:
    """CONV_2D."""
    model = conv(**geometry, outputs=outputs, zero_points=points, is_per_axis=is_per_axis)
    check_model(model, seed=outputs)


@fewer_examples
@given(
    geometry=windowed(has_dilation=True),
    multiplier=few,
    points=st.tuples(zero_points, zero_points),
    is_per_axis=st.booleans(),
)
def test_depthwise_conv_2d(
    *, geometry: dict[str, Any], multiplier: int, points: tuple[int, int], is_per_axis: bool
) -> None:
    """DEPTHWISE_CONV_2D."""
    model = depthwise(
        **geometry, depth_multiplier=multiplier, zero_points=points, is_per_axis=is_per_axis
    )
    check_model(model, seed=multiplier)


@fewer_examples
@given(
    geometry=windowed(has_dilation=False),
    point=zero_points,
    scale=scales,
    is_average=st.booleans(),
)
def test_pools(*, geometry: dict[str, Any], point: int, scale: float, is_average: bool) -> None:
    """AVERAGE_POOL_2D and MAX_POOL_2D."""
    operator = "AVERAGE_POOL_2D" if is_average else "MAX_POOL_2D"
    check_model(pool(operator, **geometry, scale=scale, zero_point=point), seed=point + 128)


@fewer_examples
@given(
    outer=st.lists(few, min_size=1, max_size=3),
    inputs=st.integers(1, 20),
    outputs=st.integers(1, 9),
    activation=activations,
    points=st.tuples(zero_points, zero_points),
    factor=st.floats(2.0**-12, 2.0),
    is_per_axis=st.booleans(),
)
def test_fully_connected(
    *,
    outer: list[int],
    inputs: int,
    outputs: int,
    activation: Activation,
    points: tuple[int, int],
    factor: float,
    is_per_axis: bool,
) -> None:
    """FULLY_CONNECTED on inputs of rank 2 to 4."""
    model = dense(
        (*outer, inputs),
        (*outer, outputs),
        activation=activation,
        zero_points=points,
        factor=factor,
        is_per_axis=is_per_axis,
        keep_num_dims=True,
    )
    check_model(model, seed=inputs)


@fewer_examples
@given(
    dimensions=st.lists(st.tuples(few, st.sampled_from(["both", "first", "second"])), max_size=4),
    dropped=st.integers(0, 4),
    all_scales=st.tuples(scales, scales, scales),
    points=st.tuples(zero_points, zero_points, zero_points),
    activation=activations,
    constants=st.sampled_from([(False, False), (True, False), (False, True)]),
)
def test_add(
    *,
    dimensions: list[tuple[int, str]],
    dropped: int,
    all_scales: tuple[float, float, float],
    points: tuple[int, int, int],
    activation: Activation,
    constants: tuple[bool, bool],
) -> None:
    """ADD of shapes that broadcast: each dimension is in both inputs, or 1 in one of them."""
    first = tuple(1 if side == "second" else size for size, side in dimensions)
    second = tuple(1 if side == "first" else size for size, side in dimensions)
    model = add(
        first,
        second[min(dropped, len(second)) :],
        scales=all_scales,
        zero_points=points,
        activation=activation,
        constants=constants,
    )
    check_model(model, seed=dropped)
