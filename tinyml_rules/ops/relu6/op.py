"""RELU6: its constants."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.arithmetic.fixed_point import Activation, clamp_range
from tinyml_rules.ir.c_struct import Int8
from tinyml_rules.ir.graph import NodeView


@dataclass(frozen=True)
class Params:
    """Members of the C struct."""

    clamp_min: Int8
    clamp_max: Int8


def is_quantized_alike(view: NodeView) -> bool:
    """Whether the numbers of input and output mean the same."""
    return view["input"].quantization == view.output.quantization


def params_of(view: NodeView) -> Params:
    """The clamps, in the quantization of both."""
    source = view["input"]
    return Params(*clamp_range(Activation.RELU6, scale=source.scale, zero_point=source.zero_point))
