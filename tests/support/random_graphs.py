"""Random models of many nodes, out of operators of every shape, as TFLM takes them: of int8, or of
int16 with weights of int8.

Branches, residuals, several inputs and outputs, views, islands of real numbers, conditions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

import numpy as np

from tests.support.families import axes, maps, movers, pairs, parts, windows
from tests.support.families.growing import KNOWN, Builder, Growing, real
from tests.support.stages import checked
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.model_file.writer import ModelSpec, TensorSpec

FAMILIES: Mapping[Builder, tuple[str, ...]] = {
    maps.rescaling: ("ABS", "ELU", "HARD_SWISH", "LEAKY_RELU", "RELU", "RSQRT"),
    maps.fixed: tuple(maps.FIXED),
    maps.keeping: ("RELU6",),
    maps.requantizing: ("QUANTIZE",),
    maps.island: (
        *("CEIL", "COS", "DEQUANTIZE", "EXP", "FLOOR", "NEG", "ROUND", "SIN", "SQRT"),
        "SQUARE",
    ),
    maps.casting: ("CAST",),
    pairs.rescaling: ("ADD", "MUL", "SQUARED_DIFFERENCE", "SUB"),
    pairs.keeping: ("MAXIMUM", "MINIMUM"),
    pairs.adding_many: ("ADD_N",),
    pairs.sloping: ("PRELU",),
    pairs.comparing: ("EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "NOT_EQUAL"),
    pairs.choosing: ("SELECT_V2",),
    pairs.combining: ("LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR"),
    axes.summing: ("MEAN", "SUM"),
    axes.extreme: ("REDUCE_MAX", "REDUCE_MIN"),
    axes.vectors: tuple(axes.VECTORS),
    axes.running: ("CUMSUM",),
    axes.index: ("ARG_MAX", "ARG_MIN"),
    axes.looking_up: ("EMBEDDING_LOOKUP",),
    axes.dense: ("FULLY_CONNECTED",),
    axes.product: ("BATCH_MATMUL",),
    movers.reshaping: ("RESHAPE",),
    movers.squeezing: ("SQUEEZE",),
    movers.expanding: ("EXPAND_DIMS",),
    movers.ordering: ("TRANSPOSE",),
    movers.reversing: ("REVERSE_V2",),
    movers.padding: ("PAD", "PADV2"),
    movers.mirroring: ("MIRROR_PAD",),
    movers.broadcasting: ("BROADCAST_TO",),
    movers.blocks_to_depth: ("SPACE_TO_DEPTH",),
    movers.depth_to_blocks: ("DEPTH_TO_SPACE",),
    movers.cutting: ("SPACE_TO_BATCH_ND",),
    movers.joining: ("BATCH_TO_SPACE_ND",),
    parts.concatenating: ("CONCATENATION",),
    parts.packing: ("PACK",),
    parts.unpacking: ("UNPACK",),
    parts.splitting: ("SPLIT", "SPLIT_V"),
    parts.slicing: ("SLICE",),
    parts.striding: ("STRIDED_SLICE",),
    parts.gathering: ("GATHER",),
    parts.gathering_slices: ("GATHER_ND",),
    parts.updating: ("DYNAMIC_UPDATE_SLICE",),
    windows.convolution: ("CONV_2D", "DEPTHWISE_CONV_2D"),
    windows.pool: ("AVERAGE_POOL_2D", "MAX_POOL_2D"),
    windows.transposed: ("TRANSPOSE_CONV",),
    windows.resizing: ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"),
}
"""What builds a node of which operators; those that there are not yet are left out."""
WITHOUT_GRAPHS: Mapping[str, str] = {
    **dict.fromkeys(("CALL_ONCE", "IF", "WHILE"), "control flow: runs graphs of its own"),
    **dict.fromkeys(("ASSIGN_VARIABLE", "READ_VARIABLE", "VAR_HANDLE"), "state"),
    **dict.fromkeys(("SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"), "state"),
    **dict.fromkeys(
        ("BROADCAST_ARGS", "DENSIFY", "FILL", "SHAPE", "TFLM_DECODE", "ZEROS_LIKE"),
        "known when the model is compiled",
    ),
    **dict.fromkeys(
        (
            *("GELU", "POW", "REDUCE_ANY", "REDUCE_PROD", "RELU_N1_TO_1", "RNN", "SELECT", "SIGN"),
            *("TILE", "UNIDIRECTIONAL_SEQUENCE_RNN"),
        ),
        "TFLM does not have it",
    ),
    **dict.fromkeys(("FLOOR_DIV", "FLOOR_MOD", "L2_POOL_2D"), "TFLM has it for real numbers alone"),
    "TFLITE_DETECTION_POSTPROCESS": "ends a detector; leaves a part of its outputs as it was",
    "DIV": "TFLM shifts by 32 bits and more where a quotient is small, which C does not define",
    "LOG": "TFLM makes an integer of the infinity that it has for 0, which C does not define",
    "REDUCE_ALL": "takes conditions alone",
}
"""Why these operators are in no graph."""

SHORT = frozenset(
    (
        *("ABS", "LEAKY_RELU", "RELU", "RELU6", "QUANTIZE", "PRELU", "MAXIMUM", "MINIMUM"),
        *("ADD", "MUL", "SQUARED_DIFFERENCE", "SUB", "FULLY_CONNECTED", "CONV_2D"),
        *("DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D", "RESIZE_NEAREST_NEIGHBOR"),
        *("RESHAPE", "SQUEEZE", "EXPAND_DIMS", "TRANSPOSE", "REVERSE_V2", "PAD", "PADV2"),
        *("BROADCAST_TO", "CONCATENATION", "PACK", "UNPACK", "SPLIT", "SPLIT_V", "SLICE"),
        *("STRIDED_SLICE", "DYNAMIC_UPDATE_SLICE"),
    )
)
"""Operators that graphs of int16 consist of."""

_BUILDERS: Mapping[str, Builder] = {
    name: builder for builder, names in FAMILIES.items() for name in names if name in KNOWN
}


def _forms(names: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Those of the named operators that there are, by their families."""
    present = (tuple(each for each in family if each in names) for family in FAMILIES.values())
    return tuple(filter(None, present))


_FORMS = {"int8": _forms(KNOWN), "int16": _forms(KNOWN & SHORT)}
_OFTEN = ("CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "CONCATENATION", "MUL", "RELU")
"""What most models consist of."""
MAX_SIZE = 6


def random_graph(seed: int | tuple[int, ...], *, node_count: int, dtype: str = "int8") -> ModelSpec:
    """The model of a type with this number: so many times a node, and what it needs around it, on
    one or more of all tensors that there are."""
    graph = Growing(np.random.default_rng(seed), dtype)
    for _ in range(graph.pick(1, 3)):
        _add_input(graph)
    for _ in range(node_count):
        _add_node(graph)
    if _takes_uint8(dtype) and graph.chance(0.2):
        shape = graph.shape(last := graph.values[-1])
        graph.node("QUANTIZE", [last], _uint8(shape))
    if graph.chance(0.1):
        last = graph.values[-1]
        graph.node("DEQUANTIZE", [last], real(graph.shape(last)))
    return graph.model()


def _add_input(graph: Growing) -> None:
    """An image or a matrix; now and then of another type, and converted."""
    rank = 4 if not graph.values or graph.chance(0.7) else graph.pick(1, 3)
    shape = tuple(graph.pick(1, MAX_SIZE) for _ in range(rank))
    shape = (1, *shape[1:]) if rank == 4 else shape
    if _takes_uint8(graph.dtype) and graph.chance(0.2):
        graph.node("QUANTIZE", [graph.input(_uint8(shape))], graph.activation(shape))
    elif graph.chance(0.1):
        graph.node("QUANTIZE", [graph.input(real(shape))], graph.activation(shape))
    else:
        graph.input(graph.activation(shape))


def _uint8(shape: tuple[int, ...]) -> TensorSpec:
    return TensorSpec("", shape, "uint8", scales=(0.25,), zero_points=(120,))


@cache
def _takes_uint8(dtype: str) -> bool:
    """Whether QUANTIZE is known for it and this type."""
    if dtype != "int8":
        return False
    graph = Growing(np.random.default_rng(0))
    graph.node("QUANTIZE", [graph.input(_uint8((1, 4)))], graph.activation((1, 4)))
    try:
        checked(graph.model())
    except UnsupportedError:
        return False
    return True


def _add_node(graph: Growing) -> None:
    """One node on a random tensor, mostly a late one; another one where it does not fit."""
    while True:
        late = graph.values[-3:] if graph.chance(0.7) else graph.values
        names = _OFTEN if graph.chance(0.3) else graph.choose(_FORMS[graph.dtype])
        name = graph.choose(names)
        if _BUILDERS[name](graph, name, graph.choose(late)):
            return
