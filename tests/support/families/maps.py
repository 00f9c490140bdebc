"""Nodes that map each value by itself: int8, islands of real numbers, casts."""

from __future__ import annotations

from tests.support.families.growing import Growing, real
from tinyml_rules.ops._shared.cases.case import typed

POSITIVE = ("RSQRT", "SQRT")
"""Operators of numbers that are not below 0."""
FIXED = {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)}
"""The quantization that the specification has for the output."""


def rescaling(graph: Growing, name: str, source: int) -> bool:
    """The output has a quantization of its own."""
    source = _positive(graph, name, source)
    options = {"Alpha": graph.choose((0.1, 0.3, -0.5))} if name == "LEAKY_RELU" else {}
    graph.node(name, [source], graph.activation(graph.shape(source)), **options)
    return True


def _positive(graph: Growing, name: str, source: int) -> int:
    if name not in POSITIVE:
        return source
    return graph.node("RELU", [source], graph.activation(graph.shape(source)))


def fixed(graph: Growing, name: str, source: int) -> bool:
    """The specification has the output's quantization."""
    graph.node(name, [source], graph.quantized(graph.shape(source), *FIXED[name]))
    return True


def keeping(graph: Growing, name: str, source: int) -> bool:
    """The output has the input's quantization."""
    graph.node(name, [source], graph.activation(graph.shape(source), like=source))
    return True


def requantizing(graph: Growing, name: str, source: int) -> bool:
    """QUANTIZE."""
    graph.node(name, [source], graph.activation(graph.shape(source)))
    return True


def island(graph: Growing, name: str, source: int) -> bool:
    """The operator in real numbers, between two conversions."""
    shape = graph.shape(source)
    if name == "EXP":  # TFLM's conversion of what exceeds int32 is not defined by C
        source = graph.node("LOGISTIC", [source], graph.quantized(shape, *FIXED["LOGISTIC"]))
    inside = graph.node("DEQUANTIZE", [_positive(graph, name, source)], real(shape))
    if name not in ("DEQUANTIZE", "RELU"):
        inside = graph.node(name, [inside], real(shape))
    if name == "RELU" or graph.chance(0.3):
        inside = graph.node("RELU", [inside], real(shape))
    graph.node("QUANTIZE", [inside], graph.activation(shape))
    return True


def casting(graph: Growing, name: str, source: int) -> bool:
    """CAST to a wider type, which is an output, or to one and back."""
    shape = graph.shape(source)
    wide = graph.node(name, [source], typed("", shape, graph.choose(("int16", "int32", "float32"))))
    if graph.chance(0.5):
        graph.node(name, [wide], graph.activation(shape))
    return True
