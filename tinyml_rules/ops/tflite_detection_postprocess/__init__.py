"""TFLite_Detection_PostProcess: the boxes of a detector, decoded, and the best that do not overlap.

As TFLM it takes float32 alone.  Where TFLM ends an inference with an error, because a box has no
area, that box overlaps none here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.tflite_detection_postprocess.op import (
    OPERANDS,
    Attrs,
    attrs_of,
    check,
    check_options,
    prepare,
)
from tinyml_rules.ops.tflite_detection_postprocess.oracle import oracle


@dataclass(frozen=True)
class Suppression(Variant):
    """Words of the template."""

    is_regular: bool
    """Whether each class has its own boxes."""


def _meaning(*, is_regular: bool) -> Meaning:
    """The meaning with a box for each class, or with the best class of each box."""
    kernel = Kernel(
        name=f"detection_postprocess_{'regular' if is_regular else 'fast'}",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WHOLE,
        runtime=("high_product",),
        variant=Suppression(is_regular),
    )
    return Meaning(
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        takes=lambda view: attrs_of(view).use_regular_nms == is_regular,
    )


OP = Op(
    name="tflite_detection_postprocess",
    custom_name="TFLite_Detection_PostProcess",
    attrs=Attrs,
    inputs=("box encodings", "class predictions", "anchors"),
    outputs=("boxes", "classes", "scores", "count"),
    options=check_options,
    summary="float32; constant anchors; regular and fast non-max suppression, the latter with one "
    "class a detection",
    meanings=(_meaning(is_regular=False), _meaning(is_regular=True)),
)
