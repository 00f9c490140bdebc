"""Cases of BATCH_MATMUL: both transpositions of computed and constant matrices, batches that
broadcast, zero points, scales, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    filled,
    model_of,
    quantized,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.reals import real_cases
from tinyml_rules.ops._shared.cases.strategies import SCALES, ZERO_POINTS, Shape

Sizes = tuple[int, int, int]
"""Rows of the first matrix, values of each, columns of the second."""


def batch_matmul(
    first: Shape = (),
    second: Shape = (),
    sizes: Sizes = (3, 4, 5),
    *,
    transposed: tuple[bool, bool] = (False, False),
    constant: int | None = None,
    scales: tuple[float, float, float] = (0.5, 0.25, 40.0),
    zero_points: tuple[int, int, int] = (-7, 9, 3),
) -> ModelSpec:
    """Batches of two shapes; one of the inputs may be `constant`; triples are (first, second,
    output)."""
    rows, depth, columns = sizes
    shapes = (
        (*first, *((depth, rows) if transposed[0] else (rows, depth))),
        (*second, *((columns, depth) if transposed[1] else (depth, columns))),
        (*np.broadcast_shapes(first, second), rows, columns),
    )
    tensors = [
        quantized(name, shape, scale=scale, zero_point=zero_point)
        for name, shape, scale, zero_point in zip(
            ("first", "second", "output"), shapes, scales, zero_points, strict=True
        )
    ]
    if constant is not None:
        tensors[constant] = filled(tensors[constant])
    return model_of(
        "BATCH_MATMUL",
        tensors[:2],
        tensors[2],
        options={"AdjX": transposed[0], "AdjY": transposed[1]},
    )


_BATCHES: dict[str, tuple[Shape, Shape]] = {
    "one": ((), ()),
    "equal": ((3,), (3,)),
    "of_rank_4": ((2, 3), (2, 3)),
    "of_rank_5": ((2, 2, 3), (2, 2, 3)),
    "first_repeats": ((1,), (3,)),
    "second_repeats": ((3,), (1,)),
    "second_of_rank_2": ((2, 3), ()),
    "first_of_rank_2": ((), (2, 3)),
    "both_repeat": ((2, 1), (1, 3)),
    "middle_repeats": ((2, 1, 3), (2, 2, 3)),
    "outer_repeats": ((1, 3), (2, 3)),
    "inner_repeats": ((2, 1), (2, 3)),
}
_KINDS: dict[str, dict[str, Any]] = {
    "_of_".join(filter(None, (kind, name))): {"transposed": pair, "constant": constant}
    for kind, pair in {
        "plain": (False, False),
        "adj_y": (False, True),
        "adj_x": (True, False),
        "adj_xy": (True, True),
    }.items()
    for name, constant in {"": None, "first": 0, "second": 1}.items()
}


def _ties(scales: tuple[float, float, float] = (1.0, 1.0, 2.0)) -> Case:
    """Halves of every value."""
    values = np.arange(-128, 128).astype(np.int8).reshape(-1, 1, 1)
    model = batch_matmul(sizes=(1, 1, 1), scales=scales, zero_points=(0, 0, 0))
    return Case(model, (values, np.ones_like(values)))


_SIZES: dict[str, Sizes] = {
    "vector_times_matrix": (1, 7, 6),
    "matrix_times_vector": (6, 7, 1),
    "dot": (1, 9, 1),
    "outer": (4, 1, 5),
    "long": (3, 300, 2),
    "odd": (5, 13, 7),
}
CASES = {
    **{
        f"{kind}_{name}": random_case(batch_matmul(*_BATCHES[name], **words))
        for kind, words in _KINDS.items()
        for name in ("one", "second_of_rank_2", "both_repeat")
    },
    **{name: random_case(batch_matmul(*batches)) for name, batches in _BATCHES.items()},
    **{
        f"{kind}_{name}": random_case(batch_matmul(sizes=sizes, **_KINDS[kind]))
        for kind, (name, sizes) in product(("plain", "adj_y", "adj_x"), _SIZES.items())
    },
    **{
        f"zero_points_{first}_{second}".replace("-", "minus_"): random_case(
            batch_matmul(zero_points=(first, second, 0), transposed=(False, True))
        )
        for first, second in product((-128, 0, 127), repeat=2)
    },
    "scales_in_double": random_case(batch_matmul(scales=(0.15, 3.0, 0.3))),
    "scales_saturate": random_case(batch_matmul(scales=(3.0, 3.0, 0.01))),
    "scales_vanish": random_case(batch_matmul(scales=(2.0**-20, 2.0**-20, 2.0**5))),
    "ties": _ties(),
    # a product of scales that float32 rounds: with it there are ties, and in double none
    "ties_in_float32": _ties((0.1, 0.3, float(2 * (np.float32(0.1) * np.float32(0.3))))),
}
CASES |= real_cases(
    CASES,
    (
        *("plain_one", "adj_y_one", "adj_x_one", "adj_xy_both_repeat", "adj_x_of_second_one"),
        *("plain_of_first_one", "adj_y_odd", *_BATCHES),
    ),
)
_IN_16_BITS = (
    *("plain_one", "adj_y_one", "adj_x_both_repeat", "adj_xy_both_repeat", "plain_of_first_one"),
    *("adj_y_of_second_second_of_rank_2", "adj_x_of_second_one", "plain_vector_times_matrix"),
    *("adj_y_long", "plain_odd", *_BATCHES, "scales_in_double", "ties_in_float32"),
)


def in_16_bits(model: ModelSpec, *, factor: float = 2.0**-8) -> ModelSpec:
    """The model of int16 with zero points of 0, and inputs of finer scales."""
    tensors = tuple(
        replace(
            each,
            dtype="int16",
            zero_points=(0,),
            scales=(each.scales[0] * (factor if number < 2 else 2 * factor),),
        )
        for number, each in enumerate(model.tensors)
    )
    return replace(
        model,
        tensors=tuple(each if each.data is None else filled(each) for each in tensors),
    )


def _ties_of_int16() -> Case:
    """Halves of many values."""
    values = np.arange(-32768, 32768, 257).astype(np.int16).reshape(-1, 1, 1)
    model = batch_matmul(sizes=(1, 1, 1), scales=(1.0, 1.0, 2.0), zero_points=(0, 0, 0))
    tensors = tuple(replace(each, dtype="int16") for each in model.tensors)
    return Case(replace(model, tensors=tensors), (values, np.ones_like(values)))


CASES |= {f"int16_{name}": random_case(in_16_bits(CASES[name].model)) for name in _IN_16_BITS}
CASES |= {
    "int16_ties": _ties_of_int16(),
    "int16_saturates": random_case(in_16_bits(CASES["plain_odd"].model, factor=2.0**-2)),
    # the highest 16 bits of this multiplier would be 2^15: TFLM takes 2^15 - 1
    "int16_highest_multiplier": random_case(
        in_16_bits(batch_matmul(scales=(0.5, 1 - 2.0**-18, 32.0)))
    ),
    # products of both ends alone are beyond 32 bits
    "int16_most": random_case(in_16_bits(batch_matmul(sizes=(2, 40, 3), scales=(1, 1, 2.0**12)))),
}
SAMPLES = (
    *("real_plain_one", "real_adj_x_of_second_one"),
    *("int16_plain_one", "int16_adj_x_of_second_one"),
    "plain_one",
    "adj_y_one",
    "adj_x_one",
    "adj_x_of_second_one",
    "plain_of_second_one",
    "plain_of_first_one",
)
"""Cases between which every kernel is used."""


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    common = draw(st.lists(st.integers(1, 3), max_size=3))

    def batches() -> Shape:
        kept = [size if draw(st.booleans()) else 1 for size in common]
        return tuple(kept[draw(st.integers(0, len(kept))) :])

    return batch_matmul(
        batches(),
        batches(),
        draw(st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(1, 5))),
        transposed=(draw(st.booleans()), draw(st.booleans())),
        constant=draw(st.sampled_from((None, None, 0, 1))),
        scales=(draw(SCALES), draw(SCALES), draw(SCALES | st.floats(2.0, 100.0, width=32))),
        zero_points=(draw(ZERO_POINTS), draw(ZERO_POINTS), draw(ZERO_POINTS)),
    )


MODELS = st.one_of(_models(), _models().map(in_16_bits))


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(batch_matmul((2,), (2,)), tensor, **changes), errors)


_OF_INT16 = in_16_bits(batch_matmul())
REJECTED = {
    "scale_too_small": _rejected(
        "output tensor #2 'output' has scale 1e-12, too small for the inputs' 0.125",
        tensor=2,
        scales=(1e-12,),
    ),
    "other_depth": _rejected("rows of 4 values times columns of 3", tensor=1, shape=(2, 3, 5)),
    "other_batches": _rejected("batches [2] and [3] do not broadcast", tensor=1, shape=(3, 4, 5)),
    "wrong_output_shape": _rejected(
        "output tensor #2 'output' has shape [2, 5, 3], expected [2, 3, 5]",
        tensor=2,
        shape=(2, 5, 3),
    ),
    "too_deep": Rejected(
        batch_matmul(sizes=(1, 2**15, 1)), ("sums of 32768 products, expected at most 32767",)
    ),
    "int16_zero_point": Rejected(
        with_tensor(_OF_INT16, 1, zero_points=(1,)),
        ("second input tensor #1 'second' has zero point 1, expected 0",),
    ),
    "int16_times_int8": Rejected(
        with_tensor(_OF_INT16, 1, dtype="int8"),
        ("second input tensor #1 'second' is int8, expected int16",),
    ),
    "int16_large_factor": Rejected(
        with_tensor(_OF_INT16, 2, scales=(2.0**-30,)),
        ("output tensor #2 'output' has scale 9.31323e-10, too small for the inputs' 1.90735e-06",),
    ),
}
