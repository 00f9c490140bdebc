"""Rules that several operators share, each yielding the text of what is wrong with a node.

They check a model's operand counts, types, shapes and quantization.
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
"""So many possible counts are listed in a message; of more it names the least."""
MOST_BIAS_DIFFERENCE = 0.02
"""The largest difference between the bias's scale and the product of the scales, in steps of the
output."""


class WrongType(str):
    """The message on a tensor with a wrong element type; its class decides which hint is added."""

    __slots__ = ("tensor",)
    tensor: Tensor

    def __new__(cls, text: str, tensor: Tensor) -> WrongType:
        made = super().__new__(cls, text)
        made.tensor = tensor
        return made


def operand_counts(view: NodeView) -> Iterator[str]:
    """The node has as many operands as its operator declares; the required ones are there."""
    signature, inputs = view.graph.signatures[view.node.op], view.node.inputs
    if len(inputs) not in signature.input_counts:
        yield f"{len(inputs)} inputs, expected {_counts(signature.input_counts)}"
    else:
        for position, index in enumerate(inputs):
            if index is None and not signature.may_leave_out(position):
                yield f"input {position} is left out, but it is required"
                break
    if len(view.node.outputs) not in signature.output_counts:
        yield f"{len(view.node.outputs)} outputs, expected {_counts(signature.output_counts)}"


def empty_operands(view: NodeView, *, may_be_empty: Sequence[str]) -> Iterator[str]:
    """Tensors without values, except operands that `may_be_empty`."""
    allowed = {tensor.index for name in may_be_empty for tensor in view.each(name)}
    for tensor in (*view.inputs, *view.outputs):
        if tensor is not None and tensor.count == 0 and tensor.index not in allowed:
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


def takes_real(view: NodeView) -> bool:
    """Whether the first input is float32."""
    return view["input"].dtype is DType.FLOAT32


def takes_reals(view: NodeView) -> bool:
    """Whether the first input and the output are float32."""
    return view.input(0).dtype is view.output.dtype is DType.FLOAT32


def constant_or_computed(tensor: Tensor, role: str) -> Iterator[str]:
    """The tensor is no variable, unless the operator allows one."""
    if tensor.is_variable:
        yield f"{role} tensor {tensor} is a variable, which is not supported"


def per_tensor(tensor: Tensor, role: str) -> Iterator[str]:
    """The tensor has one scale and one zero point."""
    if tensor.quantization is None:
        yield f"{role} tensor {tensor} has no scale and zero point"
    elif tensor.quantization.is_per_axis:
        yield f"{role} tensor {tensor} is quantized per axis, expected per tensor"


def variable(view: NodeView, tensor: Tensor, role: str) -> Iterator[str]:
    """The tensor is a variable that only this node uses."""
    if not tensor.is_variable:
        yield f"{role} tensor {tensor} is not a variable"
    elif tensor.is_constant:
        yield f"{role} tensor {tensor} has values in the file, expected a variable without"
    graph = view.graph
    others = [each for each in graph.nodes if each.index != view.node.index]
    used = [*graph.inputs, *graph.outputs, *(index for each in others for index in each.inputs)]
    if tensor.index in used:
        yield f"{role} tensor {tensor} is used elsewhere too, which is not supported"


def quantized_as(
    tensor: Tensor,
    role: str,
    other: Tensor,
    of_other: str,
    *,
    tolerance: float,
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


def weight_scales(
    tensor: Tensor, role: str, *, axis: int, may_have_zero_point: bool
) -> Iterator[str]:
    """Scales per tensor or along the axis, and zero points of 0; only weights that are quantized
    per tensor `may_have_zero_point`."""
    quantization = tensor.quantization
    if quantization is None:
        yield f"{role} tensor {tensor} has no scale"
        return
    if any(quantization.zero_points) and (quantization.is_per_axis or not may_have_zero_point):
        yield f"{role} tensor {tensor} has a zero point that is not 0"
    if quantization.is_per_axis and quantization.axis != axis:
        yield f"{role} tensor {tensor} has scales along axis {quantization.axis}, expected {axis}"


def bias_scale(view: NodeView, *, is_always_needed: bool = False) -> Iterator[str]:
    """The bias is in the scale of the sums, input times weights, with zero point 0, as the 8-bit
    specification says: it is added to them as it is.

    The tolerance is that of `GetQuantizedConvolutionMultipler` of TFLM, which is called for a
    per-tensor FULLY_CONNECTED alone. That one always needs the scale (`is_always_needed`);
    elsewhere the scale of a bias of zeros, or of a computed one, does not matter and may be
    missing.
    """
    tensor, of_weights = view.optional("bias"), view["weights"].quantization
    activations = (view["input"].quantization, view.output.quantization)
    if tensor is None or of_weights is None:
        return
    if any(each is None or each.is_per_axis for each in activations):
        return  # which is reported elsewhere
    found = tensor.quantization or Quantization((0.0,), (0,))
    if any(found.zero_points):
        zero_point = next(filter(None, found.zero_points))
        yield f"bias tensor {tensor} has zero point {zero_point}, expected 0"
    is_given = tensor.quantization is not None
    values = np.zeros(tensor.count, np.int32) if tensor.data is None else tensor.data
    for channel, value in enumerate(values.reshape(-1).tolist()):
        scale = found.scales[channel % len(found.scales)]
        expected = view["input"].scale * of_weights.scales[channel % len(of_weights.scales)]
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
    """The factor of a sum is below 2^30, so that its left shift fits int32, or below the operator's
    own limit."""
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


def depth(source: Tensor, *, most: int) -> Iterator[str]:
    """The last dimension has at most as many values as a sum has room for."""
    if source.shape[-1] > most:
        yield (
            f"input tensor {source} has {source.shape[-1]} values along the last dimension, "
            f"expected at most {most}"
        )
