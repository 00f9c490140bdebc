"""Cases of STRIDED_SLICE: strides, masks, ends, types, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.cases.case import (
    Case,
    Rejected,
    int32s,
    model_of,
    plain,
    random_case,
    with_options,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import Shape, Types, by_litert
from tinyml_rules.ops._shared.cases.strategies import shapes

TYPES = Types(("int8", "int16", "int32", "bool", "float32"), ("int64", "uint8"))


def strided_slice(
    shape: Shape = (4, 5),
    begin: Sequence[int] = (1, 0),
    end: Sequence[int] = (3, 5),
    strides: Sequence[int] = (1, 1),
    *,
    result: Shape = (2, 5),
    dtype: str = "int8",
    **masks: int,
) -> ModelSpec:
    """`masks` as the schema's builders call them."""
    operands = [int32s(*each) for each in (("begin", begin), ("end", end), ("strides", strides))]
    return model_of(
        "STRIDED_SLICE",
        [plain("input", shape, dtype), *operands],
        plain("output", result, dtype),
        options=masks,
    )


CASES = {
    "rows": random_case(strided_slice()),
    "one_row": random_case(strided_slice(end=(2, 5), result=(1, 5))),
    "columns": random_case(strided_slice((4, 5), (0, 1), (4, 4), result=(4, 3))),
    "all": random_case(strided_slice((4, 5), (0, 0), (4, 5), result=(4, 5))),
    "strides": random_case(strided_slice((5, 6), (0, 1), (5, 6), (2, 3), result=(3, 2))),
    "reversed": random_case(
        strided_slice((4, 5), (-1, -1), (0, 0), (-1, -1), result=(4, 5), EndMask=3)
    ),
    "reversed_in_steps": random_case(
        strided_slice((4, 5), (3, 4), (0, 0), (-1, -2), result=(3, 2))
    ),
    "reversed_from_beyond": random_case(
        strided_slice((4, 5), (9, 0), (1, 5), (-1, 1), result=(2, 5))
    ),
    "begin_mask": random_case(strided_slice(BeginMask=1, result=(3, 5))),
    "begin_mask_of_a_negative_stride": random_case(
        strided_slice((4, 5), (1, 0), (0, 5), (-1, 1), result=(3, 5), BeginMask=1)
    ),
    "end_mask": random_case(strided_slice(EndMask=1, result=(3, 5))),
    "both_masks": random_case(strided_slice(BeginMask=3, EndMask=3, result=(4, 5))),
    "negative_begin": random_case(strided_slice((4, 5), (-2, 0), (4, 5), result=(2, 5))),
    "negative_end": random_case(strided_slice((4, 5), (0, 0), (-1, -2), result=(3, 3))),
    "far_beyond": random_case(strided_slice((4, 5), (-9, 0), (9, 99), result=(4, 5))),
    "shrunk_first": random_case(strided_slice(ShrinkAxisMask=1, result=(5,))),
    "shrunk_last": random_case(
        strided_slice((4, 5), (0, 2), (4, 3), result=(4,), ShrinkAxisMask=2)
    ),
    "shrunk_from_the_end": random_case(
        strided_slice((4, 5), (-1, 0), (0, 5), result=(5,), ShrinkAxisMask=1)
    ),
    "shrunk_from_before_the_first": random_case(
        strided_slice((4, 5), (-(2**31), 0), (0, 5), result=(5,), ShrinkAxisMask=1)
    ),
    "shrunk_to_a_scalar": random_case(
        strided_slice((4, 5), (2, 3), (3, 4), result=(), ShrinkAxisMask=3)
    ),
    "of_rank_4": random_case(
        strided_slice((2, 4, 5, 3), (0, 3, 1, 0), (2, 0, 5, 3), (1, -2, 2, 2), result=(2, 2, 2, 2))
    ),
    "of_rank_5": by_litert(
        strided_slice(
            (2, 3, 2, 4, 3),
            (0, 2, 0, 1, -1),
            (2, 0, 2, 4, -4),
            (1, -1, 1, 2, -2),
            result=(2, 2, 2, 2, 2),
        )
    ),
    "fewer_begins": by_litert(strided_slice((4, 5, 2), (1,), (3,), (1,), result=(2, 5, 2))),
    "ellipsis_first": by_litert(
        strided_slice((2, 3, 4), (0, 1), (0, 3), result=(2, 3, 2), EllipsisMask=1)
    ),
    "ellipsis_last": by_litert(
        strided_slice((4, 3, 2), (1, 0), (3, 0), result=(2, 3, 2), EllipsisMask=2)
    ),
    "ellipsis_between": by_litert(
        strided_slice(
            (4, 3, 2, 5), (1, 0, 4), (3, 0, 0), (1, 1, -2), result=(2, 3, 2, 2), EllipsisMask=2
        )
    ),
    "new_axis_first": by_litert(
        strided_slice((4, 5), (0, 1, 0), (0, 3, 5), (1, 1, 1), result=(1, 2, 5), NewAxisMask=1)
    ),
    "new_axis_last": by_litert(
        strided_slice((4, 5), (1, 0, 0), (3, 5, 0), (1, 1, 1), result=(2, 5, 1), NewAxisMask=4)
    ),
    "new_axis_and_ellipsis": by_litert(
        strided_slice(
            (2, 3, 4),
            (0, 0, 1),
            (0, 0, 2),
            (1, 1, 1),
            result=(1, 2, 3),
            NewAxisMask=1,
            EllipsisMask=2,
            ShrinkAxisMask=4,
        )
    ),
    **TYPES.cases(
        lambda dtype: strided_slice((4, 5), (0, 4), (4, 0), (1, -2), result=(4, 2), dtype=dtype)
    ),
}


def _rejected(*errors: str, tensor: int, **changes: Any) -> Rejected:
    return Rejected(with_tensor(strided_slice(), tensor, **changes), errors)


REJECTED = {
    "two_ellipses": Rejected(
        with_options(strided_slice(), EllipsisMask=3),
        ("ellipsis mask 3, expected one bit at most",),
    ),
    "ellipsis_for_nothing": Rejected(
        strided_slice((4, 5), (1, 0, 2), (3, 0, 5), (1, 1, 1), result=(2, 3), EllipsisMask=2),
        ("an ellipsis for no dimension, which TensorFlow and LiteRT read in two ways",),
    ),
    "too_many_begins": Rejected(
        strided_slice((10,)), ("begins for 2 dimensions of input tensor #0 'input', which has 1",)
    ),
    "new_axis_alone": Rejected(
        with_options(strided_slice(), NewAxisMask=1),
        ("output tensor #4 'output' has shape [2, 5], expected [1, 4, 5]",),
    ),
    "offset": Rejected(
        with_options(strided_slice(), Offset=True),
        ("ends are counted from the begins, which is not supported",),
    ),
    "stride_of_0": _rejected(
        "strides tensor #3 'strides' has a 0", tensor=3, data=np.array([1, 0], np.int32)
    ),
    "shrunk_outside": Rejected(
        strided_slice(begin=(4, 0), result=(5,), ShrinkAxisMask=1),
        ("begin 4 with stride 1 is outside dimension 0 of input tensor #0 'input'",),
    ),
    "shrunk_backwards": Rejected(
        strided_slice(strides=(-1, 1), result=(5,), ShrinkAxisMask=1),
        ("begin 1 with stride -1 is outside dimension 0 of input tensor #0 'input'",),
    ),
}


@dataclass(frozen=True)
class Taken:
    """What is drawn for one dimension."""

    size: int
    begin: int
    end: int
    stride: int
    is_shrunk: bool
    masks: tuple[bool, bool]

    @property
    def count(self) -> int:
        """Elements that Python's slices take."""
        begin, end = (
            None if mask else place
            for mask, place in zip(self.masks, (self.begin, self.end), strict=True)
        )
        return len(range(self.size)[begin : end : self.stride])


@st.composite
def _taken(draw: st.DrawFn, size: int) -> Taken:
    places, flags = st.integers(-size - 1, size + 1), st.booleans()
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(-size, size - 1))
        return Taken(size, at, at + 1, 1, is_shrunk=True, masks=(False, False))
    stride = draw(st.integers(-3, 3).filter(bool))
    masks = (draw(flags), draw(flags))
    found = Taken(size, draw(places), draw(places), stride, is_shrunk=False, masks=masks)
    return found if found.count else Taken(size, 0, 0, stride, False, (True, True))


@st.composite
def _models(draw: st.DrawFn) -> Case:
    shape = draw(shapes(most_rank=4))
    rows = [draw(_taken(size)) for size in shape]
    result = tuple(each.count for each in rows if not each.is_shrunk)
    masks = {
        "BeginMask": sum(each.masks[0] << place for place, each in enumerate(rows)),
        "EndMask": sum(each.masks[1] << place for place, each in enumerate(rows)),
        "ShrinkAxisMask": sum(each.is_shrunk << place for place, each in enumerate(rows)),
    }
    begin, end, strides = zip(*((each.begin, each.end, each.stride) for each in rows), strict=True)
    dtype = draw(TYPES.drawn)
    model = strided_slice(shape, begin, end, strides, result=result, dtype=dtype, **masks)
    return TYPES.case(model)


MODELS = _models()
