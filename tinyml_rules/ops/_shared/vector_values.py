"""Kernels of operators of two int8 tensors of the same shape, four values at a time by Helium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import ONLY, Variant


def vector_kernel(
    name: str, template: Path, takes: Callable[[object], bool], variant: Variant = ONLY
) -> Kernel:
    """The kernel of an operator, for the params that it `takes`."""
    return Kernel(
        name=f"{name}_vectors",
        template=template,
        form=Form.POINTWISE,
        requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
        when=takes,
        is_in_place=True,
        variant=variant,
    )
