"""Cases of FULLY_CONNECTED of real numbers: the order of the sums, the ends of float32."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Rejected,
    model_of,
    random,
    random_case,
    typed,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.weighted import computed

_LARGEST = float(np.finfo(np.float32).max)
_TINY = float(np.finfo(np.float32).smallest_subnormal)


def real_dense(
    source: tuple[int, ...] = (1, 10),
    result: tuple[int, ...] = (1, 6),
    *,
    input_count: int = 0,
    weights: AnyArray | None = None,
    bias: AnyArray | None = None,
    has_bias: bool = True,
    activation: Activation = Activation.NONE,
) -> ModelSpec:
    """A layer; `input_count` is by default the last dimension, weights and bias are random."""
    shape = (result[-1], input_count or source[-1])
    matrix = random().normal(0, 2, shape) if weights is None else weights.reshape(shape)
    base = random(2).normal(0, 5, shape[0]) if bias is None else bias
    operands = [typed("input", source, "float32"), _real("weights", matrix)]
    if has_bias:
        operands.append(_real("bias", base))
    return model_of(
        "FULLY_CONNECTED",
        operands,
        typed("output", result, "float32"),
        options={"FusedActivationFunction": activation},
    )


def _real(name: str, values: AnyArray) -> TensorSpec:
    return TensorSpec(name, values.shape, "float32", data=values.astype(np.float32))


def _vectors(rows: list[list[float]], weights: list[float], bias: float = 0.0) -> Case:
    """One output of each row of inputs."""
    values = np.array(rows, np.float32)
    model = real_dense(values[:1].shape, (1, 1), weights=np.array(weights), bias=np.array([bias]))
    return Case(model, (values[:, np.newaxis],))


def _spread() -> Case:
    """Numbers of many sizes: another order of the products gives other sums."""
    generator = random(3)
    model = real_dense((2, 64), (2, 8), weights=_many_sizes((8, 64)), bias=_many_sizes((8,)))
    values = generator.normal(0, 1, (20, 2, 64)) * 2.0 ** generator.integers(-20, 20, (20, 2, 64))
    return Case(model, (values.astype(np.float32),))


def _many_sizes(shape: tuple[int, ...]) -> AnyArray:
    generator = random(4)
    made: AnyArray = generator.normal(0, 1, shape) * 2.0 ** generator.integers(-20, 20, shape)
    return made


REAL_CASES = {
    "real": random_case(real_dense()),
    "real_batches": random_case(real_dense((4, 10), (4, 6))),
    "real_one_input": random_case(real_dense((1, 1), (1, 5))),
    "real_one_output": random_case(real_dense(result=(1, 1))),
    "real_wide": random_case(real_dense((1, 200), (1, 3))),
    "real_of_rank_3": random_case(real_dense((2, 3, 4), (6, 5))),
    "real_of_rank_4": random_case(real_dense((1, 5, 4, 2), (1, 6), input_count=40)),
    "real_no_bias": random_case(real_dense(has_bias=False)),
    **{
        f"real_{activation.name.lower()}": random_case(real_dense(activation=activation))
        for activation in (Activation.RELU, Activation.RELU6, Activation.RELU_N1_TO_1)
    },
    "real_spread": _spread(),
    "real_bias_last": _vectors([[1.0, 1.0], [1.0, -1.0], [3.0, 2.0]], [2.0**-24, 2.0**-24], 1.0),
    "real_no_fused_product": _vectors(
        [[1 + 2.0**-12, 1 + 2.0**-11], [1 + 2.0**-12, 1 - 2.0**-12]], [1 + 2.0**-12, -1.0]
    ),
    "real_large": _vectors(
        [[_LARGEST, 1.0], [-_LARGEST, -1.0], [_LARGEST, -1.0], [1e38, 3e38], [0.0, 1e38]],
        [2.0, 2.0],
        1e38,
    ),
    "real_small": _vectors(
        [[_TINY, _TINY], [_TINY, -_TINY], [-_TINY, 0.0], [2.0**-126, -_TINY], [2.0**-120, 0.0]],
        [0.5, 1.0],
    ),
    **{
        f"real_computed_{'_'.join(what)}": random_case(
            computed(real_dense((3, 10), (3, 6), activation=Activation.RELU6), *what)
        )
        for what in (("weights",), ("bias",), ("weights", "bias"))
    },
    "real_computed_weights_no_bias": random_case(computed(real_dense(has_bias=False), "weights")),
    "real_zeros": _vectors([[0.0, -0.0], [-0.0, -0.0], [-0.0, 0.0]], [1.0, 1.0], -0.0),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(real_dense(), tensor, **changes), errors)


REAL_REJECTED = {
    "real_input_that_does_not_divide": _rejected(
        "input tensor #0 'input' has 15 values, "
        "expected a multiple of the 10 that weights tensor #1 'weights' takes",
        tensor=0,
        shape=(1, 15),
    ),
    "real_tanh": Rejected(
        with_options(real_dense(), FusedActivationFunction=4), ("fused activation TANH",)
    ),
}
