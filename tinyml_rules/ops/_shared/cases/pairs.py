"""What the cases of operators of two tensors, value by value, are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OptionValue, TensorSpec
from tinyml_rules.ops._shared.cases.broadcast import BROADCASTS, Shape
from tinyml_rules.ops._shared.cases.case import (
    EVERY_INT8,
    AnyArray,
    Case,
    Reference,
    filled,
    model_of,
    quantized,
    random,
    random_case,
    typed,
)
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, broadcast_shapes

EQUAL = ((1, 4, 6), (1, 4, 6))
KINDS = ("", "_channels", "_outer", "_channels_constant", "_outer_constant")
"""Of cases between which each kernel is used whose constant comes second."""
KINDS_OF_FIRST = (
    "_each_channel",
    "_channels_constant_first",
    "_each_channel_constant_first",
)
"""The same of the others."""
KNOWN = {"": (False, False), "_constant": (False, True), "_constant_first": (True, False)}
"""Ends of names of cases, and which of the operands are constants."""
FEW_BROADCASTS = ("channels", "each_channel", "outer", "scalar", "every_other_of_5")
SPECIAL = {
    "int8": (-128, -2, -1, 0, 1, 2, 127),
    "int16": (-32768, -32767, -181, -2, -1, 0, 1, 2, 181, 32766, 32767),
    "int32": (-(2**31), 1 - 2**31, -46341, -2, -1, 0, 1, 2, 46341, 2**31 - 1),
    "int64": (-(2**63), -(2**32), -1, 0, 1, 2**31, 2**32, 2**63 - 1),
    "bool": (False, True),
    "float32": (-np.inf, -3.5, -1.0, -0.0, 0.0, 1.0, 2.0**-149, 3.5, np.inf, np.nan),
}
"""Values of which each is met by each."""
FINITE = (-1e30, -3.5, -1.0, -0.0, 0.0, 2.0**-120, 1.0, 3.5, 6.0, 1e30)
"""Of float32, where a result that is no number would differ between machines."""


def tensor(
    name: str, shape: Shape, dtype: str, *, scale: float = 0.3, zero_point: int = 3
) -> TensorSpec:
    """A tensor of any type; int8 and int16 have a scale."""
    if dtype == "int16":
        return TensorSpec(name, shape, dtype, scales=(scale,), zero_points=(0,))
    if dtype == "int8":
        return quantized(name, shape, scale=scale, zero_point=zero_point)
    return typed(name, shape, dtype)


def pair(
    operator: str,
    dtype: str,
    first: Shape = EQUAL[0],
    second: Shape = EQUAL[1],
    *,
    constants: tuple[bool, bool] = (False, False),
    scales: tuple[float, float, float] = (0.3, 0.3, 0.3),
    zero_points: tuple[int, int, int] = (3, 3, 3),
    result: str = "",
    options: Mapping[str, OptionValue] | None = None,
) -> ModelSpec:
    """A model of an operator of two; triples are (first, second, output)."""
    shapes = (first, second, np.broadcast_shapes(first, second))
    types = (dtype, dtype, result or dtype)
    tensors = [
        tensor(name, shape, each, scale=scale, zero_point=zero_point)
        for name, shape, each, scale, zero_point in zip(
            ("first", "second", "output"), shapes, types, scales, zero_points, strict=True
        )
    ]
    inputs = [
        filled(each) if is_constant else each
        for each, is_constant in zip(tensors[:2], constants, strict=True)
    ]
    return model_of(operator, inputs, tensors[2], options=options)


def every_pair(
    model: ModelSpec, pool: Sequence[Any] = (), *, reference: Reference = Reference.TFLM
) -> Case:
    """Each of some values, by default those that are SPECIAL, with each: for a model of two inputs,
    which get another shape."""
    first, second, output = model.tensors
    values = np.array(pool or SPECIAL[first.dtype], first.dtype)
    samples = [each.reshape(len(values), 1, -1) for each in np.meshgrid(values, values)]
    shape = (1, len(values))
    tensors = tuple(replace(each, shape=shape) for each in (first, second, output))
    return Case(replace(model, tensors=tensors), tuple(samples), reference=reference)


def every_int8(model: ModelSpec, seconds: Sequence[int]) -> Case:
    """Every int8 value with each of `seconds`, for a model of two inputs of shape [1, 64]."""
    firsts = np.tile(EVERY_INT8.reshape(-1, 1, 64), (len(seconds), 1, 1))
    others = np.repeat(seconds, 256).astype(np.int8).reshape(-1, 1, 64)
    return Case(model, (firsts, others))


def broadcast_cases(
    operator: str,
    dtype: str,
    *,
    most_rank: int = 5,
    names: Sequence[str] = FEW_BROADCASTS,
    reference: Reference = Reference.TFLM,
    **more: Any,
) -> dict[str, Case]:
    """Equal shapes, shapes that broadcast from either side, and a constant on either side."""
    found = {"": random_case(pair(operator, dtype, **more), reference=reference)}
    for name in names:
        shapes = BROADCASTS[name]
        if max(map(len, shapes)) > most_rank:
            continue
        for suffix, (first, second), constants in (
            ("", shapes, (False, False)),
            ("_swapped", shapes[::-1], (False, False)),
            ("_constant", shapes, (False, True)),
            ("_constant_first", shapes, (True, False)),
        ):
            model = pair(operator, dtype, first, second, constants=constants, **more)
            found[f"_{name}{suffix}"] = random_case(model, reference=reference)
    return {f"{dtype}{suffix}": case for suffix, case in found.items()}


def of_operands(
    model: ModelSpec,
    operands: Sequence[AnyArray],
    known: tuple[bool, bool],
    *,
    reference: Reference = Reference.TFLM,
) -> Case:
    """Each operand, [samples, *shape], is an input, or a constant, its first sample, if it is
    `known`."""
    tensors = list(model.tensors)
    for place, is_known in enumerate(known):
        if is_known:
            tensors[place] = replace(tensors[place], data=np.asarray(operands[place][0]))
    inputs = tuple(place for place, is_known in enumerate(known) if not is_known)
    model = replace(model, tensors=tuple(tensors), inputs=inputs)
    return Case(model, tuple(operands[place] for place in inputs), reference=reference)


@st.composite
def pair_models(
    draw: st.DrawFn,
    /,
    operator: str,
    dtypes: Sequence[str],
    *,
    has_one_quantization: bool = False,
    most_rank: int = 5,
    **more: Any,
) -> ModelSpec:
    """Types, shapes, constants and quantizations of an operator of two; `more` for `pair`, which
    may be strategies."""
    dtype = draw(st.sampled_from(dtypes))
    first, second = draw(broadcast_shapes(most_rank=most_rank))
    constants = draw(st.sampled_from(((False, False), (False, True), (True, False))))
    if has_one_quantization:
        scales, zero_points = (draw(SCALES),) * 3, (draw(ZERO_POINTS),) * 3
    else:
        scales, zero_points = draw(st.tuples(*[SCALES] * 3)), draw(st.tuples(*[ZERO_POINTS] * 3))
    drawn = {
        name: draw(each) if isinstance(each, st.SearchStrategy) else each
        for name, each in more.items()
    }
    return pair(
        operator,
        dtype,
        first,
        second,
        **{"constants": constants, "scales": scales, "zero_points": zero_points, **drawn},
    )


def finite_case(model: ModelSpec, *, seed: int = 1) -> Case:
    """Random values that are all numbers other than 0, for a model of float32."""
    generator = random(seed)
    samples: list[AnyArray] = []
    for index in model.inputs:
        shape = (4, *model.tensors[index].shape)
        values = generator.normal(0, 10, shape).astype(np.float32)
        samples.append(np.where(values == 0, np.float32(1), values))
    return Case(model, tuple(samples))
