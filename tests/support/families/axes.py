"""Nodes over axes: sums, extremes, vectors, indices, and products of matrices."""

from __future__ import annotations

import math

from tests.support.families.growing import KNOWN, LARGEST, Growing, Shape
from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.model_file.writer import OPTIONAL, TensorSpec
from tinyml_rules.ops._shared.cases.case import typed

_INT32 = 2


def _reduced(graph: Growing, source: int) -> tuple[list[int], Shape, bool]:
    """Random axes, the shape without them, and whether they are kept as 1."""
    shape = graph.shape(source)
    axes = sorted({graph.pick(0, len(shape) - 1) for _ in range(graph.pick(1, 2))})
    keeps = len(axes) == len(shape) or graph.chance(0.5)
    left = [1 if axis in axes else size for axis, size in enumerate(shape)]
    if not keeps:
        left = [size for axis, size in enumerate(shape) if axis not in axes]
    if graph.chance(0.3):
        axes = [axis - len(shape) for axis in axes]
    return axes, tuple(left), keeps


def summing(graph: Growing, name: str, source: int) -> bool:
    """The output has a quantization of its own."""
    axes, shape, keeps = _reduced(graph, source)
    graph.node(name, [source, graph.numbers(axes)], graph.activation(shape), KeepDims=keeps)
    return True


def extreme(graph: Growing, name: str, source: int) -> bool:
    """The output has the input's quantization."""
    axes, shape, keeps = _reduced(graph, source)
    result = graph.activation(shape, like=source)
    graph.node(name, [source, graph.numbers(axes)], result, KeepDims=keeps)
    return True


VECTORS = {
    "SOFTMAX": (1 / 256, -128),
    "LOG_SOFTMAX": (16 / 256, 127),
    "L2_NORMALIZATION": (1 / 128, 0),
}


def vectors(graph: Growing, name: str, source: int) -> bool:
    """Along the last axis, to the quantization that the specification has."""
    shape = graph.shape(source)
    if len(shape) > 4:
        return False
    options = {"Beta": graph.choose((1.0, 0.5))} if name == "SOFTMAX" else {}
    graph.node(name, [source], graph.quantized(shape, *VECTORS[name]), **options)
    return True


def running(graph: Growing, name: str, source: int) -> bool:
    """CUMSUM."""
    shape = graph.shape(source)
    graph.node(
        name,
        [source, graph.numbers(graph.pick(0, len(shape) - 1))],
        graph.activation(shape),
        Exclusive=graph.chance(0.5),
        Reverse=graph.chance(0.5),
    )
    return True


def _index(graph: Growing, name: str, source: int, axis: int) -> int:
    shape = graph.shape(source)
    result = typed("", (*shape[:axis], *shape[axis + 1 :]), "int32")
    return graph.node(name, [source, graph.numbers(axis)], result, OutputType=_INT32)


def index(graph: Growing, name: str, source: int) -> bool:
    """ARG_MAX and ARG_MIN: the result is an output."""
    if len(graph.shape(source)) < 2:
        return False
    _index(graph, name, source, graph.pick(0, len(graph.shape(source)) - 1))
    return True


def looking_up(graph: Growing, name: str, source: int) -> bool:
    """Rows of a table, by what ARG_MAX finds in each row of the source."""
    if "ARG_MAX" not in KNOWN:
        return False
    source = graph.of_rank(source, 2)
    rows, count = graph.shape(source)
    width = graph.pick(1, 5)
    if rows * width > LARGEST:
        return False
    table = graph.constant(graph.activation((count, width)))
    numbers = _index(graph, "ARG_MAX", source, 1)
    graph.node(name, [numbers, table], graph.activation((rows, width), like=table))
    return True


def weights(
    graph: Growing, shape: Shape, *, source: int, result: TensorSpec, axis: int, terms: int
) -> tuple[int, int]:
    """Constants with which sums of so many products fill the range of the result: weights, and a
    bias or none."""
    outputs = shape[axis]
    scale = result.scales[0] / graph.tensors[source].scales[0] / (60 * math.sqrt(terms))
    scales = tuple(scale * 1.25**place for place in range(outputs if graph.chance(0.7) else 1))
    zeros = (0,) * len(scales)
    spec = TensorSpec("", shape, scales=scales, zero_points=zeros, axis=axis)
    matrix = graph.constant(spec, low=-127)
    if graph.chance(0.2):
        return matrix, OPTIONAL
    is_short = graph.dtype == "int16"
    dtype, most = ("int64", 5000 * 2**8) if is_short else ("int32", 5000)
    data = graph.generator.integers(-most, most + 1, outputs).astype(dtype)
    of_sums = tuple(graph.tensors[source].scales[0] * each for each in scales)
    bias = TensorSpec("", (outputs,), dtype, scales=of_sums, zero_points=zeros, data=data)
    return matrix, graph.tensor(bias)


def activation(graph: Growing) -> Activation:
    """Mostly none."""
    return graph.choose((Activation.RELU, Activation.RELU6) + 3 * (Activation.NONE,))


def dense(graph: Growing, name: str, source: int) -> bool:
    """FULLY_CONNECTED on the last axis, or on all of an image."""
    shape = graph.shape(source)
    inputs = math.prod(shape[1:]) if graph.chance(0.5) else shape[-1]
    rows, outputs = math.prod(shape) // inputs, graph.pick(1, 8)
    if rows * outputs > LARGEST:
        return False
    result = graph.activation((rows, outputs))
    matrix, bias = weights(
        graph, (outputs, inputs), source=source, result=result, axis=0, terms=inputs
    )
    how = activation(graph)
    graph.node(name, [source, matrix, bias], result, FusedActivationFunction=how)
    return True


def product(graph: Growing, name: str, source: int) -> bool:
    """BATCH_MATMUL of two computed matrices."""
    source = graph.of_rank(source, 2, 3, 4)
    *batches, rows, terms = graph.shape(source)
    fitting = graph.others(lambda each: each.shape[:-1] == (*batches, terms))
    adjoint = not fitting or graph.chance(0.3)
    other = source if adjoint else graph.choose(fitting)
    columns = rows if adjoint else graph.shape(other)[-1]
    shape = (*batches, rows, columns)
    if math.prod(shape) > LARGEST:
        return False
    # so that sums of products of values of +-10 do not all saturate
    scale = 0.25 * math.sqrt(terms)
    result = graph.quantized(shape, scale, graph.pick(-30, 30))
    graph.node(name, [source, other], result, AdjX=False, AdjY=adjoint)
    return True
