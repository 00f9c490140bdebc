"""DEQUANTIZE: integers to the real numbers that they stand for."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.dequantize.op import OPERANDS, TYPES, check, prepare, takes
from tinyml_rules.ops.dequantize.oracle import oracle


@dataclass(frozen=True)
class Source(Variant):
    """Words of the template."""

    source: str
    """C type of an input value."""


def _meaning(source: DType) -> Meaning:
    kernel = Kernel(
        name=f"dequantize_{source}",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.POINTWISE,
        copies_unit=True,
        variant=Source(source.c_type),
    )
    return Meaning(
        takes=takes(source),
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
    )


OP = Op(
    name="dequantize",
    builtin_code=6,
    options_type=38,
    inputs=("input",),
    summary="int8, uint8, int16 to float32 (the caller's at a model output); float16 constants",
    role=Role.CONVERSION,
    is_map=lambda _view: True,
    meanings=tuple(map(_meaning, TYPES)),
)
