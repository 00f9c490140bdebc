"""What operators that only move elements share: types, axes, and operands that say where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Tensor
from tinyml_rules.ops._shared import constraints

_NARROW = (DType.INT8, DType.UINT8)
MOVABLE = (*_NARROW, DType.INT16, DType.INT32, DType.INT64, DType.BOOL, DType.FLOAT32)
"""Only the size of an element matters."""


def alike(tensor: Tensor, role: str, first: Tensor, of_first: str) -> Iterator[str]:
    """The tensor's values mean the same as those of the first."""
    wrong = list(constraints.typed(tensor, role, first.dtype))
    yield from wrong or _same_quantization(tensor, role, first, of_first)


def moved(sources: Sequence[Tensor], results: Sequence[Tensor]) -> Iterator[str]:
    """One source to its results, or sources to the one result: a type that has a size, the same
    everywhere, and for 8 bits the same scale and zero point."""
    is_joined = len(sources) > 1
    first, of_first = (results[0], "output") if is_joined else (sources[0], "input")
    wrong = list(constraints.typed(first, of_first, *MOVABLE))
    yield from wrong
    if wrong:
        return
    role = "input" if is_joined else "output"
    for tensor in dict.fromkeys(sources if is_joined else results):
        yield from alike(tensor, role, first, of_first)


def _same_quantization(tensor: Tensor, role: str, first: Tensor, of_first: str) -> Iterator[str]:
    if tensor.dtype not in _NARROW or tensor.quantization is None or first.quantization is None:
        return
    for each, its_role in ((first, of_first), (tensor, role)):
        if each.quantization is not None and each.quantization.is_per_axis:
            yield f"{its_role} tensor {each} is quantized per axis, expected per tensor"
            return
    yield from constraints.quantized_as(tensor, role, first, of_first)


def plain_axis(axis: int, rank: int) -> int:
    """The axis counted from the first; a negative one counts from the last."""
    return axis + rank if axis < 0 else axis


def check_axis(axis: int, rank: int) -> Iterator[str]:
    """The axis is one of a tensor with so many dimensions."""
    if not -rank <= axis < rank:
        yield f"axis {axis}, expected one of {rank} dimensions"


def numbers(tensor: Tensor, role: str, *types: DType) -> Iterator[str]:
    """A constant that says where elements go: integers, int32 unless other types are given."""
    if not tensor.is_constant:
        yield f"{role} tensor {tensor} is computed at run time, expected a constant"
    else:
        yield from constraints.typed(tensor, role, *(types or (DType.INT32,)))


def one_number(tensor: Tensor, role: str, *types: DType) -> Iterator[str]:
    """The same, and no more than one."""
    wrong = list(numbers(tensor, role, *types))
    yield from wrong
    if not wrong and tensor.count != 1:
        yield f"{role} tensor {tensor} has {tensor.count} values, expected 1"


def places(tensor: Tensor, role: str, *types: DType) -> Iterator[str]:
    """Numbers that say where elements are, constant or computed: int32 or int64 unless other types
    are given."""
    yield from constraints.plain(tensor, role, *(types or (DType.INT32, DType.INT64)))


def vector(tensor: Tensor, role: str, count: int) -> Iterator[str]:
    """So many numbers, one for each dimension of a tensor."""
    yield from constraints.shaped(tensor, (count,), role=role)


def ints(tensor: Tensor) -> tuple[int, ...]:
    """The values of a checked constant, in their order."""
    assert tensor.data is not None
    return tuple(int(value) for value in tensor.data.reshape(-1).tolist())
