"""What annotations of templates say of loops over the pixels of a row, and over what each sees."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.emit.loops import CLAMPED, kept


def counted(
    counter: str,
    most: str,
    /,
    *changes: str,
    least: str = "0",
    keeps: tuple[str, ...] = (),
    cells: str = "",
) -> str:
    """Of a loop in which a counter grows from `least` on, and that changes variables, and `cells`;
    what it `keeps` holds each time."""
    # a loop that does not begin may have its counter beyond its end
    bounds = f"{least} <= {counter}" + (f" <= {most}" if least == "0" else "")
    lines = [bounds, *keeps]
    assigned = ", ".join((counter, *changes, *filter(None, (cells,))))
    return "\n    ".join(
        (
            *(f"loop invariant {each};" for each in lines),
            f"loop assigns {assigned};",
            f"loop variant {most} - {counter};",
        )
    )


def along_row(
    pixels: str, first: str, outputs: str, /, *, scale: str = "", result: bool = True
) -> str:
    """Of the loop over `x`, the pixels of an output row of so many `outputs` each: `left` is the
    column, or `scale` times it, of the window's first tap."""
    step, start = "params->stride", "params->pad_left"
    if scale:
        step, start = f"({step} * {scale})", f"{start} * {scale}"
    place = "x" if first == "0" else f"({first} + x)"
    done = f"x * {outputs}"
    keeps = (f"left == {place} * {step} - {start}", *_written(done, result=result))
    return counted("x", pixels, "left", "output", keeps=keeps, cells=_row(pixels, outputs))


def in_row(pixels: str, first: str, *sizes: str) -> str:
    """That one more pixel is inside: its outputs in the output row, its window among all."""
    facts = [f"is_inside(x, {size}, {pixels})" for size in sizes[:1]]
    place = "x" if first == "0" else f"{first} + x"
    facts += [f"is_inside({place}, {size}, params->output_width)" for size in sizes[1:]]
    return f"assert {' && '.join(facts)};"


def each_output(
    counter: str, pixels: str, outputs: str, /, *changes: str, result: bool = True
) -> str:
    """Of the loop over the outputs of a pixel."""
    keeps = tuple(_written(f"x * {outputs} + {counter}", result=result))
    return counted(
        counter, outputs, *changes, "output", keeps=keeps, cells=_row(pixels, outputs)
    )


def _written(done: str, *, result: bool) -> Iterator[str]:
    """So many values are."""
    yield f"output == \\at(output, Pre) + {done}"
    if result:
        yield f"kept: {kept('output', done, CLAMPED, start='Pre')}"


def _row(pixels: str, outputs: str) -> str:
    return f"\\at(output, Pre)[0 .. {pixels} * {outputs} - 1]"


WORDS = {
    "counted": counted,
    "along_row": along_row,
    "in_row": in_row,
    "each_output": each_output,
}
"""What annotations can call."""
