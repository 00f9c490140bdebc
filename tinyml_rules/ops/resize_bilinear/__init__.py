"""RESIZE_BILINEAR: an image of another size, each pixel interpolated between four of the input."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.quantization import SAME
from tinyml_rules.ops.resize_bilinear.op import (
    OPERANDS,
    REAL_OPERANDS,
    Attrs,
    check,
    check_options,
    check_real,
    check_uint8,
    prepare,
    prepare_real,
)
from tinyml_rules.ops.resize_bilinear.oracle import oracle, oracle_of_real, oracle_of_uint8


@dataclass(frozen=True)
class Ties(Variant):
    """Words of the template."""

    rounds_up: bool
    """Whether ties are rounded upwards, rather than away from zero."""


def _kernel(name: str, *, rounds_up: bool) -> Kernel:
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WINDOW,
        takes_row=True,
        variant=Ties(rounds_up),
    )


OP = Op(
    name="resize_bilinear",
    builtin_code=23,
    options_type=15,
    attrs=Attrs,
    inputs=("input", "size"),
    options=check_options,
    summary="int8; float32; constant size; align_corners, half_pixel_centers",
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check_real,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="resize_bilinear_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.WHOLE,
                ),
            ),
        ),
        Meaning(
            takes=lambda view: view.is_of_uint8,
            operands=OPERANDS,
            check=check_uint8,
            oracle=oracle_of_uint8,
            prepare=prepare,
            kernels=(_kernel("resize_bilinear_up", rounds_up=True),),
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(_kernel("resize_bilinear", rounds_up=False),),
        ),
    ),
    quantization=SAME,
)
