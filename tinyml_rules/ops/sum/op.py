"""SUM: the multiplier of its sums, and what may be wrong with a node beside what MEAN shares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml_rules.arithmetic.fixed_point import quantize_multiplier
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.operator import Meaning


def multiplier_of(view: NodeView, _cells: int) -> tuple[int, int]:
    """(multiplier, shift): the quotient of the scales in double."""
    return quantize_multiplier(view["input"].scale / view.output.scale)


def not_of_litert(meaning: Meaning) -> Meaning:
    """The meaning of int8 where TFLM is the reference: LiteRT's reference kernel takes the bytes
    for uint8, with the zero points of int8, and nobody wants that."""

    def check(view: NodeView) -> Iterator[str]:
        yield from meaning.check(view)
        if view.reference is RoundingReference.LITERT and view["input"].dtype is DType.INT8:
            yield (
                f"input tensor {view['input']} is int8, which LiteRT's reference kernel takes for "
                "uint8, supported only with rounding=tflm"
            )

    return replace(meaning, check=check)
