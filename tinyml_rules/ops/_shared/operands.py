"""The rules of a meaning for each operand, by its name, and the messages for broken rules.

A message begins with the operand's name. Further rules are in the operator's own `check`, which is
called for nodes whose operands are right.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import NodeView, Tensor
from tinyml_rules.ops._shared import constraints

NARROW = (DType.INT8, DType.UINT8)
MOVABLE = (*NARROW, DType.INT16, DType.INT32, DType.INT64, DType.BOOL, DType.FLOAT32)
"""Only the size of an element matters."""
ANY_RANK = 2**31
"""The end of a range of ranks without one."""
VECTORS = range(1, ANY_RANK)
"""Ranks of tensors that have a last dimension."""
_SAME_SCALE = 1e-6
"""Scales closer than this are equal for TFLM's pools."""
_FEW_RANKS = 2
"""So many ranks are listed in a message; more become a range."""

Shape = tuple[int, ...]
ShapeOf = Callable[[NodeView], Shape]


@dataclass(frozen=True, kw_only=True)
class Operand:
    """Rules for an operand; a rule that is not given always holds."""

    types: tuple[DType, ...] = ()
    """The element types that it may have."""
    type_of: str = ""
    """The operand whose element type it has."""
    scale_of: str = ""
    """The operand whose scale and zero point it has, if it has 8 bits or needs a scale."""
    tolerance: float | None = None
    """How far its scale may be from that one's, or from the fixed one; None for the default."""
    is_constant: bool = False
    computed: tuple[DType, ...] = ()
    """Types in which the operand may be computed instead of constant."""
    may_be_variable: bool = False
    is_state: bool = False
    """It is a variable that only this node uses."""
    scaled: tuple[DType, ...] = ()
    """Types that need one scale and one zero point."""
    centred: tuple[DType, ...] = ()
    """Types whose zero point has to be 0."""
    fixed: tuple[float, int] | None = None
    """The scale and the zero point that the 8-bit specification fixes."""
    axis: int | None = None
    """Of weights: the axis along which they may have a scale per index."""
    may_have_zero_point: bool = False
    """Of weights that are quantized per tensor."""
    ranks: range | None = None
    """The allowed numbers of dimensions."""
    count: int | Callable[[NodeView], int] | None = None
    """The number of elements; a function is called when all operands keep the other rules."""
    shape: str | ShapeOf | None = None
    """The operand whose shape it has, or the shape itself: of an input once all operands keep the
    other rules, of an output once the operator's own check finds nothing."""


Operands = Mapping[str, Operand]


def int8(**rules: Any) -> Operand:
    """int8 with one scale and one zero point: LiteRT's 8-bit specification."""
    return quantized(DType.INT8, **rules)


def quantized(*types: DType, **rules: Any) -> Operand:
    """One of these types, with one scale and one zero point."""
    return Operand(**{"types": types, "scaled": types, **rules})


def value_of(dtype: DType, **rules: Any) -> Operand:
    """This quantized type; int16 has zero point 0, by the 16x8 scheme."""
    centred = (dtype,) if dtype is DType.INT16 else ()
    return quantized(dtype, **{"centred": centred, **rules})


def plain(*types: DType, **rules: Any) -> Operand:
    """One of these types, however it is quantized."""
    return Operand(types=types, **rules)


def real(**rules: Any) -> Operand:
    """float32."""
    return plain(DType.FLOAT32, **rules)


def movable(**rules: Any) -> Operand:
    """Elements that are copied, of any type that has a size in C."""
    return plain(*MOVABLE, may_be_variable=True, **rules)


def alike(name: str, **rules: Any) -> Operand:
    """Elements of the named operand's type and quantization."""
    return Operand(type_of=name, scale_of=name, may_be_variable=True, **rules)


def numbers(*types: DType, **rules: Any) -> Operand:
    """A constant of parameters, such as axes: int32 unless other types are given."""
    return plain(*(types or (DType.INT32,)), is_constant=True, **rules)


def place_numbers(*types: DType, **rules: Any) -> Operand:
    """Indices, constant or computed: int32 or int64 unless other types are given."""
    return plain(*(types or (DType.INT32, DType.INT64)), **rules)


def rank_of(name: str) -> ShapeOf:
    """The shape of a vector with a number for each dimension of the named operand."""
    return lambda view: (len(view[name].shape),)


def wrong_operands(view: NodeView, operands: Operands) -> Iterator[str]:
    """Messages for broken rules of types, values, scales and dimensions."""
    tensors = {name: tuple(dict.fromkeys(view.each(name))) for name in operands}
    mistyped = {
        name
        for name, rule in operands.items()
        if rule.types and any(each.dtype not in rule.types for each in tensors[name])
    }
    for name, rule in operands.items():
        for tensor in tensors[name]:
            yield from list(_wrong_type(view, tensor, name, rule, mistyped)) or [
                *_wrong_values(view, tensor, name, rule),
                *_wrong_shape(view, tensor, name, rule),
                *_wrong_scale(view, tensor, name, rule, mistyped),
            ]


def wrong_sizes(view: NodeView, operands: Operands, names: Sequence[str]) -> Iterator[str]:
    """Messages for counts and shapes that do not follow from the other operands."""
    for name in names:
        rule = operands.get(name, _FREE)
        for tensor in dict.fromkeys(view.each(name)):
            if callable(rule.count):
                yield from _counted(tensor, name, rule.count(view))
            if callable(rule.shape):
                yield from constraints.shaped(tensor, rule.shape(view), role=name)


_FREE = Operand()


def _wrong_type(
    view: NodeView, tensor: Tensor, name: str, rule: Operand, mistyped: Collection[str]
) -> Iterator[str]:
    if name in mistyped and tensor.dtype not in rule.types:
        yield from constraints.typed(tensor, name, *rule.types)
    elif rule.type_of and rule.type_of not in mistyped:
        yield from constraints.typed(tensor, name, view.each(rule.type_of)[0].dtype)


def _wrong_values(view: NodeView, tensor: Tensor, name: str, rule: Operand) -> Iterator[str]:
    """Whether the values are in the file, computed, or kept from one inference to the next."""
    is_output = tensor.index in view.node.outputs
    if rule.is_state:
        yield from constraints.variable(view, tensor, name)
    elif rule.is_constant and tensor.dtype not in rule.computed:
        if not tensor.is_constant:
            yield f"{name} tensor {tensor} is computed at run time, expected a constant"
    elif not (rule.may_be_variable or is_output):
        yield from constraints.constant_or_computed(tensor, name)


def _wrong_shape(view: NodeView, tensor: Tensor, name: str, rule: Operand) -> Iterator[str]:
    if rule.ranks is not None and len(tensor.shape) not in rule.ranks:
        expected = ranks_text(rule.ranks)
        yield f"{name} tensor {tensor} has {len(tensor.shape)} dimensions, expected {expected}"
    elif isinstance(rule.shape, str):
        yield from constraints.shaped(tensor, view[rule.shape].shape, role=name)
    if isinstance(rule.count, int):
        yield from _counted(tensor, name, rule.count)


def _counted(tensor: Tensor, name: str, expected: int) -> Iterator[str]:
    if tensor.count != expected:
        yield f"{name} tensor {tensor} has {tensor.count} values, expected {expected}"


def ranks_text(ranks: range) -> str:
    """`4`, `3 or 4`, `2 to 5`, `1 or more`."""
    if ranks.stop == ANY_RANK:
        return f"{ranks.start} or more"
    if len(ranks) <= _FEW_RANKS:
        return " or ".join(map(str, ranks))
    return f"{ranks.start} to {ranks[-1]}"


def _wrong_scale(
    view: NodeView, tensor: Tensor, name: str, rule: Operand, mistyped: Collection[str]
) -> Iterator[str]:
    if rule.axis is not None:
        yield from constraints.weight_scales(
            tensor, name, axis=rule.axis, may_have_zero_point=rule.may_have_zero_point
        )
        return
    wrong = list(constraints.per_tensor(tensor, name)) if tensor.dtype in rule.scaled else []
    yield from wrong
    if wrong:
        return
    if tensor.dtype in rule.centred and tensor.zero_point:
        yield f"{name} tensor {tensor} has zero point {tensor.zero_point}, expected 0"
        return
    if rule.fixed is not None:
        scale, zero_point = rule.fixed
        yield from constraints.fixed_quantization(
            tensor, scale=scale, zero_point=zero_point, tolerance=rule.tolerance or 0.0
        )
    if rule.scale_of and rule.scale_of not in mistyped:
        yield from _other_scale(view.each(rule.scale_of)[0], tensor, name, rule)


def _other_scale(other: Tensor, tensor: Tensor, name: str, rule: Operand) -> Iterator[str]:
    """Scale and zero point are those of the other operand."""
    is_narrow = tensor.dtype in NARROW or tensor.dtype in rule.scaled
    if not is_narrow or tensor.quantization is None or other.quantization is None:
        return
    for each, called in ((other, rule.scale_of), (tensor, name)):
        if each.quantization is not None and each.quantization.is_per_axis:
            yield f"{called} tensor {each} is quantized per axis, expected per tensor"
            return
    tolerance = _SAME_SCALE if rule.tolerance is None else rule.tolerance
    yield from constraints.quantized_as(tensor, name, other, rule.scale_of, tolerance=tolerance)
