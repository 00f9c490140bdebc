"""Rules that several operators share, each yielding the text of what is wrong with a node.

They judge the user's model: operand counts, types, shapes and quantization.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tinyml_rules.arithmetic.digits import texts_apart
from tinyml_rules.arithmetic.fixed_point import CLAMPING_ACTIVATIONS, INT32_MAX, Activation
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Quantization, Tensor

ONE_QUANTIZATION = ": the 8-bit specification asks for one quantization"
MAX_FACTOR = 2.0**30
MOST_COUNTS = 4
"""Numbers of operands that a sentence names."""
MOST_BIAS_DIFFERENCE = 0.02
"""Of the scale that a bias has from the one that it is taken to have, in steps of the output."""


class WrongType(str):
    """The text on a tensor whose element type is wrong: what to do about it follows from it."""

    __slots__ = ("tensor",)
    tensor: Tensor

    def __new__(cls, text: str, tensor: Tensor) -> WrongType:
        made = super().__new__(cls, text)
        made.tensor = tensor
        return made


def operand_counts(view: NodeView, *, inputs: range, outputs: range) -> Iterator[str]:
    """The node has as many operands as the schema gives it; the required ones are there."""
    required = inputs.start
    if len(view.node.inputs) not in inputs:
        yield f"{len(view.node.inputs)} inputs, expected {_counts(inputs)}"
    elif None in view.node.inputs[:required]:
        yield f"input {view.node.inputs.index(None)} is left out, but it is required"
    if len(view.node.outputs) not in outputs:
        yield f"{len(view.node.outputs)} outputs, expected {_counts(outputs)}"


def empty_operands(view: NodeView, *, may_be_empty: Sequence[int]) -> Iterator[str]:
    """Tensors without values, at other places of the inputs than those that `may_be_empty`."""
    inputs = [each for place, each in enumerate(view.inputs) if place not in may_be_empty]
    for tensor in (*inputs, *view.outputs):
        if tensor is not None and tensor.count == 0:
            shape = list(tensor.shape)
            yield f"tensor {tensor} has shape {shape}, expected dimensions of 1 or more"


def _counts(counts: range) -> str:
    if len(counts) > MOST_COUNTS:
        return f"at least {counts.start}"
    return " or ".join(str(count) for count in counts)


def typed(tensor: Tensor, role: str, *expected: DType) -> Iterator[str]:
    """The tensor has one of the expected element types."""
    if tensor.dtype not in expected:
        wanted = " or ".join(expected)
        text = f"{role} tensor {tensor} is {tensor.dtype}, expected {wanted}"
        yield WrongType(text, tensor)


def quantized(tensor: Tensor, role: str) -> Iterator[str]:
    """int8 with one scale and one zero point (LiteRT's 8-bit specification); a variable is for
    operators that say so."""
    yield from list(typed(tensor, role, DType.INT8)) or per_tensor(tensor, role)
    yield from constant_or_computed(tensor, role)


def takes_real(view: NodeView) -> bool:
    """Whether the first input has real numbers."""
    return view.input(0).dtype is DType.FLOAT32


def takes_reals(view: NodeView) -> bool:
    """Whether the first input and the output have real numbers."""
    return view.input(0).dtype is view.output.dtype is DType.FLOAT32


def plain(tensor: Tensor, role: str, *expected: DType) -> Iterator[str]:
    """Numbers of one of the expected types, however they are quantized."""
    yield from typed(tensor, role, *expected)
    yield from constant_or_computed(tensor, role)


def constant_or_computed(tensor: Tensor, role: str) -> Iterator[str]:
    """No variable: those are for operators that say so."""
    if tensor.is_variable:
        yield f"{role} tensor {tensor} is a variable, which is not supported"


def per_tensor(tensor: Tensor, role: str) -> Iterator[str]:
    """One scale and one zero point."""
    if tensor.quantization is None:
        yield f"{role} tensor {tensor} has no scale and zero point"
    elif tensor.quantization.is_per_axis:
        yield f"{role} tensor {tensor} is quantized per axis, expected per tensor"


def variable(view: NodeView, tensor: Tensor, role: str, *expected: DType) -> Iterator[str]:
    """A variable of one of these types, quantized per tensor, that is the node's alone."""
    yield from list(typed(tensor, role, *expected)) or per_tensor(tensor, role)
    if not tensor.is_variable:
        yield f"{role} tensor {tensor} is not a variable"
    elif tensor.is_constant:
        yield f"{role} tensor {tensor} has values in the file, expected a variable without"
    graph = view.graph
    others = [each for each in graph.nodes if each.index != view.node.index]
    used = [*graph.inputs, *graph.outputs, *(index for each in others for index in each.inputs)]
    if tensor.index in used:
        yield f"{role} tensor {tensor} is used elsewhere too, which is not supported"


def same_quantization(view: NodeView, *, tolerance: float = 1e-6) -> Iterator[str]:
    """Input and output share one scale and zero point, so that values pass unchanged.

    TFLM's pools allow scales to differ by 1e-6."""
    yield from quantized_as(view.output, "output", view.input(0), "input", tolerance=tolerance)


def quantized_as_output(view: NodeView, *places: int) -> Iterator[str]:
    """int8 inputs that are compared and copied as they are have the output's scale and zero point:
    the 8-bit specification's rule, at which no reference looks."""
    for place in places:
        yield from quantized_as(view.input(place), "input", view.output, "output")


def quantized_as(
    tensor: Tensor,
    role: str,
    other: Tensor,
    of_other: str,
    *,
    tolerance: float = 1e-6,
    rule: str = ONE_QUANTIZATION,
) -> Iterator[str]:
    """The tensor has the scale and the zero point of the other, each per tensor."""
    if abs(tensor.scale - other.scale) > tolerance or tensor.zero_point != other.zero_point:
        found, expected = texts_apart(tensor.scale, other.scale)
        yield (
            f"{role} tensor {tensor} has scale {found} and zero point {tensor.zero_point},"
            f" expected those of the {of_other}, {expected} and {other.zero_point}{rule}"
        )


def fixed_quantization(
    tensor: Tensor, *, scale: float, zero_point: int, tolerance: float = 0.0
) -> Iterator[str]:
    """The output has the scale, one divided by a whole number, and the zero point that the 8-bit
    specification fixes."""
    rule = ", which the 8-bit specification fixes" if tensor.dtype is DType.INT8 else ""
    if abs(tensor.scale - scale) > tolerance or tensor.zero_point != zero_point:
        found, expected = texts_apart(tensor.scale, scale)
        yield (
            f"output tensor {tensor} has scale {found} and zero point {tensor.zero_point}, "
            f"expected 1/{1 / scale:g} ({expected}) and {zero_point}{rule}"
        )


def weights(
    tensor: Tensor,
    *,
    axis: int,
    rank: int,
    types: Sequence[DType] = (DType.INT8,),
    may_be_computed: bool = False,
    may_have_zero_point: bool = False,
) -> Iterator[str]:
    """Constants of one of the types and the given rank, zero point 0, per tensor or per `axis`.

    Only those of int8 `may_be_computed`; only those that are quantized per tensor
    `may_have_zero_point`.
    """
    wrong = list(typed(tensor, "weights", *types))
    if wrong:
        yield from wrong
        return
    if may_be_computed and tensor.dtype is DType.INT8:
        yield from constant_or_computed(tensor, "weights")
    elif not tensor.is_constant:
        yield f"weights tensor {tensor} is computed at run time, expected a constant"
    if len(tensor.shape) != rank:
        yield f"weights tensor {tensor} has {len(tensor.shape)} dimensions, expected {rank}"
        return
    quantization = tensor.quantization
    if quantization is None:
        yield f"weights tensor {tensor} has no scale"
        return
    if any(quantization.zero_points) and (quantization.is_per_axis or not may_have_zero_point):
        yield f"weights tensor {tensor} has a zero point that is not 0"
    if quantization.is_per_axis and quantization.axis != axis:
        yield f"weights tensor {tensor} has scales along axis {quantization.axis}, expected {axis}"


def bias(tensor: Tensor | None, *, count: int, may_be_computed: bool = False) -> Iterator[str]:
    """Absent, or an int32 vector with a value for every output channel, a constant unless it
    `may_be_computed`."""
    if tensor is None:
        return
    yield from list(typed(tensor, "bias", DType.INT32)) or bias_values(
        tensor, count=count, may_be_computed=may_be_computed
    )


def bias_values(tensor: Tensor, *, count: int, may_be_computed: bool = False) -> Iterator[str]:
    """One for every output channel."""
    if may_be_computed:
        yield from constant_or_computed(tensor, "bias")
    if not (tensor.is_constant or may_be_computed):
        yield f"bias tensor {tensor} is computed at run time, expected a constant"
    elif tensor.count != count:
        yield f"bias tensor {tensor} has {tensor.count} values, expected {count}"


def bias_scale(view: NodeView, *, is_always_needed: bool = False) -> Iterator[str]:
    """The bias is in the scale of the sums, input times weights, with zero point 0, as the 8-bit
    specification says: it is added to them as it is.

    The tolerance is that of `GetQuantizedConvolutionMultipler` of TFLM, where only a per-tensor
    FULLY_CONNECTED calls it.  Such a node `is_always_needed` to have a scale, whatever the values;
    elsewhere one that is left out, or that of a 0 or of a computed bias, means nothing.
    """
    tensor, of_weights = view.optional_input(2), view.input(1).quantization
    activations = (view.input(0).quantization, view.output.quantization)
    if tensor is None or of_weights is None:
        return
    if any(each is None or each.is_per_axis for each in activations):
        return  # which is told elsewhere
    found = tensor.quantization or Quantization((0.0,), (0,))
    if any(found.zero_points):
        zero_point = next(filter(None, found.zero_points))
        yield f"bias tensor {tensor} has zero point {zero_point}, expected 0"
    is_given = tensor.quantization is not None
    values = np.zeros(tensor.count, np.int32) if tensor.data is None else tensor.data
    for channel, value in enumerate(values.reshape(-1).tolist()):
        scale = found.scales[channel % len(found.scales)]
        expected = view.input(0).scale * of_weights.scales[channel % len(of_weights.scales)]
        is_apart = abs(expected - scale) / view.output.scale > MOST_BIAS_DIFFERENCE
        if is_apart and (is_always_needed or (is_given and value)):
            yield (
                f"bias tensor {tensor} has scale {scale:g} for output {channel}, expected "
                f"{expected:g}, the product of the scales of input and weights"
            )
            return


def fused_activation(number: int, result: Tensor) -> Iterator[str]:
    """The fused activation is one that clamps, and its bounds are int32 in the output's scale."""
    if number not in CLAMPING_ACTIVATIONS:
        known = number in tuple(Activation)
        yield f"fused activation {Activation(number).name if known else number}"
    elif number in (Activation.RELU6, Activation.RELU_N1_TO_1):
        yield from resolvable_bounds(result, "output")


def resolvable_bounds(tensor: Tensor, role: str) -> Iterator[str]:
    """The bounds 6 and 1 are int32 numbers of the tensor's scale (`Quantize` of TFLM)."""
    quantization = tensor.quantization
    if quantization is not None and 6 / min(quantization.scales) > INT32_MAX:
        scale = min(quantization.scales)
        yield f"{role} tensor {tensor} has scale {scale:g}, too small for a bound of 6"


def rescaling(
    source: Tensor, result: Tensor, *, weights: Tensor | None = None, most: float = MAX_FACTOR
) -> Iterator[str]:
    """What a sum is multiplied with is below 2^30, so that it is at most a left shift of int32, or
    below what an operator can do."""
    tensors = [source, result] if weights is None else [source, result, weights]
    found = [tensor.quantization for tensor in tensors if tensor.quantization is not None]
    if len(found) < len(tensors):
        return
    product = math.prod(max(quantization.scales) for quantization in (found[0], *found[2:]))
    scale = min(found[1].scales)
    if product / scale >= most:
        yield f"output tensor {result} has scale {scale:g}, too small for the inputs' {product:g}"


def shaped(tensor: Tensor, expected: tuple[int, ...], *, role: str = "output") -> Iterator[str]:
    """The tensor has the shape that follows from the inputs and options."""
    if tensor.shape != expected:
        yield f"{role} tensor {tensor} has shape {list(tensor.shape)}, expected {list(expected)}"


def with_dimensions(source: Tensor) -> Iterator[str]:
    """The input has at least one dimension."""
    if not source.shape:
        yield f"input tensor {source} is a scalar, expected at least one dimension"
