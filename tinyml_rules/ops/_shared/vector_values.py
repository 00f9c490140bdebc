"""Helium kernels of operators on two int8 tensors of one shape, four values at a time."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ops._shared.broadcast import Own, ValueFacts
from tinyml_rules.ops._shared.value_kernels import EQUAL_SHAPES


def vector_kernel(
    name: str,
    template: Path,
    becomes_smaller: Condition[ValueFacts[Own]],
    variant: Variant = ONLY,
) -> Kernel[ValueFacts[Own]]:
    """The kernel of an operator whose results are shifted right."""
    return Kernel(
        name=f"{name}_vectors",
        template=template,
        form=Form.POINTWISE,
        requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
        can=(EQUAL_SHAPES, becomes_smaller),
        is_in_place=True,
        variant=variant,
    )
