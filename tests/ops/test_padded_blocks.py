"""SPACE_TO_BATCH_ND with paddings: the zero point around the image, as the specification says.

TFLM fills them with whatever lies on its stack, so that nothing can be compared with it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.host import host, run_on_host
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.border import Pairs, Shape
from tinyml_rules.ops.space_to_batch_nd.cases import space_to_batch_nd
from tinyml_rules.request.request import Request

CASES: tuple[tuple[Shape, Shape, Pairs], ...] = (
    ((1, 5, 4, 2), (2, 2), ((1, 2), (2, 0))),
    ((1, 1, 3, 2), (2, 2), ((3, 2), (0, 1))),
    ((1, 1, 3, 2), (2, 1), ((0, 1), (0, 0))),
    ((2, 5, 3), (3,), ((1, 0),)),
)


@pytest.mark.parametrize(("shape", "sizes", "paddings"), CASES)
def test_padding_holds_the_zero_point(
    shape: Shape, sizes: Shape, paddings: Pairs, tmp_path: Path
) -> None:
    model = space_to_batch_nd(shape, sizes, paddings)
    file = build_model(model)
    compiled = compile_model(Request(file, "model", host(), checked=True))
    image = np.arange(1, np.prod(shape) + 1).astype(np.int8).reshape(shape)
    found = run_on_host(compiled.files, compiled.interface, image.tobytes(), folder=tmp_path)
    (zero_point,) = model.tensors[0].zero_points
    assert found == _cells(image, sizes, paddings, zero_point).tobytes()


def _cells(
    image: np.ndarray[tuple[int, ...], np.dtype[np.int8]], sizes: Shape, paddings: Pairs, fill: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """By the definition of the operator: pad, split each dimension in two, move the inner ones
    before the batch."""
    padded = np.pad(image, ((0, 0), *paddings, (0, 0)), constant_values=fill)
    batches, *inner, channels = padded.shape
    pairs = [
        part for size, block in zip(inner, sizes, strict=True) for part in (size // block, block)
    ]
    cut = padded.reshape(batches, *pairs, channels)
    count = len(sizes)
    order = (*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), 2 * count + 1)
    return np.ascontiguousarray(np.transpose(cut, order))
