"""Random chains of operators as .tflite files, for any source of random integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    TensorSpec,
    build_model,
)
from tinyml_rules.ops._shared.cases.case import int32s
from tinyml_rules.ops._shared.spatial import Padding, Sliding

Pick = Callable[[int, int], int]
"""A number from the first to the second, both included."""

Maker = Callable[["Chain"], None]
"""Makes one more operator."""

SCALE = 0.5
LONGEST = 7
MOST_JOINED = 12
"""Channels, or columns, of an image that is made of several."""


@dataclass
class Chain:
    """The model so far; `current` is the tensor that the next operator reads."""

    pick: Pick
    tensors: list[TensorSpec] = field(default_factory=list)
    operators: list[OperatorSpec] = field(default_factory=list)
    current: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.tensors[self.current].shape

    def activation(self, shape: tuple[int, ...]) -> int:
        """A tensor of the same scale and zero point as all others."""
        name = f"t{len(self.tensors)}"
        self.tensors.append(TensorSpec(name, shape, scales=(SCALE,), zero_points=(-5,)))
        return len(self.tensors) - 1

    def weights(self, shape: tuple[int, ...], taps: int) -> int:
        """Weights for sums of `taps` products whose results fill int8."""
        values = np.random.default_rng(self.pick(0, 99)).integers(-127, 128, shape)
        scale = 1 / (100 * math.sqrt(taps))
        name = f"w{len(self.tensors)}"
        constant = TensorSpec(
            name, shape, scales=(scale,), zero_points=(0,), data=values.astype(np.int8)
        )
        self.tensors.append(constant)
        return len(self.tensors) - 1

    def model(self) -> ModelSpec:
        """From the first tensor to the current one."""
        return ModelSpec(tuple(self.tensors), tuple(self.operators), (0,), (self.current,))

    def append(
        self,
        name: str,
        *operands: int,
        shape: tuple[int, ...],
        **options: int,
    ) -> None:
        """One more operator, on `current` first."""
        self.append_on((self.current, *operands), name, shape=shape, **options)

    def append_on(
        self, inputs: tuple[int, ...], name: str, *, shape: tuple[int, ...], **options: int
    ) -> None:
        """One more operator, on these operands."""
        self.current = self.activation(shape)
        self.operators.append(OperatorSpec(name, inputs, (self.current,), options, version=1))


def random_chain(
    pick: Pick,
    more: tuple[Maker, ...] = (),
    *,
    heights: tuple[int, int] = (1, 12),
    begins: tuple[Maker, ...] = (),
) -> bytes:
    """A model of a few operators on one image; `more` are further ones to choose from, `begins`
    those that come first."""
    chain = Chain(pick)
    batches = 2 if pick(0, 9) == 9 else 1
    chain.activation((batches, pick(*heights), pick(1, 7), pick(1, 4)))
    makers: tuple[Maker, ...] = (
        convolution,
        convolution,
        _depthwise,
        _depthwise,
        _pool,
        _pool,
        _activate,
        _add,
    )
    makers += more
    for begin in begins:
        begin(chain)
    for _ in range(pick(1, LONGEST)):
        makers[pick(0, len(makers) - 1)](chain)
    for _ in range(pick(0, 2)):
        _fully_connected(chain)
    outputs: tuple[int, ...] = (chain.current,)
    if pick(0, 5) == 5:  # a result of the first operator is an output too
        outputs = tuple(sorted({chain.current, chain.operators[0].outputs[0]}))
    outputs += _of_input(chain)
    return build_model(ModelSpec(tuple(chain.tensors), tuple(chain.operators), (0,), outputs))


def spread(chain: Chain) -> None:
    """TRANSPOSE_CONV: more rows than there were."""
    pick, padding = chain.pick, Padding(chain.pick(0, 1))
    batches, *sizes, channels = chain.shape
    area, strides = (pick(1, 4), pick(1, 4)), (pick(1, 3), pick(1, 3))
    outputs = pick(1, 4)
    shape = [
        size * stride + (cells - 1 if padding is Padding.VALID else 0) - pick(0, stride - 1)
        for size, stride, cells in zip(sizes, strides, area, strict=True)
    ]
    weights = chain.weights((outputs, *area, channels), taps=area[0] * area[1] * channels)
    result = (batches, *shape, outputs)
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", result))
    operands = (len(chain.tensors) - 1, weights, chain.current)
    options = {"Padding": int(padding), "StrideH": strides[0], "StrideW": strides[1]}
    chain.append_on(operands, "TRANSPOSE_CONV", shape=result, **options)


def resize(chain: Chain) -> None:
    """RESIZE_BILINEAR: more rows or fewer."""
    batches, *_, channels = chain.shape
    height, width, way = chain.pick(1, 20), chain.pick(1, 9), chain.pick(0, 2)
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", (height, width)))
    options = {"AlignCorners": way == 1, "HalfPixelCenters": way == 2}
    size = len(chain.tensors) - 1
    chain.append("RESIZE_BILINEAR", size, shape=(batches, height, width, channels), **options)


def surround(chain: Chain) -> None:
    """PAD: a border, which a pass may give to the convolution behind it."""
    batches, height, width, channels = chain.shape
    pairs = [(0, 0), *((chain.pick(0, 3), chain.pick(0, 3)) for _ in range(2)), (0, 0)]
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", pairs))
    shape = (batches, height + sum(pairs[1]), width + sum(pairs[2]), channels)
    chain.append("PAD", len(chain.tensors) - 1, shape=shape)


def join(chain: Chain) -> None:
    """CONCATENATION along channels, or now and then along a row, with earlier images and with the
    current one itself."""
    axis = 3 if chain.pick(0, 3) else 2
    alike = [
        index
        for index, tensor in enumerate(chain.tensors)
        if tensor.data is None and _others(tensor.shape, axis) == _others(chain.shape, axis)
    ]
    parts = [alike[chain.pick(0, len(alike) - 1)] for _ in range(chain.pick(0, 2))]
    parts.insert(chain.pick(0, len(parts)), chain.current)
    shape = [*chain.shape]
    shape[axis] = sum(chain.tensors[each].shape[axis] for each in parts)
    if shape[axis] <= MOST_JOINED:
        chain.append_on(tuple(parts), "CONCATENATION", shape=tuple(shape), Axis=axis)


def _others(shape: tuple[int, ...], axis: int) -> tuple[int, ...] | None:
    return (*shape[:axis], *shape[axis + 1 :]) if len(shape) == 4 else None


def part(chain: Chain) -> None:
    """SPLIT along channels; what follows reads one part, and perhaps a join of two."""
    *outer, channels = chain.shape
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", 3))
    axis, source = len(chain.tensors) - 1, chain.current
    parts = tuple(chain.activation((*outer, 1)) for _ in range(channels))
    options = {"NumSplits": channels}
    chain.operators.append(OperatorSpec("SPLIT", (axis, source), parts, options, version=1))
    chain.current = parts[chain.pick(0, channels - 1)]
    if chain.pick(0, 1):
        other = parts[chain.pick(0, channels - 1)]
        chain.append("CONCATENATION", other, shape=(*outer, 2), Axis=3)


def scale(chain: Chain) -> None:
    """Each channel, or each place of a row, times its mean, plus it or minus it, in either order,
    which is what squeeze-and-excite blocks do."""
    source, shape = chain.current, chain.shape
    axes = (1, 2) if chain.pick(0, 3) else (1,)
    chain.tensors.append(int32s(f"s{len(chain.tensors)}", axes))
    kept = tuple(1 if place in axes else size for place, size in enumerate(shape))
    chain.append("MEAN", len(chain.tensors) - 1, shape=kept, KeepDims=True)
    operands = [source, chain.current]
    if chain.pick(0, 1):
        operands.reverse()
    chain.append_on(tuple(operands), ("MUL", "ADD", "SUB")[chain.pick(0, 2)], shape=shape)


def _of_input(chain: Chain) -> tuple[int, ...]:
    """Now and then the input, or its bytes under another shape, is an output too."""
    kind = chain.pick(0, 9)
    if kind == 9:
        return (0,)
    if kind < 8:
        return ()
    view = chain.activation((math.prod(chain.tensors[0].shape),))
    chain.operators.append(OperatorSpec("RESHAPE", (0,), (view,), options_table=""))
    return (view,)


def _slide(chain: Chain, *, dilated: bool) -> tuple[Padding, list[Sliding], list[int]]:
    """Padding, window and output size, vertically and horizontally; it always fits."""
    pick = chain.pick
    padding = Padding(pick(0, 1))
    windows, sizes = [], []
    for size in chain.shape[1:3]:
        window = Sliding(pick(1, 5), pick(1, 3), pick(1, 3) if dilated and pick(0, 2) == 2 else 1)
        if window.output_size(size, padding) < 1:
            window = Sliding(1, window.stride)
        windows.append(window)
        sizes.append(window.output_size(size, padding))
    return padding, windows, sizes


def _options(padding: Padding, windows: list[Sliding]) -> dict[str, int]:
    return {
        "Padding": int(padding),
        "StrideH": windows[0].stride,
        "StrideW": windows[1].stride,
        "DilationHFactor": windows[0].dilation,
        "DilationWFactor": windows[1].dilation,
    }


def convolution(chain: Chain) -> None:
    padding, windows, sizes = _slide(chain, dilated=True)
    batches, _, _, channels = chain.shape
    outputs = chain.pick(1, 5)
    area = windows[0].size, windows[1].size
    weights = chain.weights((outputs, *area, channels), taps=math.prod(area) * channels)
    shape = (batches, *sizes, outputs)
    chain.append("CONV_2D", weights, OPTIONAL, shape=shape, **_options(padding, windows))


def _depthwise(chain: Chain) -> None:
    padding, windows, sizes = _slide(chain, dilated=True)
    batches, _, _, channels = chain.shape
    factor = chain.pick(1, 2) if channels < 5 else 1
    area = windows[0].size, windows[1].size
    weights = chain.weights((1, *area, channels * factor), taps=math.prod(area))
    options = {**_options(padding, windows), "DepthMultiplier": factor}
    shape = (batches, *sizes, channels * factor)
    # TFLM crashes on a bias that is named as left out here; it may be missing altogether
    chain.append("DEPTHWISE_CONV_2D", weights, shape=shape, **options)


def _pool(chain: Chain) -> None:
    padding, windows, sizes = _slide(chain, dilated=False)
    options = _options(padding, windows)
    options = {key: value for key, value in options.items() if "Dilation" not in key}
    options |= {"FilterHeight": windows[0].size, "FilterWidth": windows[1].size}
    batches, _, _, channels = chain.shape
    name = ("AVERAGE_POOL_2D", "MAX_POOL_2D")[chain.pick(0, 1)]
    chain.append(name, shape=(batches, *sizes, channels), **options)


def _activate(chain: Chain) -> None:
    name = ("RELU", "RELU6")[chain.pick(0, 1)]
    shape = chain.shape
    chain.append(name, shape=shape)


def _add(chain: Chain) -> None:
    """To any earlier tensor of the same shape, the current one included."""
    shape = chain.shape
    alike = [
        index
        for index, tensor in enumerate(chain.tensors)
        if tensor.shape == shape and tensor.data is None
    ]
    chain.append("ADD", alike[chain.pick(0, len(alike) - 1)], shape=shape)


def _fully_connected(chain: Chain) -> None:
    batches = chain.shape[0]
    count = math.prod(chain.shape[1:])
    outputs = chain.pick(1, 6)
    weights = chain.weights((outputs, count), taps=count)
    chain.append("FULLY_CONNECTED", weights, OPTIONAL, shape=(batches, outputs))
