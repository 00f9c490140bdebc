"""Models that are large in one way each: long, wide, tangled, or with one huge tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tinyml_rules.model_file.writer import (
    OPTIONAL,
    ModelSpec,
    OperatorSpec,
    TensorSpec,
    build_model,
)

IMAGE = (1, 8, 8, 4)
HUGE = 2**24
SAME = {"Padding": 0, "StrideW": 1, "StrideH": 1}


def _tensor(name: str, shape: tuple[int, ...] = IMAGE) -> TensorSpec:
    return TensorSpec(name, shape, scales=(0.5,), zero_points=(0,))


def _images(count: int) -> tuple[TensorSpec, ...]:
    return tuple(_tensor(f"t{number}") for number in range(count))


def _weights(name: str, shape: tuple[int, ...]) -> TensorSpec:
    values = np.random.default_rng(len(name)).integers(-127, 128, shape).astype(np.int8)
    return TensorSpec(name, shape, scales=(0.01,), zero_points=(0,), data=values)


def relus(count: int, shape: tuple[int, ...] = IMAGE) -> bytes:
    """A chain of the simplest operator."""
    tensors = tuple(_tensor(f"t{number}", shape) for number in range(count + 1))
    operators = tuple(OperatorSpec("RELU", (number,), (number + 1,)) for number in range(count))
    return build_model(ModelSpec(tensors, operators, (0,), (count,)))


def blocks(count: int) -> bytes:
    """RELU, CONV_2D and ADD by turns; each ADD takes the result of the ADD before it as well."""
    tensors = [_tensor("in"), _weights("w", (4, 3, 3, 4))]
    operators = []
    current = before = 0
    for number in range(count):
        name = ("RELU", "CONV_2D", "ADD")[number % 3]
        operands = {"RELU": (), "CONV_2D": (1, OPTIONAL), "ADD": (before,)}[name]
        tensors.append(_tensor(f"t{number}"))
        result = len(tensors) - 1
        options = SAME if name == "CONV_2D" else {}
        operators.append(OperatorSpec(name, (current, *operands), (result,), options))
        current = result
        before = result if name == "ADD" else before
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (current,)))


def convolutions(count: int) -> bytes:
    """3x3 to six channels and 1x1 back to four, by turns."""
    tensors = [_tensor("in"), _weights("w", (6, 3, 3, 4)), _weights("p", (4, 1, 1, 6))]
    operators = []
    current = 0
    for number in range(count):
        wide = number % 2 == 0
        tensors.append(_tensor(f"t{number}", (*IMAGE[:3], 6 if wide else 4)))
        result = len(tensors) - 1
        inputs = (current, 1 if wide else 2, OPTIONAL)
        operators.append(OperatorSpec("CONV_2D", inputs, (result,), SAME))
        current = result
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (current,)))


def own_constants(count: int) -> bytes:
    """3x3 convolutions one after the other, each with weights and a bias of its own."""
    generator = np.random.default_rng(1)
    tensors, operators = [_tensor("in")], []
    for number in range(count):
        weights = generator.integers(-127, 128, (4, 3, 3, 4)).astype(np.int8)
        bias = generator.integers(-500, 500, (4,)).astype(np.int32)
        place = len(tensors)
        tensors += [
            TensorSpec(f"w{number}", weights.shape, scales=(0.01,), zero_points=(0,), data=weights),
            TensorSpec(f"b{number}", (4,), "int32", (0.005,), (0,), data=bias),
            _tensor(f"t{number}"),
        ]
        inputs = (max(place - 1, 0), place, place + 1)
        operators.append(OperatorSpec("CONV_2D", inputs, (place + 2,), SAME))
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (len(tensors) - 1,)))


def foldable(count: int) -> bytes:
    """ADDs by turns of two constants, and of what that gives to what comes in."""
    values = np.full(IMAGE, 3, np.int8)
    constant = TensorSpec("c", IMAGE, scales=(0.5,), zero_points=(0,), data=values)
    tensors, operators = [_tensor("in"), constant], []
    current = 0
    for number in range(count // 2):
        folded = len(tensors)
        tensors += [_tensor(f"k{number}"), _tensor(f"t{number}")]
        operators.append(OperatorSpec("ADD", (1, 1), (folded,)))
        operators.append(OperatorSpec("ADD", (current, folded), (folded + 1,)))
        current = folded + 1
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (current,)))


def branches(count: int) -> bytes:
    """One input, `count` RELUs of it, and the ADDs that join them one by one."""
    operators = [OperatorSpec("RELU", (0,), (number,)) for number in range(1, count + 1)]
    current = 1
    for number in range(2, count + 1):
        result = count + number - 1
        operators.append(OperatorSpec("ADD", (current, number), (result,)))
        current = result
    return build_model(ModelSpec(_images(current + 1), tuple(operators), (0,), (current,)))


def tangle(count: int) -> bytes:
    """ADDs, each of any two earlier tensors; what nobody reads is an output."""
    generator = np.random.default_rng(1)
    operators = [
        OperatorSpec("ADD", tuple(map(int, generator.integers(0, number, 2))), (number,))
        for number in range(1, count + 1)
    ]
    read = {tensor for operator in operators for tensor in operator.inputs}
    outputs = tuple(number for number in range(1, count + 1) if number not in read)
    return build_model(ModelSpec(_images(count + 1), tuple(operators), (0,), outputs))


def huge_window() -> bytes:
    """A convolution whose input and output have 2^24 bytes each."""
    shape = (1, 1024, 4096, 4)
    tensors = (_tensor("in", shape), _weights("w", (4, 3, 3, 4)), _tensor("out", shape))
    convolution = OperatorSpec("CONV_2D", (0, 1, OPTIONAL), (2,), SAME)
    return build_model(ModelSpec(tensors, (convolution,), (0,), (2,)))


LARGE: Mapping[str, Callable[[], bytes]] = {
    "relus 1,000": lambda: relus(1_000),
    "relus 10,000": lambda: relus(10_000),
    "blocks 1,000": lambda: blocks(1_000),
    "blocks 10,000": lambda: blocks(10_000),
    "branches 200": lambda: branches(200),
    "tangle 1,000": lambda: tangle(1_000),
    "values 2^24": lambda: relus(2, (1, HUGE)),
    "rows 2^24": lambda: relus(2, (1, 4096, 64, 64)),
    "window 2^24": huge_window,
}
"""By what is large, and how large."""


def bottlenecks(count: int) -> bytes:
    """1x1 to 24 channels, 3x3 in each channel and 1x1 back to four, by turns."""
    tensors = [
        _tensor("in", (1, 16, 16, 4)),
        _weights("e", (24, 1, 1, 4)),
        _weights("d", (1, 3, 3, 24)),
        _weights("p", (4, 1, 1, 24)),
    ]
    operators = []
    current = 0
    for number in range(count):
        turn = number % 3
        tensors.append(_tensor(f"t{number}", (1, 16, 16, 4 if turn == 2 else 24)))
        result = len(tensors) - 1
        name = "DEPTHWISE_CONV_2D" if turn == 1 else "CONV_2D"
        options = {**SAME, "DepthMultiplier": 1} if turn == 1 else SAME
        operators.append(OperatorSpec(name, (current, turn + 1, OPTIONAL), (result,), options))
        current = result
    return build_model(ModelSpec(tuple(tensors), tuple(operators), (0,), (current,)))
