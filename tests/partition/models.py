"""Models with ends of every kind, and the same with conversions at their ends, which a reference
takes and gives real numbers by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tests.support.litert import litert_outputs
from tests.support.tflm import AnyArray, tflm_outputs
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops._shared.cases.case import bias, constant, quantized

SHAPE = (1, 6)
SAMPLES = 4


def real(name: str, shape: tuple[int, ...] = SHAPE) -> TensorSpec:
    """A tensor of real numbers."""
    return TensorSpec(name, shape, "float32")


def integers(name: str, dtype: str, *, scale: float, zero_point: int) -> TensorSpec:
    """A quantized tensor of any type."""
    return TensorSpec(name, SHAPE, dtype, (scale,), (zero_point,))


def with_float_ends(model: ModelSpec) -> ModelSpec:
    """The model with QUANTIZE in front of each quantized input and DEQUANTIZE behind each such
    output."""
    tensors, before, after = list(model.tensors), [], []
    inputs, outputs = list(model.inputs), list(model.outputs)

    def end(index: int) -> int:
        tensors.append(real(f"real_{len(tensors)}", model.tensors[index].shape))
        return len(tensors) - 1

    for place, index in enumerate(model.inputs):
        if model.tensors[index].scales:
            inputs[place] = end(index)
            before.append(OperatorSpec("QUANTIZE", (inputs[place],), (index,)))
    for place, index in enumerate(model.outputs):
        if model.tensors[index].scales:
            outputs[place] = end(index)
            after.append(OperatorSpec("DEQUANTIZE", (index,), (outputs[place],)))
    operators = (*before, *model.operators, *after)
    return ModelSpec(tuple(tensors), operators, tuple(inputs), tuple(outputs))


def rfc() -> ModelSpec:
    """The example of TVM's RFC 7108, channels last: 4 x 16 x 16, 3 x 3 weights for 4 channels,
    padding of 1, both scales 1/16, between float32 ends."""
    image, generator = (1, 16, 16, 4), np.random.default_rng(7)
    weights = generator.integers(-127, 128, (4, 3, 3, 4))
    inner = ModelSpec(
        (
            quantized("x", image, scale=1 / 16),
            constant("w", weights, scales=(2.0**-9,) * 4),
            bias([0] * 4, scales=(2.0**-13,) * 4),
            quantized("y", image, scale=1 / 16),
        ),
        (OperatorSpec("CONV_2D", (0, 1, 2), (3,), {"Padding": 0, "StrideW": 1, "StrideH": 1}),),
        (0,),
        (3,),
    )
    return with_float_ends(inner)


def _of_types() -> ModelSpec:
    """From int16 by int8 to int16, with zero points that differ from 0."""
    return ModelSpec(
        (
            integers("a", "int16", scale=0.01, zero_point=-3000),
            quantized("b", SHAPE, scale=0.7, zero_point=5),
            integers("c", "int16", scale=0.003, zero_point=32767),
        ),
        (OperatorSpec("QUANTIZE", (0,), (1,)), OperatorSpec("QUANTIZE", (1,), (2,))),
        (0,),
        (2,),
    )


def _of_uint8() -> ModelSpec:
    return ModelSpec(
        (
            integers("a", "uint8", scale=0.3, zero_point=200),
            quantized("b", SHAPE, scale=0.5, zero_point=-3),
            quantized("c", SHAPE, scale=0.4, zero_point=4),
            integers("d", "uint8", scale=0.5, zero_point=125),
        ),
        (
            OperatorSpec("QUANTIZE", (0,), (1,), version=2),
            OperatorSpec("ADD", (1, 1), (2,)),
            OperatorSpec("QUANTIZE", (2,), (3,), version=2),
        ),
        (0,),
        (3,),
    )


def _of_several() -> ModelSpec:
    """Two inputs of real numbers and one of indices, an output as it is, and real ones."""
    return ModelSpec(
        (
            quantized("x", SHAPE, scale=0.25, zero_point=-7),
            quantized("y", SHAPE, scale=0.125, zero_point=100),
            TensorSpec("places", (2,), "int32"),
            quantized("sum", SHAPE, scale=0.3, zero_point=1),
            quantized("some", (1, 2), scale=0.3, zero_point=1),
            TensorSpec("best", (1,), "int32"),
            TensorSpec("axis", (), "int32", data=np.array(1, np.int32)),
        ),
        (
            OperatorSpec("ADD", (0, 1), (3,)),
            OperatorSpec("GATHER", (3, 2), (4,), {"Axis": 1}),
            OperatorSpec("ARG_MAX", (3, 6), (5,), {"OutputType": 2}),
        ),
        (0, 2, 1),
        (3, 5, 4),
    )


@dataclass(frozen=True, eq=False)
class Ends:
    """A model as it is compiled, and with float32 at its ends, as a reference runs it."""

    model: ModelSpec
    reference: ModelSpec
    is_in_tflm: bool = True

    @property
    def file(self) -> bytes:
        """What is compiled."""
        return build_model(self.model)

    @property
    def samples(self) -> list[AnyArray]:
        """Real numbers that reach beyond what the integers hold, ties, and indices."""
        generator, found = np.random.default_rng(3), []
        for index in self.reference.inputs:
            tensor = self.reference.tensors[index]
            size = (SAMPLES, *tensor.shape)
            if tensor.dtype == "float32":
                values = generator.normal(0, 20, size)
                values[0] = np.round(values[0] * 32) / 32
                found.append(values.astype(np.float32))
            else:
                found.append(generator.integers(0, SHAPE[1], size).astype(tensor.dtype))
        return found

    @property
    def truth(self) -> list[AnyArray]:
        """What the reference gives for them."""
        run = tflm_outputs if self.is_in_tflm else litert_outputs
        return run(build_model(self.reference), self.samples)


def _both(model: ModelSpec, *, is_in_tflm: bool = True) -> Ends:
    """A model without conversions."""
    return Ends(model, with_float_ends(model), is_in_tflm)


def _same(model: ModelSpec) -> Ends:
    """A model with its own."""
    return Ends(model, model)


DOUBLE = ModelSpec(
    (quantized("x", SHAPE, zero_point=3), quantized("y", SHAPE)),
    (OperatorSpec("ADD", (0, 0), (1,)),),
    (0,),
    (1,),
)
ISLAND = ModelSpec(
    (*DOUBLE.tensors, real("z"), real("root"), quantized("w", SHAPE)),
    (
        *DOUBLE.operators,
        OperatorSpec("DEQUANTIZE", (1,), (2,)),
        OperatorSpec("COS", (2,), (3,)),
        OperatorSpec("QUANTIZE", (3,), (4,)),
    ),
    (0,),
    (4,),
)
"""Real numbers inside, which become a table."""
MODELS: Mapping[str, Ends] = {
    "rfc": _same(rfc()),
    "float_ends": _same(with_float_ends(DOUBLE)),
    "int8": _both(DOUBLE),
    "island": _both(ISLAND),
    "int16": _both(_of_types()),
    "uint8": _both(_of_uint8(), is_in_tflm=False),
    "several": _both(_of_several()),
    "twice": _same(replace(with_float_ends(DOUBLE), outputs=(3, 3))),
}
