"""What CONV_2D and DEPTHWISE_CONV_2D share: how their window moves, and most checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.options import option
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.operands import Operand, Operands, int8, plain
from tinyml_rules.ops._shared.operator import Blocks, Pads
from tinyml_rules.ops._shared.quantization import Numbers
from tinyml_rules.ops._shared.real_weights import (
    finite_weights,
    real_operands,
    takes_narrow_weights,
    takes_real_weights,
)
from tinyml_rules.ops._shared.spatial import (
    IMAGE,
    INT16_MAX,
    RANK,
    Padding,
    Sliding,
    check_window,
    patches,
)

WEIGHTS = (DType.INT8, DType.INT4)
"""Element types."""


@dataclass(frozen=True)
class ConvolutionAttrs:
    """Conv2DOptions."""

    padding: int = option(0, "int8")
    stride_width: int = option(1, "int32")
    stride_height: int = option(2, "int32")
    activation: int = option(3, "int8")
    dilation_width: int = option(4, "int32", default=1)
    dilation_height: int = option(5, "int32", default=1)
    border: Pads = ((0, 0), (0, 0))
    """Explicit padding (before, after), vertically and horizontally; a pass sets it, no file."""


def slidings(view: NodeView) -> tuple[Sliding, Sliding]:
    """How the window moves, (vertically, horizontally); weights have it as dimensions 1 and 2."""
    attrs, weights = view.node.attrs, view["weights"]
    assert isinstance(attrs, ConvolutionAttrs)
    _, height, width, _ = weights.shape
    return (
        Sliding(height, attrs.stride_height, attrs.dilation_height, attrs.border[0]),
        Sliding(width, attrs.stride_width, attrs.dilation_width, attrs.border[1]),
    )


def seen_by_groups(view: NodeView, image: Numbers) -> Numbers:
    """What weights whose last axis is the channels of a group are multiplied with, as `Seen`: the
    values of all windows, 0 outside the image."""
    channels = view["weights"].shape[-1]
    windows = patches(image, *slidings(view), output=view.output, fill=0)
    height, width, inputs = windows.shape[3:]
    groups = inputs // channels
    by_group = windows.reshape(-1, height * width, groups, channels).transpose(2, 0, 1, 3)
    return by_group.reshape(groups, -1, height * width * channels)


def operands_of(*, axis: int, may_be_computed: bool = False) -> Operands:
    """int8 images; int8 or int4 weights with the output channels along `axis`; the bias.  Both are
    constants, unless they `may_be_computed`."""
    return {
        "input": int8(ranks=IMAGE),
        "weights": Operand(
            types=WEIGHTS,
            is_constant=True,
            computed=(DType.INT8,) if may_be_computed else (),
            ranks=IMAGE,
            axis=axis,
        ),
        "bias": plain(
            DType.INT32,
            is_constant=not may_be_computed,
            count=lambda view: view["weights"].shape[axis],
        ),
        "output": int8(ranks=IMAGE),
    }


def real_operands_of(*, axis: int) -> Operands:
    """The same of float32, with constant weights."""
    return real_operands(axis=axis, ranks=IMAGE, rank=RANK, is_constant=True)


def check_options(view: NodeView) -> Iterator[str]:
    """A fused activation that clamps."""
    attrs = view.node.attrs
    assert hasattr(attrs, "activation")
    yield from constraints.fused_activation(attrs.activation, view.output)


def check_weights(view: NodeView) -> Iterator[str]:
    """int8 scales agree; real weights are finite."""
    if takes_real_weights(view) or takes_narrow_weights(view):
        yield from finite_weights(view)
        return
    yield from constraints.rescaling(view["input"], view.output, weights=view["weights"])
    yield from constraints.bias_scale(view)


def check_geometry(view: NodeView, *, axis: int) -> Iterator[str]:
    """The window fits and gives the output's shape."""
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    vertical, horizontal = slidings(view)
    yield from check_window(
        view,
        padding=attrs.padding,
        vertical=vertical,
        horizontal=horizontal,
        channels=view["weights"].shape[axis],
        most_step=INT16_MAX,  # of `ConvParams` and `DepthwiseParams`
    )


def with_border(view: NodeView, pads: Pads) -> ConvolutionAttrs | None:
    """The options of the same convolution over the image without this border. The border may only
    be along height and width, and every window has to overlap the image."""
    attrs, (_, height, width, _) = view.node.attrs, view["input"].shape
    assert isinstance(attrs, ConvolutionAttrs)
    batches, down, across, channels = pads
    if any((*batches, *channels)):
        return None
    pairs = zip(attrs.border, (down, across), strict=True)
    border = tuple((first + old[0], last + old[1]) for old, (first, last) in pairs)
    padded = replace(attrs, border=border)
    node = replace(view.node, attrs=padded)
    sizes = (height - sum(down), width - sum(across))
    outputs = view.output.shape[1:3]
    slide = slidings(replace(view, node=node))
    if not all(map(Sliding.always_meets, slide, sizes, outputs)):
        return None
    return padded


def without_padding(view: NodeView) -> ConvolutionAttrs:
    """The options of the same convolution over an image that has its padding in it."""
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    return replace(attrs, padding=Padding.VALID, border=((0, 0), (0, 0)))


def with_dilation(view: NodeView, cut: Blocks, joined: Blocks) -> ConvolutionAttrs | None:
    """The options of the same convolution dilated by the block size, for one without padding and
    with a stride of 1. What is cropped after it must be in the border, and every window has to
    overlap the image."""
    attrs = view.node.attrs
    assert isinstance(attrs, ConvolutionAttrs)
    steps = (attrs.stride_height, attrs.stride_width, attrs.dilation_height, attrs.dilation_width)
    is_plain = steps == (1, 1, 1, 1) and attrs.padding == Padding.VALID
    if not is_plain or len(cut.sizes) != len(attrs.border) or cut.sizes != joined.sizes:
        return None
    if any(map(any, attrs.border)):
        return None
    rows = zip(cut.border, joined.border, strict=True)
    border = tuple((before - first, after - last) for (before, after), (first, last) in rows)
    if min(map(min, border)) < 0:
        return None
    height, width = cut.sizes
    found = replace(attrs, dilation_height=height, dilation_width=width, border=border)
    slide = slidings(replace(view, node=replace(view.node, attrs=found)))
    return None if any(max(each.border) >= each.reach for each in slide) else found
