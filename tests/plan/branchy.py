"""Small networks of int8 with branches, as architectures have them: joins along channels, parts of
them, and a factor for each channel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.plan.chains import Chain
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.cases.case import int32s
from tinyml_rules.ops._shared.spatial import Padding


def _chain(*shape: int) -> Chain:
    chain = Chain(lambda low, _high: low)
    chain.activation((1, *shape))
    return chain


def _conv(chain: Chain, source: int, outputs: int, *, size: int = 3, stride: int = 1) -> int:
    """Same padding; returns the result."""
    batches, height, width, inputs = chain.tensors[source].shape
    weights = chain.weights((outputs, size, size, inputs), taps=size * size * inputs)
    shape = (batches, -(-height // stride), -(-width // stride), outputs)
    options = {"Padding": Padding.SAME, "StrideW": stride, "StrideH": stride}
    chain.append_on((source, weights), "CONV_2D", shape=shape, **options)
    return chain.current


def _halved(chain: Chain, source: int) -> int:
    batches, height, width, channels = chain.tensors[source].shape
    options = {"FilterHeight": 2, "FilterWidth": 2, "StrideH": 2, "StrideW": 2}
    shape = (batches, height // 2, width // 2, channels)
    chain.append_on((source,), "MAX_POOL_2D", shape=shape, Padding=Padding.VALID, **options)
    return chain.current


def _doubled(chain: Chain, source: int) -> int:
    batches, height, width, channels = chain.tensors[source].shape
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", (2 * height, 2 * width)))
    size, shape = len(chain.tensors) - 1, (batches, 2 * height, 2 * width, channels)
    chain.append_on((source, size), "RESIZE_NEAREST_NEIGHBOR", shape=shape)
    return chain.current


def _spread(chain: Chain, source: int, outputs: int) -> int:
    """Twice as high and as wide."""
    batches, height, width, channels = chain.tensors[source].shape
    weights = chain.weights((outputs, 2, 2, channels), taps=channels)
    shape = (batches, 2 * height, 2 * width, outputs)
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", shape))
    size = len(chain.tensors) - 1
    options = {"Padding": Padding.VALID, "StrideW": 2, "StrideH": 2}
    chain.append_on((size, weights, source), "TRANSPOSE_CONV", shape=shape, **options)
    return chain.current


def _join(chain: Chain, *sources: int) -> int:
    shapes = [chain.tensors[each].shape for each in sources]
    shape = (*shapes[0][:3], sum(each[3] for each in shapes))
    chain.append_on(sources, "CONCATENATION", shape=shape, Axis=3)
    return chain.current


def _excited(chain: Chain, source: int) -> int:
    """Each channel times a factor that its mean decides."""
    shape = chain.tensors[source].shape
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", (1, 2)))
    axes, channels = len(chain.tensors) - 1, shape[3]
    chain.append_on((source, axes), "MEAN", shape=(1, 1, 1, channels), KeepDims=True)
    small = _conv(chain, chain.current, max(channels // 4, 1), size=1)
    factors = _conv(chain, small, channels, size=1)
    chain.append_on((source, factors), "MUL", shape=shape)
    return chain.current


def _model(chain: Chain, output: int) -> bytes:
    chain.current = output
    return build_model(chain.model())


def u_net() -> bytes:
    """Two steps down, two up, each with a join; the last one up by TRANSPOSE_CONV."""
    chain = _chain(16, 16, 3)
    fine = _conv(chain, 0, 4)
    middle = _conv(chain, _halved(chain, fine), 6)
    coarse = _conv(chain, _halved(chain, middle), 8)
    _conv(chain, _join(chain, _doubled(chain, coarse), middle), 6)
    end = _conv(chain, _join(chain, _spread(chain, chain.current, 8), fine), 4)
    return _model(chain, _conv(chain, end, 2, size=1))


def dense_block(first: int = 2, growth: int = 2) -> bytes:
    """Three layers, each joined to all before it."""
    chain = _chain(12, 12, 3)
    joined = _conv(chain, 0, first)
    for _ in range(3):
        joined = _join(chain, joined, _conv(chain, joined, growth))
    return _model(chain, joined)


def inception() -> bytes:
    """A join of four, one of them a single channel."""
    chain = _chain(10, 10, 3)
    source = _conv(chain, 0, 4)
    parts = (
        _conv(chain, source, 4, size=1),
        _conv(chain, _conv(chain, source, 4, size=1), 4),
        _conv(chain, _conv(chain, source, 1, size=1), 2),
        _conv(chain, source, 1, size=1),
    )
    return _model(chain, _join(chain, *parts))


def two_branches() -> bytes:
    """A join of two layers."""
    chain = _chain(8, 8, 3)
    parts = _conv(chain, 0, 8), _conv(chain, 0, 7)
    return _model(chain, _join(chain, *parts))


def cross_stage() -> bytes:
    """Half of the channels around a layer."""
    chain = _chain(12, 12, 4)
    source = _conv(chain, 0, 8)
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", 3))
    axis = len(chain.tensors) - 1
    half = chain.activation((1, 12, 12, 4))
    chain.append_on((axis, source), "SPLIT", shape=(1, 12, 12, 4), NumSplits=2)
    (*others, last) = chain.operators
    chain.operators = [
        *others,
        type(last)(last.name, last.inputs, (half, chain.current), last.options),
    ]
    joined = _join(chain, _conv(chain, half, 4), chain.current)
    return _model(chain, _conv(chain, joined, 4, stride=2))


def squeeze_and_excite() -> bytes:
    chain = _chain(8, 8, 3)
    return _model(chain, _conv(chain, _excited(chain, _conv(chain, 0, 8)), 4, size=1))


def mobile() -> bytes:
    """Three inverted residuals with a factor for each channel."""
    chain = _chain(14, 14, 3)
    source = _conv(chain, 0, 8, stride=2)
    for stride in (1, 2, 1):
        wide = _conv(chain, source, 24, size=1)
        reduced = _conv(chain, _excited(chain, _conv(chain, wide, 24, stride=stride)), 8, size=1)
        if stride == 1:
            chain.append_on((source, reduced), "ADD", shape=chain.tensors[source].shape)
        source = chain.current
    return _model(chain, _conv(chain, source, 4, size=1))


NETWORKS: dict[str, Callable[[], bytes]] = {
    "u_net": u_net,
    "dense_block": dense_block,
    "dense_block_of_single_channels": partial(dense_block, 5, 1),
    "inception": inception,
    "two_branches": two_branches,
    "cross_stage": cross_stage,
    "squeeze_and_excite": squeeze_and_excite,
    "mobile": mobile,
}
