"""Cases that RNN and UNIDIRECTIONAL_SEQUENCE_RNN share, and how their models are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Reference,
    Rejected,
    Tolerance,
    model_of,
    random,
    with_tensor,
)

TANH = 4
ACTIVATIONS = (
    *(Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6),
    TANH,
)
_OF_EIGEN = Tolerance(units=8, absolute=2e-6)
"""LiteRT's hyperbolic tangent is a quotient of polynomials, whose last bits are its own."""


def layer(
    operator: str,
    shape: tuple[int, ...],
    *,
    batches: int,
    units: int = 4,
    activation: int = Activation.NONE,
    **options: Any,
) -> ModelSpec:
    """A layer over an input of this shape."""

    def matrix(name: str, *sizes: int, seed: int) -> TensorSpec:
        values = random(seed).normal(0, 0.4, sizes).astype(np.float32)
        return TensorSpec(name, sizes, "float32", data=values)

    return model_of(
        operator,
        (
            TensorSpec("input", shape, "float32"),
            matrix("weights", units, shape[-1], seed=1),
            matrix("recurrent", units, units, seed=2),
            matrix("bias", units, seed=3),
            TensorSpec("state", (batches, units), "float32", is_variable=True),
        ),
        TensorSpec("output", (*shape[:-1], units), "float32"),
        options={"FusedActivationFunction": activation, **options},
    )


def sequence(model: ModelSpec, *, count: int = 6, seed: int = 4) -> Case:
    """Inputs of many sizes that follow one another."""
    generator, shape = random(seed), (count, *model.tensors[0].shape)
    values = generator.normal(0, 1, shape) * 2.0 ** generator.integers(-6, 3, shape)
    values[count // 2] = 0
    is_tanh = model.operators[0].options["FusedActivationFunction"] == TANH
    return Case(
        model,
        (values.astype(np.float32),),
        is_sequence=True,
        reference=Reference.LITERT,
        tolerance=_OF_EIGEN if is_tanh else None,
    )


def recurrence_rejected(make: Callable[..., ModelSpec]) -> dict[str, Rejected]:
    """Shapes and options."""
    model = make()
    width = model.tensors[0].shape[-1]
    return {
        "sign_bit": Rejected(
            make(activation=5), ("fused activation 5, expected one of 0, 1, 2, 3, 4",)
        ),
        "rows_of_weights": Rejected(
            with_tensor(model, 1, shape=(4, width + 1), data=np.zeros((4, width + 1), np.float32)),
            (
                f"weights tensor #1 'weights' has shape [4, {width + 1}], expected rows of {width},"
                " as the input's",
            ),
        ),
        "state_of_another_batch": Rejected(
            with_tensor(model, 4, shape=(7, 4)),
            (f"state tensor #4 'state' has shape [7, 4], expected {list(model.tensors[4].shape)}",),
        ),
    }
