"""Branches: residual blocks row by row, an average over the image in sums, a better order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.plan.chains import Chain
from tests.support.host import host, program_of, run_on_host, samples_and_truth
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import ModelSpec, build_model
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.plan.order import orders
from tinyml_rules.plan.schedule import Mode
from tinyml_rules.request.request import Request


def _convolve(chain: Chain, channels: int) -> None:
    """3x3, same padding."""
    batches, height, width, inputs = chain.shape
    weights = chain.weights((channels, 3, 3, inputs), taps=9 * inputs)
    shape = (batches, height, width, channels)
    options = {"Padding": Padding.SAME, "StrideW": 1, "StrideH": 1}
    chain.append("CONV_2D", weights, shape=shape, **options)


def _model(chain: Chain, *outputs: int) -> bytes:
    return build_model(ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), outputs))


def residual() -> bytes:
    """conv, two blocks x + conv(conv(x)), an average over the image, a dense layer."""
    chain = Chain(lambda low, _high: low)
    chain.activation((1, 40, 6, 2))
    _convolve(chain, 4)
    for _ in range(2):
        skipped = chain.current
        _convolve(chain, 4)
        _convolve(chain, 4)
        chain.append("ADD", skipped, shape=chain.shape)
    options = {"FilterHeight": 40, "FilterWidth": 6, "StrideH": 1, "StrideW": 1}
    chain.append("AVERAGE_POOL_2D", shape=(1, 1, 1, 4), Padding=Padding.VALID, **options)
    chain.append("FULLY_CONNECTED", chain.weights((3, 4), taps=4), shape=(1, 3))
    return _model(chain, chain.current)


@pytest.mark.parametrize("is_checked", [False, True])
@pytest.mark.parametrize(
    ("mode", "is_pushed", "streamed"),
    [
        (Mode.LAYER, False, 0),
        (Mode.AUTO, False, 8),
        (Mode.STREAM, False, 8),
        (Mode.AUTO, True, 8),
    ],
)
def test_residual_blocks(
    *, mode: Mode, is_pushed: bool, streamed: int, is_checked: bool, tmp_path: Path
) -> None:
    """As TFLM, byte for byte; both blocks and the average run in one stream."""
    model = residual()
    request = Request(
        model, "blocks", host(), schedule=mode, push_rows=is_pushed, checked=is_checked
    )
    compiled = compile_model(request)
    assert sum(len(nodes) for nodes in compiled.report.streams) == streamed
    samples, truth = samples_and_truth(model, count=6)
    assert run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path) == truth


def test_streams_save() -> None:
    """The skipped rows wait in longer rings, and still take less than whole tensors."""
    arenas = [
        compile_model(Request(residual(), "blocks", host(), schedule=mode)).report.arena_bytes
        for mode in (Mode.LAYER, Mode.AUTO)
    ]
    assert 2 * arenas[1] < arenas[0]


def test_order_of_lower_peak(tmp_path: Path) -> None:
    """The file widens both branches before it narrows either; one after the other is smaller."""
    chain = Chain(lambda low, _high: low)
    chain.activation((1, 4, 4, 1))
    wide = []
    for _ in range(2):
        chain.current = 0
        _convolve(chain, 16)
        wide.append(chain.current)
    narrow = []
    for tensor in wide:
        chain.current = tensor
        _convolve(chain, 1)
        narrow.append(chain.current)
    chain.current = narrow[0]
    chain.append("ADD", narrow[1], shape=chain.shape)
    model = _model(chain, chain.current)
    before = [step.node.index for step in program_of(model).steps]
    after = [step.node.index for step in orders(program_of(model))[0].steps]
    assert (before, after) == ([0, 1, 2, 3, 4], [0, 2, 1, 3, 4])
    compiled = compile_model(Request(model, "order", host(), schedule=Mode.LAYER))
    samples, truth = samples_and_truth(model, count=6)
    assert run_on_host(compiled.files, compiled.interface, samples, folder=tmp_path) == truth
    assert np.frombuffer(truth, np.int8).std() > 0
