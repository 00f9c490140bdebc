"""What annotations of templates say of loops that all walk in one way."""

from __future__ import annotations

from tinyml_rules.emit.contracts import of_bounded_sum, of_params
from tinyml_rules.emit.kernels import KernelUse
from tinyml_rules.emit.piece_contracts import RESCALABLE
from tinyml_rules.ir.contract import CLAMPED as CLAMPS

_ALL = "\\at(count, Pre)"
_DONE = "\\at(count, Pre) - count"


def units(
    written: str,
    /,
    *each: str,
    size: str = "1",
    result: tuple[str, str] | None = None,
    same: tuple[str, ...] = (),
    **sizes: str,
) -> str:
    """Of the loop over `count` units: each pointer is as many elements of a unit further.  `sizes`
    are C expressions by pointer; of the pointer that is written and of `each` it is `size`.
    `result`: the range of the values that are written.  `same`: members of the params that may
    have the type of what is written, and stay what they are."""
    sizes = {**dict.fromkeys(each, size), written: size, **sizes}
    lines = ["loop invariant 0 <= count <= \\at(count, Pre);", *filter(None, (stays(*same),))]
    for pointer, its in sizes.items():
        start = f"\\at({pointer}, LoopEntry)"
        lines.append(f"loop invariant {pointer} == {start} + {_times(f'({_DONE})', its)};")
    if result is not None:
        done = _times(f"({_DONE})", sizes[written])
        lines.append(f"loop invariant kept: {kept(written, done, result)};")
    last = f"{_times(_ALL, sizes[written])} - 1"
    cells = f"\\at({written}, LoopEntry)[0 .. {last}]"
    lines.append(f"loop assigns count, {', '.join(sizes)}, {cells};")
    return "\n        ".join((*lines, "loop variant count;"))


def outputs_of_unit(outputs: str, row: str) -> str:
    """Of the loop over `o`, the outputs of a unit, each of which has a row of weights."""
    written = f"\\at(output, Pre)[0 .. {_ALL} * {outputs} - 1]"
    done = f"({_DONE}) * {outputs} + o"
    lines = (
        f"loop invariant 0 <= o <= {outputs};",
        f"loop invariant weights == params->weights + o * {row};",
        "loop invariant output == \\at(output, LoopEntry) + o;",
        f"loop invariant kept: {kept('output', done, CLAMPED, start='Pre')};",
        f"loop assigns o, weights, output, {written};",
        f"loop variant {outputs} - o;",
    )
    return "\n            ".join(lines)


def stays(*members: str) -> str:
    """That members are what they were when the function was called."""
    return "\n        ".join(f"loop invariant {each} == \\at({each}, Pre);" for each in members)


def kept(output: str, done: str, result: tuple[str, str], *, start: str = "LoopEntry") -> str:
    """What is written so far is in its range."""
    cell = f"\\at({output}, {start})[k]"
    return f"\\forall integer k; 0 <= k < {done} ==> {result[0]} <= {cell} <= {result[1]}"


def result_of(use: KernelUse) -> tuple[str, str] | None:
    """The range of a kernel's output, if its contract has one: that of its clamps."""
    contract = use.kernel.contract
    return None if contract is None or contract.result is None else CLAMPED


def inside(*sizes: str) -> str:
    """That one more unit, of these sizes, is inside what there is."""
    facts = (f"is_inside({_DONE}, {size}, \\at(count, Pre))" for size in sizes)
    return f"assert {' && '.join(facts)};"


def _times(count: str, size: str) -> str:
    return count if size == "1" else f"{count} * {size}"


def rescalable(value: str) -> str:
    """That a value can be rescaled by the shift, with room for a zero point."""
    sides = (f"(shift <= {shift} && -{most} <= {value} <= {most})" for most, shift in RESCALABLE)
    bounds = "requires 0 <= multiplier && -31 <= shift;"
    return f"{bounds}\n    requires shift <= -1 || {' || '.join(sides)};"


CLAMPED = (f"params->{CLAMPS[0]}", f"params->{CLAMPS[1]}")
WORDS = {
    "units": units,
    "outputs_of_unit": outputs_of_unit,
    "stays": stays,
    "kept": kept,
    "inside": inside,
    "rescalable": rescalable,
    "of_params": of_params,
    "of_bounded_sum": of_bounded_sum,
    "result_of": result_of,
    "CLAMPED": CLAMPED,
}
"""What annotations can call."""
