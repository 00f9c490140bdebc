"""The C functions of a group: one for what each of its windows sees, and one that makes a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.emit.names import Names
from tinyml_rules.emit.templates_of import PACKAGE, render
from tinyml_rules.emit.words import RowWords, TextWords, row_words
from tinyml_rules.ir.group import Columns, Group
from tinyml_rules.ir.program import Step
from tinyml_rules.ir.window import Reach
from tinyml_rules.ir.words import Words

_TEMPLATE = PACKAGE / "emit" / "templates" / "group.c.j2"
_POISON = 85
"""What a checked build fills the scratch memory with before each row."""


@dataclass(frozen=True)
class Kept:
    """The pixels that a window sees, as `Columns` has them; `node` is the name of the window,
    `make` the statements that make the pixel at `column` and at the i-th row, or as many as the C
    variable `made` says."""

    node: str
    offset: int
    height: int
    width: int
    stride: int
    pad: int
    pixel_bytes: int
    zero_point: int
    rows: int
    """Of the image."""
    across: Reach
    """The columns of the window."""
    at_once: int
    """The most pixels that are made at a time; 0 for any number."""
    make: tuple[str, ...]

    @property
    def seen(self) -> int:
        """How many columns the window sees for one pixel."""
        return (self.across.size - 1) * self.across.dilation + 1


@dataclass(frozen=True, kw_only=True)
class GroupWords(Words):
    """The template of a group's functions."""

    kernel: str
    """C name, as KernelWords has it."""
    nodes: str
    """The names of its nodes."""
    held: str
    """As KernelWords has it."""
    kept: tuple[Kept, ...]
    """What each window sees, the one nearest to the input first."""
    ends: tuple[int, ...]
    """Columns up to which each image is there before the first pixel, so that none is kept."""
    make: tuple[str, ...]
    """The statements that make the output pixel x, or `made` pixels from x on."""
    at_once: int
    """The most output pixels that are made at a time."""
    by_pieces: bool
    """Whether any member makes more than one pixel at a time."""
    output_bytes: int
    """Of a pixel."""
    poison: int | None
    """In a checked build, what is in the scratch memory before each row."""
    scratch_bytes: int
    """Of the scratch memory."""
    text: TextWords
    row: RowWords


def group_text(names: Names, step: Step, text: TextWords, *, held: str) -> str:
    """The functions of the step."""
    group = _group_of(step)
    kept = tuple(_kept(names, step, number) for number in range(len(group.columns)))
    reader = group.columns[-1].reader
    words = GroupWords(
        kernel=names.function(step),
        nodes=", ".join(each.name for each in step.inner),
        held=held,
        kept=kept,
        ends=tuple(-each.across.pad_before for each in kept),
        make=tuple(_made(names, step, range(reader, len(step.inner)), source="", target="output")),
        at_once=group.members[-1].at_once,
        by_pieces=group.at_once > 1,
        output_bytes=group.across.output_bytes,
        poison=_POISON if names.is_checked else None,
        scratch_bytes=group.scratch_bytes,
        text=text,
        row=row_words(in_pieces=names.is_checked),
    )
    return render(_TEMPLATE, words)


def _group_of(step: Step) -> Group:
    assert isinstance(step.facts, Group)
    return step.facts


def _kept(names: Names, step: Step, number: int) -> Kept:
    group = _group_of(step)
    each = group.columns[number]
    reader = group.members[each.reader]
    source = f"at->rows[i] + column * {group.members[each.maker].input_bytes}"
    if each.is_copied:
        size = _times(group, str(reader.input_bytes))
        make = [f"{names.prefix}copy(pixels, {source}, {size});"]
    else:
        makers = range(each.maker, each.reader)
        make = [*_made(names, step, makers, source=source, target="pixels")]
    return Kept(
        node=step.inner[each.reader].name,
        offset=each.offset,
        height=each.height,
        width=each.width,
        stride=each.stride,
        pad=each.pad,
        pixel_bytes=reader.input_bytes,
        zero_point=reader.zero_point,
        rows=reader.rows.inputs,
        across=reader.columns,
        at_once=0 if each.is_copied else group.members[each.maker].at_once,
        make=tuple(make),
    )


def _made(names: Names, step: Step, makers: range, *, source: str, target: str) -> Iterator[str]:
    """The statements of some members, which make a pixel at `target`, or `made` pixels: the first
    from `source`, or from what it sees."""
    group = _group_of(step)
    for number, place in enumerate(makers):
        member, inner = group.members[place], step.inner[place]
        result = f"&at->scratch[{group.between[number % 2]}]"
        result = target if place == makers[-1] else result
        scratch = [f"&at->scratch[{group.last}]"] * len(inner.scratch)
        if member.is_window:
            seen = next(each for each in group.columns if each.reader == place)
            row = "" if seen is group.columns[-1] else "i"
            yield from _seen(group, seen, row)
            # what it sees is at the end of the columns, so that its last pixels are made
            piece = (f"{member.at_once} - made", "made") if member.at_once > 1 else ()
            suffix = "_row" if piece else names.row_suffix(inner)
            yield names.call(inner, "window", result, *scratch, *piece, suffix=suffix)
        else:
            units = _times(group, str(member.units))
            yield names.call(inner, source, result, *scratch, units)
        source = result


def _times(group: Group, of_pixel: str) -> str:
    """The C expression of something of a pixel, for all that are made."""
    return f"made * {of_pixel}" if group.at_once > 1 else of_pixel


def _seen(group: Group, seen: Columns, row: str) -> Iterator[str]:
    """The rows of an image that a window reads for the row of its output with that number."""
    reader = group.members[seen.reader]
    pitch = seen.width * reader.input_bytes
    moved = f" + {row} * {reader.rows.stride * pitch}" if row else ""
    yield f"const int8_t *const window[{reader.rows.size}] = {{"
    for tap in range(reader.rows.size):
        yield f"    &at->scratch[{seen.offset + tap * reader.rows.dilation * pitch}{moved}],"
    yield "};"
