"""CUMSUM: the sums of all values up to each, along an axis."""

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.axes import check_axes
from tinyml_rules.ops._shared.operands import int8, numbers, plain
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.cumsum.op import (
    IN_ORDER,
    OUT_OF_ORDER,
    Attrs,
    Walk,
    check,
    prepare,
    prepare_plain,
)
from tinyml_rules.ops.cumsum.oracle import oracle, oracle_of_plain


@dataclass(frozen=True)
class Element(Variant):
    """Words of the template."""

    element: str
    """C type of a value."""
    total: str
    """C type of a sum."""
    is_quantized: bool
    """Whether the sums are requantized."""
    is_real: bool
    """Whether the values are real numbers."""


def _kernels(dtype: DType) -> tuple[Kernel[Walk], ...]:
    """If sums run along adjacent values, they are written in order and may overwrite the input;
    otherwise they are not."""
    is_quantized = dtype is DType.INT8
    across = Kernel(
        name=f"cumsum_{dtype}_across",
        template=Path(__file__).parent / "kernels" / "cumsum.c.j2",
        form=Form.POINTWISE,
        can=(OUT_OF_ORDER,),
        runtime=("requantize",) if is_quantized else (),
        variant=Element(
            element=dtype.c_type,
            total="int32_t" if is_quantized else dtype.c_type,
            is_quantized=is_quantized,
            is_real=dtype.is_real,
        ),
    )
    along = replace(across, name=f"cumsum_{dtype}", is_in_place=True, can=(IN_ORDER,))
    return along, across


def _meaning(dtype: DType) -> Meaning[Walk]:
    def takes(view: NodeView) -> bool:
        return view["input"].dtype is dtype

    if dtype is DType.INT8:
        operands = {"input": int8(), "axis": numbers(count=1), "output": int8(shape="input")}
        return Meaning(operands, oracle, prepare, kernels=_kernels(dtype), takes=takes, check=check)
    return Meaning(
        {"input": plain(dtype), "axis": numbers(count=1), "output": plain(dtype, shape="input")},
        oracle_of_plain,
        prepare_plain,
        kernels=_kernels(dtype),
        takes=takes,
        check=check_axes,
    )


OP = Op(
    name="cumsum",
    builtin_code=128,
    options_type=102,
    attrs=Attrs,
    inputs=("input", "axis"),
    summary="int8 (from minus the zero point, as in TFLM), int32, int64, float32; any axis",
    meanings=tuple(map(_meaning, (DType.INT8, DType.INT32, DType.INT64, DType.FLOAT32))),
)
