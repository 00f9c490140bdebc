"""SPACE_TO_BATCH_ND, a convolution and BATCH_TO_SPACE_ND are one dilated convolution."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.host import host, run_on_host, samples_and_truth
from tests.support.stages import passed
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.border import Pairs
from tinyml_rules.ops._shared.cases.case import int32s
from tinyml_rules.ops._shared.cases.weighted import Image
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise
from tinyml_rules.request.request import Request

NONE: Pairs = ((0, 0), (0, 0))


def three_nodes(
    make: Any = conv,
    image: Image = (1, 8, 8, 2),
    sizes: tuple[int, int] = (2, 2),
    crops: Pairs = NONE,
    **changes: Any,
) -> ModelSpec:
    """Without paddings, which TFLM gets wrong."""
    batches, height, width, channels = image
    blocks = (batches * sizes[0] * sizes[1], height // sizes[0], width // sizes[1], channels)
    model = make(blocks, (3, 3), **{"padding": Padding.VALID, **changes})
    (operator,) = model.operators
    (last,) = operator.outputs
    inner, count = model.tensors[last], len(model.tensors)
    cells = zip(inner.shape[1:3], sizes, crops, strict=True)
    rows = (size * block - sum(pair) for size, block, pair in cells)
    added = (
        replace(model.tensors[0], name="image", shape=image),
        int32s("sizes", sizes),
        int32s("paddings", NONE),
        int32s("crops", crops),
        replace(inner, name="joined", shape=(batches, *rows, inner.shape[3])),
    )
    before = OperatorSpec("SPACE_TO_BATCH_ND", (count, count + 1, count + 2), (0,))
    behind = OperatorSpec("BATCH_TO_SPACE_ND", (last, count + 1, count + 3), (count + 4,))
    return ModelSpec((*model.tensors, *added), (before, operator, behind), (count,), (count + 4,))


def _with_inner_output() -> ModelSpec:
    """What lies between is an output too."""
    model = three_nodes()
    return replace(model, outputs=(*model.outputs, *model.operators[1].outputs))


FOLDED = {
    "conv": three_nodes(),
    "unequal_blocks": three_nodes(image=(1, 9, 8, 2), sizes=(3, 1)),
    "depthwise": three_nodes(depthwise),
    "batches": three_nodes(image=(2, 6, 6, 1)),
}
KEPT = {
    "strides": three_nodes(image=(1, 12, 12, 2), strides=(2, 2)),
    "same": three_nodes(padding=Padding.SAME),
    "crops_of_the_image": three_nodes(crops=((0, 1), (0, 0))),
    "an_output_between": _with_inner_output(),
}


@pytest.mark.parametrize("name", [*FOLDED, *KEPT])
def test_the_bytes_are_those_of_tflm(name: str, tmp_path: Path) -> None:
    model = {**FOLDED, **KEPT}[name]
    assert len(passed(model).nodes) == (1 if name in FOLDED else 3)
    file = build_model(model)
    compiled = compile_model(Request(file, "model", host(), checked=True))
    samples, truth = samples_and_truth(file, count=3)
    found = run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path)
    assert found == truth


def test_paddings_and_crops_become_padding() -> None:
    """As converters write a dilated convolution with SAME padding of an odd image."""
    model = three_nodes(image=(1, 12, 12, 2), crops=((0, 1), (0, 1)))
    tensors = [*model.tensors]
    image, _, paddings, _, joined = range(len(tensors) - 5, len(tensors))
    tensors[image] = replace(tensors[image], shape=(1, 7, 7, 2))
    tensors[paddings] = int32s("paddings", ((2, 3), (2, 3)))
    tensors[joined] = replace(tensors[joined], shape=(1, 7, 7, 3))
    (node,) = passed(replace(model, tensors=tuple(tensors))).nodes
    attrs: Any = node.attrs
    assert attrs.border == ((2, 2), (2, 2))
    assert (attrs.dilation_height, attrs.dilation_width) == (2, 2)
