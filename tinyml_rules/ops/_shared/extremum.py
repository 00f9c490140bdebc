"""MAXIMUM and MINIMUM: one of two values as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared import constraints
from tinyml_rules.ops._shared.broadcast import EITHER, has_single_constants, inputs_of
from tinyml_rules.ops._shared.interval import rising
from tinyml_rules.ops._shared.operator import Op, Oracle
from tinyml_rules.ops._shared.plain_values import plain_meaning
from tinyml_rules.ops._shared.quantization import QuantizationRule

TYPES = (DType.INT8, DType.INT32, DType.INT64, DType.FLOAT32)


def extremum(
    name: str, *, builtin_code: int, operator: str, oracle: Oracle, quantization: QuantizationRule
) -> Op:
    """The first value where it is `operator` the second, else the second: so that of two zeros, and
    of what is no number, the second is taken, and the order matters."""

    return Op(
        name=name,
        builtin_code=builtin_code,
        options_type=39,
        input_counts=range(2, 3),
        summary=f"{', '.join(TYPES)}; broadcast up to 5 dimensions; either input constant; int8 "
        "in one quantization",
        is_map=has_single_constants,
        quantization=quantization,
        meanings=tuple(
            replace(
                plain_meaning(
                    name,
                    dtype,
                    f"first {operator} second ? first : second",
                    oracle,
                    constants=EITHER,
                    more=_one_quantization if dtype is DType.INT8 else lambda _view: (),
                ),
                interval=rising(oracle),
            )
            for dtype in TYPES
        ),
    )


def _one_quantization(view: NodeView) -> Iterator[str]:
    """Of int8."""
    tensors = (*inputs_of(view), view.output)
    roles = ("first input", "second input", "output")
    problems = [
        text
        for tensor, role in zip(tensors, roles, strict=True)
        for text in constraints.per_tensor(tensor, role)
    ]
    yield from problems or constraints.quantized_as_output(view, 0, 1)
