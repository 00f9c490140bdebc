"""Options, shapes and tensors in words.  Knows the fields that options share, and no operator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from typing import Any

from tinyml_rules.arithmetic.fixed_point import Activation
from tinyml_rules.ir.graph import Node, NodeView, Tensor

_PADDINGS = {0: "SAME", 1: "VALID"}
_ENDS = ("_height", "_width")


def attrs_of(node: Node) -> dict[str, Any]:
    """The options as they were read; empty for an operator without, or that is not known."""
    attrs = node.attrs
    return asdict(attrs) if is_dataclass(attrs) and not isinstance(attrs, type) else {}


def options_text(view: NodeView) -> str:
    """All options: `padding SAME, stride 2x2, activation RELU6, dilation 1x1`."""
    return ", ".join(_options(attrs_of(view.node)))


def short_options(view: NodeView) -> str:
    """The options that differ from usual ones, with the window: `3x3 SAME, stride 2, RELU6`."""
    attrs = attrs_of(view.node)
    padding = _padding(attrs["padding"]) if "padding" in attrs else ""
    texts = [
        " ".join(filter(None, (_window(view, attrs), padding))),
        _short_pair(attrs, "stride"),
        _activation(attrs["activation"]) if attrs.get("activation") else "",
        _short_pair(attrs, "dilation"),
    ]
    if attrs.get("depth_multiplier", 1) != 1:
        texts.append(f"depth x{attrs['depth_multiplier']}")
    return ", ".join(filter(None, texts))


def _short_pair(attrs: dict[str, Any], name: str) -> str:
    height, width = (attrs.get(f"{name}{end}", 1) for end in _ENDS)
    if (height, width) == (1, 1):
        return ""
    return f"{name} {height}" if height == width else f"{name} {height}x{width}"


def _options(attrs: dict[str, Any]) -> Iterator[str]:
    for key, value in attrs.items():
        name = key.removesuffix("_height").removesuffix("_width")
        if name != key and _pair(attrs, name):
            first = next(each for each in attrs if each in (f"{name}_height", f"{name}_width"))
            if key == first:  # the other one has been told with it
                yield f"{name} {_pair(attrs, name)}"
        elif key == "padding":
            yield f"padding {_padding(value)}"
        elif key == "activation":
            yield f"activation {_activation(value)}"
        else:
            word = str(value).lower() if isinstance(value, bool) else f"{value}"
            yield f"{key.replace('_', ' ')} {word}"


def _pair(attrs: dict[str, Any], name: str) -> str:
    height, width = (attrs.get(f"{name}{end}") for end in _ENDS)
    return "" if height is None or width is None else f"{height}x{width}"


def _window(view: NodeView, attrs: dict[str, Any]) -> str:
    """The window of the options, or else of the weights of a convolution."""
    if _pair(attrs, "window") or not _pair(attrs, "stride"):
        return _pair(attrs, "window")
    weights = view.optional_input(1)
    shape = () if weights is None else weights.shape
    return f"{shape[1]}x{shape[2]}" if len(shape) == 4 else ""


def _padding(number: int) -> str:
    return _PADDINGS.get(number, f"number {number}")


def _activation(number: int) -> str:
    return Activation(number).name if number in tuple(Activation) else f"number {number}"


def shape_text(tensor: Tensor) -> str:
    """`1x49x10x1`, or `scalar`."""
    return "x".join(map(str, tensor.shape)) or "scalar"


def name_text(tensor: Tensor, *, is_short: bool = False) -> str:
    """Number, name, type and shape; `is_short`: without a long name's middle."""
    name = str(tensor) if is_short else f"#{tensor.index} {tensor.name!r}"
    return f"{name} {tensor.dtype} {shape_text(tensor)}"


def tensor_text(tensor: Tensor, *, is_short: bool = False) -> str:
    """The tensor as text, with its quantization."""
    text = name_text(tensor, is_short=is_short)
    quantization = tensor.quantization
    if quantization is not None and quantization.is_per_axis:
        text += f", {len(quantization.scales)} scales along axis {quantization.axis}"
    elif quantization is not None:
        text += f", scale {quantization.scales[0]:.6g}, zero point {quantization.zero_points[0]}"
    return text
