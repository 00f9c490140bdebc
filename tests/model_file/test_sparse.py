"""Sparse constants: what a broken file says of them is one error that names the tensor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.stages import checked, read
from tinyml_rules.errors import ModelError, UnsupportedError
from tinyml_rules.model_file.sparsity import Dimension, Sparsity
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops.densify.cases import densify

ROWS = Dimension(3)
LISTS = Dimension(segments=(0, 1, 1, 3), indices=(0, 1, 3))
VALUES = np.array([5, 6, 7], np.float32)


def sparse(**changes: Any) -> ModelSpec:
    """A constant of shape [3, 4] with three values."""
    right = {"order": (0, 1), "dimensions": (ROWS, LISTS), "blocked": ()}
    values = changes.pop("values", VALUES)
    return with_tensor(
        densify((3, 4), (0, 1), (False, True)),
        1,
        data=values,
        sparsity=Sparsity(**{**right, **changes}),
    )


def test_values_are_in_their_places() -> None:
    """Zeros are where the file has none."""
    graph = read(build_model(sparse()))
    assert graph.tensors[1].data is not None
    assert graph.tensors[1].data.tolist() == [[5, 0, 0, 0], [0, 0, 0, 0], [0, 6, 0, 7]]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"order": (0, 0)}, "is sparse along dimensions [0, 0], in blocks of []"),
        ({"order": (0,)}, "is sparse along dimensions [0], in blocks of []"),
        ({"order": (0, 5)}, "is sparse along dimensions [0, 5], in blocks of []"),
        ({"dimensions": (ROWS,)}, "is sparse along dimensions [0, 1], in blocks of []"),
        ({"values": VALUES[:2]}, "is sparse with 3 places for 2 values"),
        ({"dimensions": (Dimension(4), LISTS)}, "has dense dimension 0 of 4, expected 3"),
        ({"dimensions": (Dimension(-3), LISTS)}, "has dense dimension 0 of -3, expected 3"),
        (
            {"dimensions": (ROWS, replace(LISTS, indices=(0, 1, 4)))},
            "has an index outside a sparse dimension of 4",
        ),
        (
            {"dimensions": (ROWS, replace(LISTS, indices=(0, -1, 3)))},
            "has an index outside a sparse dimension of 4",
        ),
        (
            {"dimensions": (ROWS, replace(LISTS, segments=(0, 2, 1, 3)))},
            "has segments of a sparse dimension that are not 3 of its indices",
        ),
        (
            {"dimensions": (ROWS, replace(LISTS, segments=(0, 3)))},
            "has segments of a sparse dimension that are not 3 of its indices",
        ),
        (
            {"dimensions": (ROWS, replace(LISTS, segments=(0, 1, 1, 2)))},
            "has segments of a sparse dimension that are not 3 of its indices",
        ),
        (
            {
                "order": (0, 1, 2),
                "dimensions": (ROWS, LISTS, Dimension(3)),
                "blocked": (1,),
                "values": np.ones(9, np.float32),
            },
            "has blocks of 3 along dimension 1 of 4",
        ),
        (
            {"order": (0, 1, 2), "dimensions": (ROWS, LISTS, Dimension(0)), "blocked": (1,)},
            "has blocks of 0 along dimension 1 of 4",
        ),
        (
            {"order": (0, 1, 2), "dimensions": (ROWS, LISTS, Dimension(2)), "blocked": (7,)},
            "is sparse along dimensions [0, 1, 2], in blocks of [7]",
        ),
    ],
)
def test_broken(changes: dict[str, Any], text: str) -> None:
    """File, tensor, what was found."""
    with pytest.raises(ModelError) as caught:
        checked(build_model(sparse(**changes)))
    assert str(caught.value) == f"model: error: tensor #1 'sparse' {text}"


def test_int4_is_not_read() -> None:
    """Its two values a byte have no place of their own."""
    model = with_tensor(sparse(), 1, dtype="int4", data=np.array([1, 2], np.int8))
    with pytest.raises(UnsupportedError) as caught:
        checked(build_model(model))
    assert str(caught.value) == (
        "model: node 0 (densify): error: tensor #1 'sparse' is a constant sparse, of type int4, "
        "which is not supported"
    )
