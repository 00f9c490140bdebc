"""Models of every kind of input: layers with two inputs and three outputs, and other types."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import tflite

from tests.partition.models import with_float_ends
from tests.ways_in.samples import CLASSES, network
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized

_ADD = {"FusedActivationFunction": tflite.ActivationFunctionType.NONE}


def two_inputs() -> bytes:
    """Two convolutions and a dense layer; its output, that and a second input, and both in another
    scale."""
    net = network()
    first = len(net.tensors)
    shape = (1, CLASSES)
    more = (
        quantized("other", shape, scale=2.0**-3),
        quantized("sum", shape, scale=2.0**-3),
        quantized("coarse", shape, scale=0.7),
    )
    operators = (
        OperatorSpec("ADD", (net.outputs[0], first), (first + 1,), _ADD, version=2),
        OperatorSpec("QUANTIZE", (first + 1,), (first + 2,)),
    )
    return build_model(
        ModelSpec(
            (*net.tensors, *more),
            (*net.operators, *operators),
            inputs=(*net.inputs, first),
            outputs=(*net.outputs, first + 1, first + 2),
        )
    )


def _sum(dtype: str, *, scale: float, zero_point: int = 0) -> bytes:
    scales, points = ((scale,), (zero_point,)) if scale else ((), ())
    tensors = tuple(
        TensorSpec(name, (1, 6), dtype, scales=scales, zero_points=points)
        for name in ("left", "right", "sum")
    )
    attrs = {**_ADD, "PotScaleInt16": False} if dtype == "int16" else _ADD
    add = OperatorSpec("ADD", (0, 1), (2,), attrs, version=2)
    return build_model(ModelSpec(tensors, (add,), inputs=(0, 1), outputs=(2,)))


MODELS: Mapping[str, Callable[[], bytes]] = {
    "int8": two_inputs,
    "int16": lambda: _sum("int16", scale=2.0**-10),
    "float": lambda: _sum("float32", scale=0),
    "uint8": lambda: _sum("uint8", scale=0.5, zero_point=128),
    "float_ends": lambda: build_model(with_float_ends(network())),
}
"""By the type of their inputs."""
