"""Cases of int8 with uint8 in its place, as TensorFlow 1 has it: zero points are 128 higher,
weights have one too, and LiteRT is the reference, because TFLM refuses them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import Case, Reference, random_case, with_tensor
from tinyml_rules.ops._shared.cases.int16x8 import has_bias

_HALF = 128
_WEIGHTS = 1
"""Position of the operand."""
_OFFSET = 90
"""A zero point that weights of both ends of uint8 do not lose as int8."""


def as_uint8(case: Case) -> Case:
    """The same case."""
    model = in_uint8(case.model)
    are_bytes = [case.model.tensors[index].dtype == "int8" for index in model.inputs]
    samples = (
        _flipped(each) if is_byte else each
        for each, is_byte in zip(case.samples, are_bytes, strict=True)
    )
    return replace(case, model=model, samples=tuple(samples), reference=Reference.LITERT)


def in_uint8(model: ModelSpec) -> ModelSpec:
    """The same model, with one scale for all outputs of weights."""
    return replace(model, tensors=tuple(_tensor_in_uint8(each) for each in model.tensors))


def _tensor_in_uint8(tensor: TensorSpec) -> TensorSpec:
    scales, zero_points = tensor.scales[:1], tensor.zero_points[:1]
    if tensor.dtype != "int8" or not scales:
        return replace(tensor, scales=scales, zero_points=zero_points)
    data: Any = tensor.data
    return replace(
        tensor,
        dtype="uint8",
        scales=scales,
        zero_points=(zero_points[0] + _HALF,),
        data=None if data is None else _flipped(data),
    )


def in_int8(model: ModelSpec) -> ModelSpec:
    """The model with int8 for uint8, as `passes/uint8_as_int8.py` makes it."""
    return replace(model, tensors=tuple(_tensor_in_int8(each) for each in model.tensors))


def _tensor_in_int8(tensor: TensorSpec) -> TensorSpec:
    if tensor.dtype != "uint8":
        return tensor
    data: Any = tensor.data
    return replace(
        tensor,
        dtype="int8",
        zero_points=tuple(each - _HALF for each in tensor.zero_points),
        data=None if data is None else _flipped(data).view(np.int8),
    )


def _flipped(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(np.ascontiguousarray(values).view(np.uint8) ^ np.uint8(_HALF))


def weighted_in_uint8(model: ModelSpec, zero_point: int, *, weights: int = _WEIGHTS) -> ModelSpec:
    """A model of int8 with weights that have a zero point."""
    return with_tensor(in_uint8(model), weights, zero_points=(zero_point,))


def uint8_cases(cases: Mapping[str, Case], names: Iterable[str]) -> dict[str, Case]:
    """Some of the cases, of an operator without weights."""
    return {f"uint8_{name}": as_uint8(cases[name]) for name in names}


def weighted_uint8_cases(
    cases: Mapping[str, Case], names: Iterable[str], zero_points: Iterable[int] = (_OFFSET,)
) -> dict[str, Case]:
    """Some of the cases, with each of these zero points of weights; LiteRT asks for a bias."""
    return {
        f"uint8_{name}_{zero_point}": random_case(
            weighted_in_uint8(cases[name].model, zero_point), reference=Reference.LITERT
        )
        for name in names
        if has_bias(cases[name].model)
        for zero_point in zero_points
    }


@st.composite
def uint8_models(draw: st.DrawFn, models: st.SearchStrategy[ModelSpec]) -> Case:
    """The same of models that are drawn, of an operator without weights."""
    return as_uint8(random_case(draw(models)))


def _is_plain(model: ModelSpec) -> bool:
    return model.tensors[_WEIGHTS].dtype == "int8" and has_bias(model)


@st.composite
def weighted_uint8_models(draw: st.DrawFn, models: st.SearchStrategy[ModelSpec]) -> Case:
    """Models that are drawn, with a zero point of weights."""
    model = draw(models.filter(_is_plain))
    zero_point = draw(st.sampled_from((0, _OFFSET, _HALF, 255)) | st.integers(0, 255))
    found = weighted_in_uint8(model, zero_point)
    return random_case(found, reference=Reference.LITERT)
