"""Models of real numbers made from quantized models, and cases of those."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from hypothesis.strategies import SearchStrategy

from tinyml_rules.model_file.writer import OPTIONAL, ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import AnyArray, Case, random, random_case

CONVERSIONS = ("DEQUANTIZE", "QUANTIZE")
WITH_ALL_INPUTS = ("UNIDIRECTIONAL_SEQUENCE_LSTM",)
"""Operators whose nodes have those that they do without, too."""


def in_reals(case: Case) -> Case:
    """The case with a float32 tensor for each quantized one, with the integers' real values, and so
    without conversions between the two."""
    model = case.model
    sources = (model.tensors[index] for index in model.inputs)
    samples = tuple(_values(*each) for each in zip(sources, case.samples, strict=True))
    return replace(case, model=real_model(model), samples=samples, stand_in=None)


def real_cases(cases: Mapping[str, Case], names: Iterable[str]) -> dict[str, Case]:
    """Some of the cases in real numbers of many sizes, so that another order of sums gives other
    results."""
    return {f"real_{name}": of_many_sizes(in_reals(cases[name])) for name in names}


def real_models(models: SearchStrategy[ModelSpec]) -> SearchStrategy[Case]:
    """The same of models that are drawn."""
    return models.map(lambda model: of_many_sizes(in_reals(random_case(model))))


def of_many_sizes(case: Case) -> Case:
    """The case with other inputs: random numbers times powers of two, zeros, and large ones."""
    generator = random(7)
    samples = []
    for values in case.samples:
        drawn = generator.normal(0, 1, values.shape)
        drawn *= 2.0 ** generator.integers(-9, 9, values.shape)
        drawn[-2:-1], drawn[-1:] = 0, 1e20  # of a single one the large one
        samples.append(drawn.astype(np.float32))
    return replace(case, samples=tuple(samples))


def real_model(model: ModelSpec) -> ModelSpec:
    """The same of a model."""
    tensors, others = tuple(map(_real, model.tensors)), tuple(map(real_model, model.others))
    same = {OPTIONAL: OPTIONAL, **{index: index for index in range(len(model.tensors))}}
    kept = []
    for operator in model.operators:
        inputs = tuple(same[index] for index in operator.inputs)
        is_open = operator.name not in WITH_ALL_INPUTS
        while is_open and inputs[-1:] == (OPTIONAL,):  # LiteRT takes those of float32 without
            inputs = inputs[:-1]
        if operator.name in CONVERSIONS:
            same[operator.outputs[0]] = inputs[0]
        else:
            kept.append(replace(operator, inputs=inputs))
    outputs = tuple(same[index] for index in model.outputs)
    return replace(model, tensors=tensors, operators=tuple(kept), outputs=outputs, others=others)


def _is_quantized(tensor: TensorSpec) -> bool:
    return bool(tensor.scales) and tensor.dtype != "float32"


def _real(tensor: TensorSpec) -> TensorSpec:
    data = None if tensor.data is None else _values(tensor, np.asarray(tensor.data))
    if not _is_quantized(tensor):
        return tensor
    return replace(tensor, dtype="float32", scales=(), zero_points=(), data=data)


def _values(tensor: TensorSpec, values: AnyArray) -> npt.NDArray[np.float32] | AnyArray:
    """The real values of a tensor's integers, or of samples of it."""
    if not _is_quantized(tensor):
        return values
    scales, zero_points = np.array(tensor.scales), np.array(tensor.zero_points or (0,))
    if len(scales) > 1:
        places = range(len(tensor.shape))
        shape = [-1 if place == tensor.axis else 1 for place in places]
        scales, zero_points = scales.reshape(shape), zero_points.reshape(shape)
    return np.asarray((values.astype(np.int64) - zero_points) * scales, np.float32)
