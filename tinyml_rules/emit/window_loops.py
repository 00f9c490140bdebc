"""What annotations of templates say of loops over the pixels of a row, and over what each sees."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.emit.contracts import bias_most, of_rows
from tinyml_rules.emit.loops import CLAMPED, kept
from tinyml_rules.emit.sum_contracts import grown


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


def fills(
    table: str,
    counter: str,
    size: str,
    /,
    *changes: str,
    keeps: tuple[str, ...] = (),
    same: tuple[str, ...] = (),
) -> str:
    """Of a loop over all elements of a table that is written.  Its size is a member of the params,
    which the table may share a type with: that, and what else is the `same`, stays what it is."""
    before = f"\\at({size}, Pre)"
    stays = tuple(f"{each} == \\at({each}, Pre)" for each in (size, *same))
    cells = f"{table}[0 .. {before} - 1]"
    return counted(counter, before, *changes, keeps=(*stays, *keeps), cells=cells)


def along_row(pixels: str, first: str, outputs: str, /, *, scale: str = "") -> str:
    """Of the loop over `x`, the pixels of an output row of so many `outputs` each: `left` is the
    column, or `scale` times it, of the window's first tap."""
    column = f"({first} + x) * params->stride - params->pad_left"
    left = f"({column}) * {scale}" if scale else column
    keeps = (f"left == {left}", *_written(f"x * {outputs}"))
    return counted("x", pixels, "left", "output", keeps=keeps, cells=_row(pixels, outputs))


def in_row(pixels: str, first: str, *sizes: str) -> str:
    """That one more pixel is inside: its outputs in the output row, its window among all."""
    facts = [f"is_inside(x, {size}, {pixels})" for size in sizes[:1]]
    place = f"{first} + x"
    facts += [f"is_inside({place}, {size}, params->output_width)" for size in sizes[1:]]
    return f"assert {' && '.join(facts)};"


def each_output(
    place: str,
    pixels: str,
    outputs: str,
    /,
    *changes: str,
    counter: str = "",
    most: str = "",
    keeps: tuple[str, ...] = (),
) -> str:
    """Of a loop over the outputs of a pixel, in which `place` is that of the next one; another
    `counter` that grows up to `most` is one of a part of them."""
    also = (place,) if counter else ()
    written = tuple(_written(f"x * {outputs} + {place}"))
    return counted(
        counter or place,
        most or outputs,
        *also,
        *changes,
        "output",
        keeps=(*keeps, *written),
        cells=_row(pixels, outputs),
    )


def outside_values(most: str) -> str:
    """Of the loop over values `i` of a window's row that are outside the image, up to `most`."""
    done = "(i - \\at(i, LoopEntry))"
    keeps = (
        f"i <= {most}",
        f"weights == \\at(weights, LoopEntry) + {done}",
        f"\\at(acc, LoopEntry) - 16384 * {done} <= acc",
        f"acc <= \\at(acc, LoopEntry) + 16384 * {done}",
    )
    return counted("i", most, "weights", "acc", least="\\at(i, LoopEntry)", keeps=keeps)


def _written(done: str) -> Iterator[str]:
    """So many values are."""
    yield f"output == \\at(output, Pre) + {done}"
    yield f"kept: {kept('output', done, CLAMPED, start='Pre')}"


def _row(pixels: str, outputs: str) -> str:
    return f"\\at(output, Pre)[0 .. {pixels} * {outputs} - 1]"


WORDS = {
    "counted": counted,
    "fills": fills,
    "along_row": along_row,
    "in_row": in_row,
    "each_output": each_output,
    "outside_values": outside_values,
    "of_rows": of_rows,
    "grown": grown,
    "bias_most": bias_most,
}
"""What annotations can call."""
