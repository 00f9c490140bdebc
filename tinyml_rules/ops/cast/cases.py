"""Cases of CAST: each type to each, at the ends of both, within chains, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.ir.dtype import DType
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Reference,
    every_value_case,
    model_of,
    quantized,
    random,
    random_case,
    typed,
)
from tinyml_rules.ops._shared.cases.strategies import shapes
from tinyml_rules.ops.cast import OF_LITERT, TYPES

_LIMITS = np.finfo(np.float32)
_REALS = (
    *(0.0, 0.4, 0.5, 0.999, 1.0, 1.5, 2.5, 126.9, 127.0, 127.9, 128.0, 128.9, 129.0, 255.5, 300.0),
    *(32766.5, 32767.5, 32768.0, 32769.0, 65536.0, 1e6, 2147483520.0, 2147483648.0, 2147483904.0),
    *(4294967040.0, 4294967296.0, 5e9, 9223371487098961920.0, 9223372036854775808.0, 1e20),
    *(_LIMITS.max, _LIMITS.tiny),
    *(_LIMITS.smallest_subnormal, np.inf, np.nan),
)
_INTEGERS = (
    *(0, 1, 2, 126, 127, 128, 129, 254, 255, 256, 300, 32767, 32768, 65535, 65536),
    *(2**24 - 1, 2**24, 2**24 + 1, 2**24 + 3, 2**25 + 2, 2**25 + 6, 2**31 - 193, 2**31 - 192),
    *(2**31 - 65, 2**31 - 64, 2**31 - 1, 2**31, 2**31 + 128, 2**31 + 384, 2**32 - 129, 2**32 - 1),
    *(2**40 + 1, 2**55 + 2**31, 2**55 + 2**31 + 1, 2**63 - 2**38, 2**63 - 2**38 - 1),
)


def cast(source: str, result: str, shape: tuple[int, ...] = (1, 8)) -> ModelSpec:
    """A CAST node."""
    return model_of("CAST", (typed("input", shape, source),), typed("output", shape, result))


def _values(dtype: DType) -> AnyArray:
    """The numbers at the ends of any of the types, and random ones."""
    generator = random()
    if dtype is DType.BOOL:
        return np.array([False, True])
    if dtype is DType.FLOAT32:
        ends = np.array(_REALS, np.float32)
        more = generator.normal(0, 1, 60) * 10.0 ** generator.integers(-2, 12, 60)
        return np.concatenate([ends, -ends, more.astype(np.float32)])
    low, high = dtype.limits
    ends = np.unique([each for end in _INTEGERS for each in (end, -end)])
    inside = ends[(ends >= low) & (ends <= high)]
    more = generator.integers(low, high, 60, endpoint=True)
    return np.concatenate([inside, [low, high], more]).astype(dtype.numpy)


def _ends(source: DType, result: DType) -> Case:
    values = _values(source)
    model = cast(source, result, (1, len(values)))
    return Case(model, (values.reshape(1, 1, -1),), reference=_reference(source, result))


def _reference(*dtypes: str) -> Reference:
    return Reference.TFLM if set(OF_LITERT).isdisjoint(dtypes) else Reference.LITERT


def _chain(*dtypes: str, **changes: Any) -> ModelSpec:
    """One CAST behind another; the first tensor is changed."""
    tensors = [typed(f"t{place}", (1, 64), dtype) for place, dtype in enumerate(dtypes)]
    tensors[0] = replace(tensors[0], **changes)
    count = len(dtypes) - 1
    operators = tuple(OperatorSpec("CAST", (place,), (place + 1,)) for place in range(count))
    return ModelSpec(tuple(tensors), operators, (0,), (count,))


def every_cast() -> ModelSpec:
    """A CAST of each type to each, side by side."""
    count = len(TYPES)
    sources = tuple(typed(f"{source}", (1, 5), source) for source in TYPES)
    results = tuple(
        typed(f"{source}_to_{result}", (1, 5), result) for source, result in product(TYPES, TYPES)
    )
    outputs = tuple(range(count, count + len(results)))
    operators = tuple(
        OperatorSpec("CAST", (place // count,), (index,)) for place, index in enumerate(outputs)
    )
    return ModelSpec((*sources, *results), operators, tuple(range(count)), outputs)


CASES = {
    **{f"{source}_to_{result}": _ends(source, result) for source, result in product(TYPES, TYPES)},
    "all_at_once": random_case(every_cast(), reference=Reference.LITERT),
    "rank_4": random_case(cast("int32", "int16", (2, 3, 2, 5))),
    "scalar": random_case(cast("float32", "int8", ())),
    "quantized": every_value_case(
        model_of(
            "CAST",
            (quantized("input", (1, 64), scale=0.3, zero_point=5),),
            quantized("output", (1, 64), scale=0.7, zero_point=-9),
        )
    ),
    "chain_that_is_a_table": every_value_case(_chain("int8", "uint32", "float32", "int8")),
    "chain_from_unsigned": Case(
        _chain("uint8", "int16", "bool", "uint8"),
        (np.arange(256).reshape(4, 1, 64).astype(np.uint8),),
        reference=Reference.LITERT,
    ),
    "chain_that_is_none": random_case(_chain("int32", "bool", "float32", "int16", "uint32")),
}

SAMPLES = ("all_at_once",)
"""Cases between which every kernel is used."""


@st.composite
def _models(draw: st.DrawFn) -> Case:
    source, result = draw(st.sampled_from(TYPES)), draw(st.sampled_from(TYPES))
    model = cast(source, result, draw(shapes(least_rank=0)))
    return random_case(model, seed=draw(st.integers(0, 99)), reference=_reference(source, result))


MODELS = _models()
