"""What the `cases.py` of every operator is made of: models with one operator, and their inputs.

For tests alone; nothing that compiles a model imports it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    OptionValue,
    TensorSpec,
)

AnyArray = npt.NDArray[Any]

RANDOM_SAMPLES = 3
EVERY_INT8 = np.arange(INT8_MIN, INT8_MAX + 1).astype(np.int8)


class Reference(Enum):
    """Whose answer is right."""

    TFLM = "tflm"
    LITERT = "litert"
    """What TFLM does not have, or does otherwise than the 8-bit specification says."""


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be from the reference's: so many units in its last place, or so much,
    whichever is more."""

    units: int = 0
    absolute: float = 0.0


@dataclass(frozen=True, eq=False)
class Case:
    """A model with one operator; `samples` has an array of shape (count, *shape) per input.

    Variables keep their values from one sample to the next if it `is_sequence`.  `stand_in`: a
    model that means the same, for a reference that does not take this one.  Results have the
    reference's bytes unless there is a `tolerance`, which is for what the C library computes."""

    model: ModelSpec
    samples: tuple[AnyArray, ...]
    is_sequence: bool = False
    reference: Reference = Reference.TFLM
    stand_in: ModelSpec | None = None
    tolerance: Tolerance | None = None


@dataclass(frozen=True, eq=False)
class Rejected:
    """A model whose one node `check` refuses, and every text that it gives, without hints."""

    model: ModelSpec
    errors: tuple[str, ...]


def random(seed: int = 1) -> np.random.Generator:
    """Numbers that are the same every time."""
    return np.random.default_rng(seed)


def quantized(
    name: str, shape: tuple[int, ...], *, scale: float = 0.5, zero_point: int = 0
) -> TensorSpec:
    """An int8 activation."""
    return TensorSpec(name, shape, scales=(scale,), zero_points=(zero_point,))


def wide(
    name: str, shape: tuple[int, ...], *, scale: float = 0.5, zero_point: int = 0
) -> TensorSpec:
    """An int16 activation."""
    return TensorSpec(name, shape, "int16", scales=(scale,), zero_points=(zero_point,))


def constant(
    name: str,
    values: npt.ArrayLike,
    *,
    scales: Sequence[float] = (1.0,),
    zero_point: int = 0,
    axis: int = 0,
) -> TensorSpec:
    """An int8 constant, quantized per tensor or along `axis`."""
    data = np.asarray(values, np.int8)
    zero_points = (zero_point,) * len(scales)
    return TensorSpec(
        name, data.shape, scales=tuple(scales), zero_points=zero_points, axis=axis, data=data
    )


def bias(values: npt.ArrayLike, *, scales: Sequence[float]) -> TensorSpec:
    """An int32 vector; TFLM compares a per-tensor scale with that of the sums."""
    data = np.asarray(values, np.int32)
    zero_points = (0,) * len(scales)
    return TensorSpec(
        "bias", data.shape, "int32", scales=tuple(scales), zero_points=zero_points, data=data
    )


def typed(name: str, shape: tuple[int, ...], dtype: str) -> TensorSpec:
    """A tensor of plain numbers."""
    return TensorSpec(name, shape, dtype)


def plain(name: str, shape: tuple[int, ...], dtype: str = "int8") -> TensorSpec:
    """A tensor of any type, for operators that only move elements; int8 has a scale."""
    return quantized(name, shape, zero_point=-5) if dtype == "int8" else typed(name, shape, dtype)


def filled(tensor: TensorSpec, *, seed: int = 2) -> TensorSpec:
    """The tensor as a constant with random values."""
    return replace(tensor, data=_values(tensor.shape, tensor.dtype, random(seed)))


def int32s(name: str, values: npt.ArrayLike) -> TensorSpec:
    """A constant of int32 that tells what to do."""
    data = np.asarray(values, np.int32)
    return TensorSpec(name, data.shape, "int32", data=data)


def model_of(
    operator: str,
    inputs: Sequence[TensorSpec | None],
    *outputs: TensorSpec,
    options: Mapping[str, OptionValue] | None = None,
    options_table: str | None = None,
    version: int = 1,
) -> ModelSpec:
    """A model of one operator; those of its inputs that are no constants are the model's.

    None leaves an input out.
    """
    tensors = [tensor for tensor in inputs if tensor is not None]
    indices, present = [], 0
    for tensor in inputs:
        indices.append(OPTIONAL if tensor is None else present)
        present += tensor is not None
    results = tuple(range(present, present + len(outputs)))
    return ModelSpec(
        tensors=(*tensors, *outputs),
        operators=(
            OperatorSpec(
                operator,
                tuple(indices),
                results,
                options or {},
                options_table=options_table,
                version=version,
            ),
        ),
        inputs=tuple(
            index
            for index, tensor in enumerate(tensors)
            if tensor.data is None and not tensor.is_variable
        ),
        outputs=results,
    )


def random_case(model: ModelSpec, *, seed: int = 1, reference: Reference = Reference.TFLM) -> Case:
    """Random inputs, then the lowest value everywhere, then the highest."""
    generator = random(seed)
    tensors = [model.tensors[index] for index in model.inputs]
    samples = tuple(_samples(each.shape, each.dtype, generator) for each in tensors)
    return Case(model, samples, reference=reference)


def _samples(shape: tuple[int, ...], dtype: str, generator: np.random.Generator) -> AnyArray:
    values = _values((RANDOM_SAMPLES, *shape), dtype, generator)
    if dtype == "float32":
        ends = [np.zeros((1, *shape)), np.full((1, *shape), -1e3)]
        return np.concatenate([values, *ends]).astype(np.float32)
    if dtype == "bool":
        ends = [np.full((1, *shape), end) for end in (False, True)]
        return np.concatenate([values, *ends])
    limits = np.iinfo(dtype)
    ends = [np.full((1, *shape), end, dtype) for end in (limits.min, limits.max)]
    return np.concatenate([values, *ends])


def _values(shape: tuple[int, ...], dtype: str, generator: np.random.Generator) -> AnyArray:
    if dtype == "float32":
        return generator.normal(0, 10, shape).astype(np.float32)
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(np.bool_)
    limits = np.iinfo(dtype)
    return generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def every_value_case(model: ModelSpec) -> Case:
    """Every int8 value once, for a model with one input whose size divides 256."""
    (index,) = model.inputs
    return Case(model, (EVERY_INT8.reshape(-1, *model.tensors[index].shape),))


def with_tensor(model: ModelSpec, index: int, **changes: Any) -> ModelSpec:
    """The model with one of its tensors changed, and given to the model where it lost its data."""
    tensors = list(model.tensors)
    tensors[index] = replace(tensors[index], **changes)
    inputs = tuple(
        position
        for position in model.operators[0].inputs
        if position != OPTIONAL
        and tensors[position].data is None
        and not tensors[position].is_variable
    )
    return replace(model, tensors=tuple(tensors), inputs=inputs or model.inputs)


def with_options(model: ModelSpec, **changes: OptionValue) -> ModelSpec:
    """The model with some of its operator's options changed."""
    (operator,) = model.operators
    return replace(model, operators=(replace(operator, options={**operator.options, **changes}),))


def with_version(model: ModelSpec, version: int) -> ModelSpec:
    """The model with another version of its operator."""
    (operator,) = model.operators
    return replace(model, operators=(replace(operator, version=version),))


def wrong(*errors: str, **changes: Any) -> Callable[[ModelSpec], Rejected]:
    """What makes of the model one with changes to `tensor` number, or to options."""

    def made_of(model: ModelSpec) -> Rejected:
        of_tensor = {name: value for name, value in changes.items() if name != "tensor"}
        if "tensor" in changes:
            return Rejected(with_tensor(model, changes["tensor"], **of_tensor), errors)
        return Rejected(with_options(model, **changes), errors)

    return made_of
