"""Random shapes, windows and quantizations: the oracle equals TFLM."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.operator_cases import expected_bytes, graph_of, oracle_bytes, result_bytes
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import random_case
from tinyml_rules.ops.add.cases import add

few = st.integers(1, 4)
zero_points = st.integers(-128, 127)
activations = st.sampled_from(
    [Activation.NONE, Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1]
)
scales = st.floats(0.01, 10.0)
fewer_examples = settings(max_examples=50, deadline=None, derandomize=True, database=None)


def check_model(model: ModelSpec, *, seed: int) -> None:
    """The oracle gives TFLM's bytes on random inputs."""
    case = random_case(model, seed=seed)
    graph = graph_of(case, name="model")
    assert result_bytes(case, graph, oracle_bytes(case, graph)) == expected_bytes(case)


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
