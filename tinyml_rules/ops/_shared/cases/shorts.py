"""Cases of int16, whose zero points are 0: of two tensors, and of one, value by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Reference,
    filled,
    model_of,
    random,
    random_case,
)
from tinyml_rules.ops._shared.cases.pairs import broadcast_cases, pair
from tinyml_rules.ops._shared.cases.strategies import Shape, broadcast_shapes, shapes

Scales = tuple[float, float, float]
Factor = Callable[[float, float], float]
"""The scale of a product, or of what is made of two inputs of these scales."""

STEP = 2.0**-12
SHORT_SCALES = st.sampled_from((STEP, STEP / 2, STEP / 4, 0.75 * STEP, 1.5 * STEP)) | st.floats(
    2.0**-15, 2.0**-9, width=32
)
"""Quotients of the first ones make ties."""
FACTORS = st.sampled_from((2.0**-16, 2.0**-12, 2.0**-3, 0.5)) | st.floats(2.0**-17, 0.75)
"""From the scale of a product to the output's."""
BROADCASTS = ("channels", "each_channel", "outer")
"""Those of `broadcast.py` between which every kernel is used."""
SECONDS = (-32768, -12345, -3, -1, 0, 1, 2, 3, 255, 32767)


def short(name: str, shape: Shape, scale: float = STEP) -> TensorSpec:
    """An int16 activation."""
    return TensorSpec(name, shape, "int16", scales=(scale,), zero_points=(0,))


def many_shorts() -> npt.NDArray[np.int16]:
    """Both ends of int16, what is around 0, and others: 512 in vectors of 64."""
    near = np.arange(-96, 96)
    ends = np.concatenate([np.arange(-32768, -32704), np.arange(32704, 32768)])
    others = random(9).integers(-32768, 32768, 512 - near.size - ends.size)
    return np.concatenate([near, ends, others]).astype(np.int16).reshape(-1, 1, 64)


def in_shorts(model: ModelSpec, *, scale: float | None = None) -> ModelSpec:
    """The model with int16 for int8, zero points of 0, and if given one scale for all."""
    tensors = []
    for tensor in model.tensors:
        if tensor.dtype != "int8":
            tensors.append(tensor)
            continue
        scales = tensor.scales if scale is None else (scale,)
        wide = replace(tensor, dtype="int16", zero_points=(0,), scales=scales)
        tensors.append(filled(wide) if tensor.data is not None else wide)
    return replace(model, tensors=tuple(tensors))


def of_shorts(
    cases: Mapping[str, Case], names: Sequence[str], *, scale: float | None = None
) -> dict[str, Case]:
    """Some of the cases with int16."""
    return {
        f"int16_{name}": random_case(
            in_shorts(cases[name].model, scale=scale), reference=cases[name].reference
        )
        for name in names
    }


def every_short(
    model: ModelSpec,
    seconds: Sequence[int] = SECONDS,
    *,
    reference: Reference = Reference.TFLM,
) -> Case:
    """Many int16 values, with each of `seconds` where the model has two inputs of shape [1, 64]."""
    firsts = many_shorts()
    if len(model.inputs) == 1:
        return Case(model, (firsts,), reference=reference)
    dtype = model.tensors[model.inputs[1]].dtype
    limits = np.iinfo(dtype)
    others = np.repeat(np.clip(seconds, limits.min, limits.max), len(firsts))
    samples: tuple[AnyArray, ...] = (
        np.tile(firsts, (len(seconds), 1, 1)),
        np.broadcast_to(others.reshape(-1, 1, 1), (others.size, 1, 64)).astype(dtype),
    )
    return Case(model, samples, reference=reference)


def short_pairs(
    operator: str,
    scales: Mapping[str, Scales],
    *,
    result: str = "",
    reference: Reference = Reference.TFLM,
    options: Sequence[Mapping[str, OptionValue]] = (),
) -> dict[str, Case]:
    """Shapes and constants at the first scales, values at all of them, and options at the first."""
    usual, *_ = scales.values()
    more: dict[str, Any] = {"result": result}
    found = broadcast_cases(
        operator, "int16", names=BROADCASTS, scales=usual, reference=reference, **more
    )

    def case(each: Scales, chosen: Mapping[str, OptionValue] | None = None) -> Case:
        model = pair(operator, "int16", (1, 64), (1, 64), scales=each, options=chosen, **more)
        return every_short(model, reference=reference)

    found |= {f"int16_of_{name}": case(each) for name, each in scales.items()}
    found |= {f"int16_option_{place}": case(usual, each) for place, each in enumerate(options)}
    return found


def short_maps(
    operator: str,
    scales: Mapping[str, tuple[float, float]],
    *,
    options: Mapping[str, OptionValue] | None = None,
    reference: Reference = Reference.TFLM,
) -> dict[str, Case]:
    """Many values of int16 at these scales of input and output, and shapes."""
    found = {
        f"int16_{name}": every_short(
            short_map(operator, each, options=options), reference=reference
        )
        for name, each in scales.items()
    }
    first, *_ = scales.values()
    for name, shape in (("scalar", ()), ("rank_4", (2, 3, 2, 5))):
        model = short_map(operator, first, shape=shape, options=options)
        found[f"int16_{name}"] = random_case(model, reference=reference)
    return found


def short_map(
    operator: str,
    scales: tuple[float, float] = (STEP, STEP),
    *,
    shape: Shape = (1, 64),
    options: Mapping[str, OptionValue] | None = None,
) -> ModelSpec:
    """One node from int16 to int16."""
    source, result = short("input", shape, scales[0]), short("output", shape, scales[1])
    return model_of(operator, (source,), result, options=options)


MAP_SCALES = {
    "same": (STEP, STEP),
    "finer": (STEP, STEP * 0.3),
    "coarser": (STEP, STEP * 5.1),
    "ties": (STEP, 2 * STEP),
    "ties_of_both": (STEP, 8 * STEP),
    "much_coarser": (STEP, STEP * 2.0**20),
    # 3.5 as float32, a little less in double
    "quotient_in_double": (0.7 * STEP, 0.2 * STEP),
}
"""Of input and output."""


@st.composite
def short_map_models(
    draw: st.DrawFn,
    operator: str,
    *,
    is_same: bool = False,
    options: st.SearchStrategy[Mapping[str, OptionValue]] | None = None,
    reference: Reference = Reference.TFLM,
) -> Case:
    """Any scales, or one."""
    before = draw(SHORT_SCALES)
    after = before if is_same else draw(SHORT_SCALES)
    chosen = None if options is None else draw(options)
    model = short_map(operator, (before, after), shape=draw(shapes()), options=chosen)
    return random_case(model, reference=reference)


@st.composite
def short_pair_models(
    draw: st.DrawFn,
    operator: str,
    *,
    factor: Factor | None = None,
    result: str = "",
    has_one_scale: bool = False,
    reference: Reference = Reference.TFLM,
    options: st.SearchStrategy[Mapping[str, OptionValue]] | None = None,
) -> Case:
    """Shapes, constants and scales; the output's is so that a product of the scale `factor` becomes
    smaller."""
    first, second = draw(broadcast_shapes(most_rank=5))
    scales = [draw(SHORT_SCALES)] * 3 if has_one_scale else [draw(SHORT_SCALES) for _ in range(3)]
    if factor is not None:
        scales[2] = factor(*scales[:2]) / draw(FACTORS)
    model = pair(
        operator,
        "int16",
        first,
        second,
        scales=(scales[0], scales[1], scales[2]),
        constants=draw(st.sampled_from(((False, False), (False, True), (True, False)))),
        result=result,
        options=None if options is None else draw(options),
    )
    return random_case(model, reference=reference)
