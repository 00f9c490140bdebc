"""Quantization schemes other than int8: how an error describes such nodes, and its hint.

A scheme is recognised by the types of tensors alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Graph, NodeView, Tensor

_PAGE = "docs/how-to/int8_models.md shows how"
_QUANTIZE = f"quantize the model: `tinyml_rules quantize MODEL --calibration FILE`; {_PAGE}"
_QUANTIZE_OR_WIDEN = (
    "quantize the model: `tinyml_rules quantize MODEL --calibration FILE`, or compile it in "
    f"floating point with --dequantize; {_PAGE}"
)
_OF_TENSORFLOW_1 = (
    "of uint8, the quantization of TensorFlow 1, tensors need one scale and one zero point each: "
    f"convert the float model again, with full-integer int8 quantization; {_PAGE}"
)


@dataclass(frozen=True)
class Scheme:
    """`nodes` is the end of a sentence about the nodes of a model of this `name`; that is empty for
    numbers to which no model is converted as a whole."""

    name: str
    nodes: str
    hint: str


FLOAT32 = Scheme(
    "float32",
    "are float32, expected int8",
    _QUANTIZE,
)
FLOAT16 = Scheme(
    "float16",
    "compute in float32 with float16 weights, expected int8",
    _QUANTIZE_OR_WIDEN,
)
DYNAMIC_RANGE = Scheme(
    "dynamic-range",
    "compute in float32 with int8 weights, expected int8",
    _QUANTIZE_OR_WIDEN,
)
UINT8 = Scheme(
    "uint8",
    "are uint8, expected int8",
    _OF_TENSORFLOW_1,
)
UINT8_WEIGHTS = Scheme(
    "uint8",
    "have uint8 weights, expected int8",
    _OF_TENSORFLOW_1,
)
INT16 = Scheme(
    "16x8",
    "have int16 activations, expected int8",
    "most operators take int16 activations, but not all (docs/reference/operators.md): convert "
    f"with int8 activations; {_PAGE}",
)
INT4 = Scheme(
    "int4",
    "have int4 weights, expected int8",
    f"int4 weights are not supported here: convert with int8 weights; {_PAGE}",
)
_OF_ACTIVATIONS = {DType.FLOAT32: FLOAT32, DType.UINT8: UINT8, DType.INT16: INT16}
_OF_ACTIVATIONS |= {
    dtype: Scheme("", f"are {dtype}, expected int8", "")
    for dtype in (DType.INT32, DType.INT64, DType.BOOL)
}
_OF_CONSTANTS = {
    DType.FLOAT32: FLOAT32,
    DType.FLOAT16: FLOAT16,
    DType.UINT8: UINT8_WEIGHTS,
    DType.INT4: INT4,
}


def scheme_of_node(view: NodeView) -> Scheme | None:
    """The scheme in which a whole node computes; None for int8, and for a node that mixes types."""
    activations = {tensor.dtype for tensor in _activations(view)}
    if len(activations) != 1:
        return None
    (dtype,) = activations
    constants = {tensor.dtype for tensor in _constants(view)}
    if dtype is DType.FLOAT32 and DType.INT8 in constants:
        return DYNAMIC_RANGE
    if dtype is DType.FLOAT32 and DType.FLOAT16 in constants:
        return FLOAT16
    if dtype is DType.UINT8 and DType.UINT8 in constants:
        return UINT8_WEIGHTS
    return _OF_ACTIVATIONS.get(dtype)


def strange_type(view: NodeView) -> DType | None:
    """A key that is equal for nodes of a scheme that one message can name together."""
    return None if scheme_of_node(view) is None else first_foreign(view).dtype


def scheme_of_model(found: list[Scheme]) -> Scheme:
    """The most specific of the schemes of a model's nodes: layers without weights are float32 or
    uint8 in models of other schemes too."""
    special = [each for each in found if each not in (FLOAT32, UINT8)]
    return (special or found)[0]


def foreign_hint(graph: Graph, tensor: Tensor) -> str:
    """The hint for a tensor of the wrong type, in a node that is otherwise int8 or float32."""
    by_type = _OF_CONSTANTS if tensor.is_constant else _OF_ACTIVATIONS
    scheme = by_type.get(tensor.dtype)
    if scheme is UINT8 and not _is_computed_with(graph, tensor):
        scheme = FLOAT32
    return scheme.hint if scheme else ""


def _is_computed_with(graph: Graph, tensor: Tensor) -> bool:
    """Whether a node computes with the tensor in its type, rather than only converting it."""
    nodes = (node for node in graph.nodes if tensor.index in (*node.inputs, *node.outputs))
    return any(scheme_of_node(NodeView(graph, node)) is not None for node in nodes)


def first_foreign(view: NodeView) -> Tensor:
    """The tensor that an error names for a node of a scheme."""
    foreign = [tensor for tensor in _activations(view) if tensor.dtype in _OF_ACTIVATIONS]
    foreign += [tensor for tensor in _constants(view) if tensor.dtype in _OF_CONSTANTS]
    return foreign[0]


def _activations(view: NodeView) -> list[Tensor]:
    inputs = [tensor for tensor in view.inputs if tensor is not None]
    return [tensor for tensor in (*inputs, *view.outputs) if not tensor.is_constant]


def _constants(view: NodeView) -> list[Tensor]:
    return [tensor for tensor in view.inputs if tensor is not None and tensor.is_constant]
