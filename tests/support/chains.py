"""Models of many nodes in a row, which show what grows faster than a model."""

from __future__ import annotations

import numpy as np

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.ops.conv_2d.cases import conv


def chain(count: int, kind: str) -> bytes:
    """So many nodes of a kind."""
    return build_model({"conv": conv_chain, "map": map_chain, "add": add_chain, "fold": fold_chain, "zero": zero_chain}[kind](count))


def conv_chain(count: int) -> ModelSpec:
    """CONV_2D after CONV_2D of a few channels, each with constants of its own."""
    first = conv((1, 6, 6, 2), (3, 3), outputs=2)
    source, weights, bias, result = first.tensors
    (node,) = first.operators
    generator = np.random.default_rng(1)
    tensors: list[TensorSpec] = [source]
    nodes: list[OperatorSpec] = []
    for number in range(count):
        before = len(tensors) - 1 if number else 0
        place = len(tensors)
        values = generator.integers(-127, 128, weights.shape).astype(np.int8)
        tensors += [
            TensorSpec(f"weights{number}", weights.shape, "int8", weights.scales, weights.zero_points, data=values),
            TensorSpec(f"bias{number}", bias.shape, "int32", bias.scales, bias.zero_points, data=generator.integers(-500, 500, bias.shape).astype(np.int32)),
            TensorSpec(f"out{number}", result.shape, "int8", source.scales, source.zero_points),
        ]
        nodes.append(OperatorSpec(node.name, (before, place, place + 1), (place + 2,), node.options, version=node.version))
    return ModelSpec(tuple(tensors), tuple(nodes), (0,), (len(tensors) - 1,))


def map_chain(count: int) -> ModelSpec:
    """RELU after RELU."""
    tensors = [TensorSpec(f"t{number}", (1, 8), "int8", (0.5 + 0.001 * (number % 7),), (0,)) for number in range(count + 1)]
    nodes = [OperatorSpec("RELU", (number,), (number + 1,)) for number in range(count)]
    return ModelSpec(tuple(tensors), tuple(nodes), (0,), (count,))


def add_chain(count: int) -> ModelSpec:
    """ADD after ADD of the last two."""
    tensors = [TensorSpec(f"t{number}", (1, 8), "int8", (0.5,), (0,)) for number in range(count + 1)]
    nodes = [OperatorSpec("ADD", (number, max(number - 1, 0)), (number + 1,)) for number in range(count)]
    return ModelSpec(tuple(tensors), tuple(nodes), (0,), (count,))


def fold_chain(count: int) -> ModelSpec:
    """ADD of a constant that another ADD gives."""
    tensors = [TensorSpec("x", (1, 8), "int8", (0.5,), (0,)), TensorSpec("c", (1, 8), "int8", (0.5,), (0,), data=np.full((1, 8), 3, np.int8))]
    nodes = []
    last = 0
    for number in range(count // 2):
        tensors += [TensorSpec(f"k{number}", (1, 8), "int8", (0.5,), (0,)), TensorSpec(f"t{number}", (1, 8), "int8", (0.5,), (0,))]
        nodes += [OperatorSpec("ADD", (1, 1), (len(tensors) - 2,)), OperatorSpec("ADD", (last, len(tensors) - 2), (len(tensors) - 1,))]
        last = len(tensors) - 1
    return ModelSpec(tuple(tensors), tuple(nodes), (0,), (last,))


def zero_chain(count: int) -> ModelSpec:
    """MUL by zeros."""
    tensors = [TensorSpec("x", (1, 8), "int8", (0.5,), (0,)), TensorSpec("c", (1, 8), "int8", (0.5,), (0,), data=np.zeros((1, 8), np.int8))]
    nodes = []
    last = 0
    for number in range(count // 2):
        tensors += [TensorSpec(f"k{number}", (1, 8), "int8", (0.5,), (0,)), TensorSpec(f"t{number}", (1, 8), "int8", (0.5,), (0,))]
        nodes += [OperatorSpec("MUL", (last, 1), (len(tensors) - 2,)), OperatorSpec("ADD", (last, len(tensors) - 2), (len(tensors) - 1,))]
        last = len(tensors) - 1
    return ModelSpec(tuple(tensors), tuple(nodes), (0,), (last,))
