"""The weights file does not depend on the order in which the steps run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.stages import selected
from tinyml_rules.ir.features import Feature
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops.fully_connected.cases import dense


def two_layers() -> ModelSpec:
    """Two FULLY_CONNECTED of one input, then their sum."""
    first = dense(bias_size=None)
    (layer,) = first.operators
    x, weights, y = first.tensors
    tensors = (x, weights, y, replace(weights, name="more"), replace(y, name="z"))
    total = quantized("sum", y.shape)
    operators = (
        layer,
        replace(layer, inputs=(0, 3, *layer.inputs[2:]), outputs=(4,)),
        OperatorSpec("ADD", (2, 4), (5,)),
    )
    return ModelSpec((*tensors, total), operators, (0,), (5,))


def test_bytes_of_reordered_steps() -> None:
    """Each step still finds its own at the place that its params tell."""
    program = selected(two_layers(), features=frozenset((Feature.EXTERNAL_WEIGHTS,)))
    first, second, total = program.steps
    other = replace(program, steps=(second, first, total))
    assert other.external == program.external
    for step in (first, second):
        params: Any = step.params
        assert other.external[params.weights :][: len(step.external)] == step.external
