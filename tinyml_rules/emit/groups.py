"""The C functions of a group: one for what each of its windows sees, and one that makes a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tinyml_rules.emit.kernels import row_suffix
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
    `make` the statements that make the pixel at `column` and at the i-th row."""

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
    make: tuple[str, ...]


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
    """The statements that make the output pixel x."""
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
        make = [f"{names.prefix}copy(pixels, {source}, {reader.input_bytes});"]
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
        make=tuple(make),
    )


def _made(names: Names, step: Step, makers: range, *, source: str, target: str) -> Iterator[str]:
    """The statements of some members, which make a pixel at `target`: the first from `source`, or
    from what it sees."""
    group = _group_of(step)
    for number, place in enumerate(makers):
        member, inner = group.members[place], step.inner[place]
        result = f"at->scratch + {group.between[number % 2]}"
        result = target if place == makers[-1] else result
        scratch = [f"at->scratch + {group.last}"] * len(inner.scratch)
        if member.is_window:
            seen = next(each for each in group.columns if each.reader == place)
            row = "" if seen is group.columns[-1] else "i"
            yield from _seen(group, seen, row)
            suffix = row_suffix(in_pieces=names.is_checked)
            yield names.call(inner, "window", result, *scratch, suffix=suffix)
        else:
            yield names.call(inner, source, result, *scratch, str(member.units))
        source = result


def _seen(group: Group, seen: Columns, row: str) -> Iterator[str]:
    """The rows of an image that a window reads for the row of its output with that number."""
    reader = group.members[seen.reader]
    pitch = seen.width * reader.input_bytes
    moved = f" + {row} * {reader.rows.stride * pitch}" if row else ""
    yield f"const int8_t *const window[{reader.rows.size}] = {{"
    for tap in range(reader.rows.size):
        yield f"    at->scratch + {seen.offset + tap * reader.rows.dilation * pitch}{moved},"
    yield "};"
