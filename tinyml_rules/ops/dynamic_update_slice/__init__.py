"""DYNAMIC_UPDATE_SLICE: a tensor of which one block is replaced.

A begin from which the update would leave the tensor is moved inside, as TFLM does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tinyml_rules.ir.buffers import Place
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops._shared.moves import moved_part, same_elements, slice_of
from tinyml_rules.ops._shared.moving import ints
from tinyml_rules.ops._shared.operands import alike, movable, place_numbers, rank_of
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import MOVES_FIRST_VERSION

OPERAND, UPDATE, BEGIN = range(3)


OPERANDS = {
    "input": movable(),
    "update": alike("input"),
    "begin": place_numbers(shape=rank_of("input")),
    "output": alike("input", shape="input"),
}


def check(view: NodeView) -> Iterator[str]:
    """The update fits."""
    operand, update = view["input"], view["update"]
    fits = len(update.shape) == len(operand.shape) and all(
        size <= most for size, most in zip(update.shape, operand.shape, strict=True)
    )
    if not fits:
        found, most = list(update.shape), list(operand.shape)
        yield f"update tensor {update} has shape {found}, which does not fit into {most}"


def layout(view: NodeView) -> tuple[Place, Place]:
    """The tensor, then the update over it."""
    operand, update, begin = (view[name] for name in ("input", "update", "begin"))
    result = view.output
    if begin.data is None:
        put = moved_part(result, update, begin).turned
    else:
        rows = zip(ints(begin), result.shape, update.shape, strict=True)
        starts = [min(max(first, 0), most - size) for first, most, size in rows]
        put = slice_of(result, update, starts=starts).turned
    return same_elements(operand, result), put


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """An assignment to a slice."""
    found = values[view["input"].index].copy()
    update, begins = (values[view[name].index] for name in ("update", "begin"))
    cut = []
    for begin, most, size in zip(begins.tolist(), found.shape, update.shape, strict=True):
        first = max(0, min(begin, most - size))
        cut.append(slice(first, first + size))
    found[tuple(cut)] = update
    return found


OP = Op(
    name="dynamic_update_slice",
    builtin_code=151,
    options_type=117,
    inputs=("input", "update", "begin"),
    summary="any type; the begins int32 or int64, constant or computed, are kept inside",
    role=Role.LAYOUT,
    layout=layout,
    meanings=(Meaning(operands=OPERANDS, check=check, oracle=oracle),),
    quantization=MOVES_FIRST_VERSION,
)
