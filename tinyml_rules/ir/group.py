"""A group: consecutive steps that a kernel of its own runs together, so that nothing of the tensors
between them is stored but the pixels that a window sees.

For each row of its result, a group makes what the windows see from left to right.  Of a tensor that
a window reads it keeps `Columns`: the rows that this one row of the result depends on, and as many
pixels of each as the window sees for the pixels that it makes at a time.  The next row computes
them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tinyml_rules.ir.buffers import aligned
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.window import Reach, Window


@dataclass(frozen=True)
class Member:
    """A step as it is on whole tensors: its rows and the pixels of a row."""

    rows: Reach
    columns: Reach
    is_window: bool
    """If not, each pixel is made from the one at its place, by `units` units of its kernel."""
    zero_point: int
    """Of its input: what is outside the image."""
    units: int = 0
    """Of a pixel."""
    at_once: int = 1
    """The most pixels of a row of its output that it makes at a time."""

    @property
    def pixels(self) -> int:
        """Of its output."""
        return self.rows.outputs * self.columns.outputs

    def seen(self, pixels: int) -> int:
        """How many pixels of a row of its input it sees for so many of its output."""
        reach = self.columns
        return (pixels - 1) * reach.stride + (reach.size - 1) * reach.dilation + 1

    @property
    def input_bytes(self) -> int:
        """Of a pixel."""
        return self.columns.input_bytes

    @property
    def output_bytes(self) -> int:
        """Of a pixel."""
        return self.columns.output_bytes


@dataclass(frozen=True)
class Columns:
    """What is kept of the tensor that a window reads: `height` rows of `width` pixels, from the
    byte `offset` of the scratch memory on.

    Row 0 is row y * stride - pad of the tensor for row y of the result.  The last member that makes
    its pixels is the one before `reader`, the first one `maker`, which is `reader` itself where
    they are copied from the group's input.
    """

    maker: int
    reader: int
    offset: int
    height: int
    width: int
    stride: int
    pad: int

    @property
    def is_copied(self) -> bool:
        """Whether it is the input of the group."""
        return self.maker == self.reader


@dataclass(frozen=True)
class Group:
    """The facts of a step that is a group: its members in order, the columns that it keeps, those
    nearest to the result last.  `between` are two places for the pixels between members, `last`
    where the scratch memory of members begins, `scratch_bytes` its end."""

    members: tuple[Member, ...]
    columns: tuple[Columns, ...]
    between: tuple[int, int]
    last: int
    scratch_bytes: int

    @property
    def at_once(self) -> int:
        """The most pixels that any member makes at a time."""
        return max(member.at_once for member in self.members)

    @property
    def rows(self) -> Reach:
        """The rows of the group as those of a single window."""
        first, last = self.members[0], self.members[-1]
        columns = self.columns[0]
        return Reach(
            inputs=first.rows.inputs,
            outputs=last.rows.outputs,
            size=columns.height,
            stride=columns.stride,
            dilation=1,
            pad_before=columns.pad,
            input_bytes=first.rows.input_bytes,
            output_bytes=last.rows.output_bytes,
        )

    @property
    def across(self) -> Reach:
        """The same for the pixels of a row."""
        size, stride, pad = 1, 1, 0
        for member in reversed(self.members):
            size, stride, pad = _before(member.columns, size, stride, pad)
        first, last = self.members[0], self.members[-1]
        return Reach(
            inputs=first.columns.inputs,
            outputs=last.columns.outputs,
            size=size,
            stride=stride,
            dilation=1,
            pad_before=pad,
            input_bytes=first.input_bytes,
            output_bytes=last.output_bytes,
        )


@dataclass(frozen=True)
class GroupParams:
    """Members of the C struct of a group."""

    output_width: Int
    window: Window


def _before(reach: Reach, size: int, stride: int, pad: int) -> tuple[int, int, int]:
    """(size, stride, pad) of what is read for `size` outputs from output * stride - pad on."""
    return (
        (size - 1) * reach.stride + (reach.size - 1) * reach.dilation + 1,
        stride * reach.stride,
        pad * reach.stride + reach.pad_before,
    )


def group_of(members: Sequence[Member], *, member_scratch: int, alignment: int) -> Group:
    """The group of some members, one of which is a window; `member_scratch`: the most bytes that
    one of them needs while it runs."""
    windows = [place for place, member in enumerate(members) if member.is_window]
    kept: list[Columns] = []
    size, stride, pad = 1, 1, 0
    bounds = [*pairwise([None, *windows])]
    for before, reader in reversed(bounds):
        assert reader is not None
        size, stride, pad = _before(members[reader].rows, size, stride, pad)
        width = members[reader].seen(members[reader].at_once)
        kept.append(Columns(before or 0, reader, 0, size, width, stride, pad))
    offset = 0
    placed = []
    for each in reversed(kept):
        placed.append(replace(each, offset=offset))
        offset += aligned(each.height * each.width * members[each.reader].input_bytes, alignment)
    passed = [*_passed(members)]
    pixels = aligned(max(passed, default=0), alignment)
    second = offset + (pixels if any(one and two for one, two in pairwise(passed)) else 0)
    last = second + pixels
    return Group(
        members=tuple(members),
        columns=tuple(placed),
        between=(offset, second),
        last=last,
        scratch_bytes=last + member_scratch,
    )


def _passed(members: Sequence[Member]) -> Iterator[int]:
    """Bytes of the pixels that each member but the last hands to the next one at a time; 0 to a
    window."""
    for member, after in pairwise(members):
        yield 0 if after.is_window else member.at_once * member.output_bytes


def made_pixels(group: Group) -> tuple[int, ...]:
    """How many pixels each member makes in an inference, those that it makes again included."""
    rows = range(group.rows.outputs)
    needed = [(y, y + 1) for y in rows]
    across = set(range(group.members[-1].columns.outputs))
    found = []
    for member in reversed(group.members):
        inside = (min(end, member.rows.outputs) - max(first, 0) for first, end in needed)
        found.append(sum(max(each, 0) for each in inside) * len(across))
        reach = member.rows
        needed = [
            (
                first * reach.stride - reach.pad_before,
                (end - 1) * reach.stride - reach.pad_before + (reach.size - 1) * reach.dilation + 1,
            )
            for first, end in needed
        ]
        across = {
            column
            for x in across
            for column in range(member.columns.first(x), member.columns.end(x))
        }
    return tuple(reversed(found))
