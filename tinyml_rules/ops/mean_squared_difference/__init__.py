"""MEAN_SQUARED_DIFFERENCE: how far two int8 tensors are apart.  `passes/add_scores.py` makes it."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.mean_squared_difference.op import (
    FITS_INT32,
    LEAVES_INT32,
    prepare,
)
from tinyml_rules.ops.mean_squared_difference.oracle import oracle

_TEMPLATE = Path(__file__).parent / "kernels" / "portable.c.j2"


@dataclass(frozen=True)
class Sum(Variant):
    """Words of the template."""

    sum: str
    """C type of the sum of all squares."""


OP = Op(
    name="mean_squared_difference",
    inputs=("first input", "second input"),
    summary="two int8 tensors to one int32",
    meanings=(
        Meaning(
            {},
            oracle,
            prepare,
            kernels=(
                Kernel(
                    name="mean_squared_difference",
                    template=_TEMPLATE,
                    form=Form.WHOLE,
                    can=(FITS_INT32,),
                    variant=Sum("int32_t"),
                ),
                Kernel(
                    name="mean_squared_difference_of_many",
                    template=_TEMPLATE,
                    form=Form.WHOLE,
                    can=(LEAVES_INT32,),
                    variant=Sum("int64_t"),
                ),
            ),
        ),
    ),
)
