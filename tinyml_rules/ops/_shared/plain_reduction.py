"""What the reductions of unquantized values share, which are taken value by value: greatest, least,
sum, product, all and any.

Sums and products of integers wrap, as in TFLM and LiteRT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tinyml_rules.ir.contract import Contract, Pointer, RunningSums
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Work
from tinyml_rules.ops._shared.axes import check_axes
from tinyml_rules.ops._shared.operands import plain, quantized
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.reduction import Totals, kernel, operands_of, reduced, walk_of

ORDERED = (
    DType.INT8,
    DType.UINT8,
    DType.INT16,
    DType.INT32,
    DType.INT64,
    DType.BOOL,
    DType.FLOAT32,
)
_QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16)
_GREATEST_REAL = "3.40282347e+38f"

_CONTRACT = Contract((Pointer("piece"),), Pointer("output", "outputs"), sums=RunningSums("totals"))
"""Totals wrap."""
TotalsOf = Callable[[DType], Totals]


def meanings(
    name: str, totals_of: TotalsOf, oracle: Oracle, types: Iterable[DType]
) -> tuple[Meaning, ...]:
    """A meaning for each of the element types."""
    return tuple(_meaning(name, totals_of, oracle, dtype) for dtype in types)


def _meaning(name: str, totals_of: TotalsOf, oracle: Oracle, dtype: DType) -> Meaning:
    is_scaled = dtype in _QUANTIZED
    source = quantized(dtype) if is_scaled else plain(dtype)
    same = {"scaled": (dtype,), "scale_of": "input", "tolerance": 0.0} if is_scaled else {}
    return Meaning(
        operands=reduced(source, plain(dtype, **same)),
        check=check_axes,
        oracle=oracle,
        prepare=lambda view: Work(params=walk_of(view), **operands_of(view)),
        kernels=(
            kernel(f"{name}_{dtype}", totals_of(dtype), element=dtype.c_type, contract=_CONTRACT),
        ),
        takes=lambda view: view["input"].dtype is dtype,
    )


def best(dtype: DType, *, better: str) -> Totals:
    """The best value; `better` is the C operator, `>` or `<`."""
    return Totals(
        c_type=dtype.c_type,
        start=_end(dtype, is_greatest=better == "<"),
        step=f"if ({{value}} {better} {{total}}) {{{{ {{total}} = {{value}}; }}}}",
        result=f"({dtype.c_type}){{total}}",
    )


def _end(dtype: DType, *, is_greatest: bool) -> str:
    """The least or the greatest number of a type in C."""
    if dtype is DType.BOOL:
        return "true" if is_greatest else "false"
    if dtype.is_real:
        return _GREATEST_REAL if is_greatest else f"-{_GREATEST_REAL}"
    if not is_greatest and not dtype.limits[0]:
        return "0"
    return f"{dtype.upper()}_{'MAX' if is_greatest else 'MIN'}"


def joined(
    dtype: DType, operation: str, *, start: str, total: DType | None = None, result: str = "{total}"
) -> Totals:
    """All values joined by a C operation; the total may have a wider type."""
    c_type = (total or dtype).c_type
    if dtype is DType.BOOL or dtype.is_real:
        step = f"{{total}} = {{total}} {operation} {{value}};"
    else:
        step = f"{{total}} = ({c_type})((u{c_type}){{total}} {operation} (u{c_type}){{value}});"
    return Totals(c_type=c_type, start=start, step=step, result=f"({dtype.c_type})({result})")
