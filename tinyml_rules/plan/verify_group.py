"""Proof of a group: every window finds the pixels that it is to read.

It simulates the C of a group from the columns that it keeps, and judges by the windows of its steps
and the shapes of the graph.  Rows and pixels of a row move apart from each other: which row of a
tensor is in a row of the scratch memory depends on the row of the result alone, and is computed for
each; which pixel is in it is followed from left to right.
"""

from __future__ import annotations

from itertools import pairwise

from tinyml_rules.ir.group import Columns, Group, Member
from tinyml_rules.ir.program import Program, Step
from tinyml_rules.ir.window import Reach


def verify_group(program: Program, step: Step) -> None:
    """Assert this of a step that is a group."""
    group = step.facts
    assert isinstance(group, Group) and len(group.members) == len(step.inner)
    _verify_members(program, step, group)
    _verify_bytes(program, step, group)
    _verify_rows(step, group)
    across = _Across(group)
    for x in range(group.members[-1].columns.outputs):
        across.see(len(group.columns) - 1, x)
        across.check_window(len(group.columns) - 1, x)
    # a piece of a row begins anywhere
    for x in range(group.members[-1].columns.outputs):
        across = _Across(group)
        across.see(len(group.columns) - 1, x)
        across.check_window(len(group.columns) - 1, x)


def _verify_members(program: Program, step: Step, group: Group) -> None:
    """Each member has the sizes of the graph's tensors, and a window that of its kernel's image."""
    tensors = program.graph.tensors
    for before, after in pairwise(step.inner):
        assert before.outputs == after.inputs, "members are no chain"
        others = (each for each in program.steps if each is not step)
        assert all(before.output not in each.tensors for each in others), "left out, but read"
    assert (step.inputs, step.outputs) == (step.inner[0].inputs, step.inner[-1].outputs)
    for member, inner in zip(group.members, step.inner, strict=True):
        source, result = tensors[inner.inputs[0]], tensors[inner.output]
        for number, reach in ((1, member.rows), (2, member.columns)):
            assert (reach.inputs, reach.outputs) == (source.shape[number], result.shape[number])
        sizes = source.dtype.size_bytes * source.shape[3], result.dtype.size_bytes * result.shape[3]
        assert (member.input_bytes, member.output_bytes) == sizes
        assert member.is_window or (member.rows.size, member.rows.stride) == (1, 1)


def _verify_bytes(program: Program, step: Step, group: Group) -> None:
    """All that is kept has bytes of its own, of the scratch memory."""
    (buffer,) = step.workspace
    places = [
        (each.offset, each.height * each.width * group.members[each.reader].input_bytes)
        for each in group.columns
    ]
    handed = [
        0 if after.is_window else each.output_bytes for each, after in pairwise(group.members)
    ]
    places.append((group.between[0], max(handed, default=0)))
    if any(one and two for one, two in pairwise(handed)):
        places.append((group.between[1], max(handed)))
    places.append((program.buffers[buffer].size_bytes, 0))
    for (begin, size), (after, _) in pairwise(sorted(places)):
        assert begin + size <= after, "two places of the scratch memory overlap"
    readers = [number for number, each in enumerate(group.members) if each.is_window]
    assert [each.reader for each in group.columns] == readers
    assert [each.maker for each in group.columns] == [0, *readers[:-1]]
    for each in group.columns:
        window, member = step.inner[each.reader].window, group.members[each.reader]
        assert window is not None and window.output_rows == 1 and window.pad_top == 0
        assert (window.height, window.dilation) == (member.rows.size, member.rows.dilation)
        assert window.input_row_bytes == each.width * member.input_bytes
        assert window.output_row_bytes == member.output_bytes


def _verify_rows(step: Step, group: Group) -> None:
    """For every row of the result: each window reads the rows that it should, and those of the
    group's input are the ones that the group is given."""
    assert step.window is not None
    first, given = group.columns[0], step.window.rows
    for y in range(given.outputs):
        assert _top(first, y) == y * given.stride - given.pad_before
        made = [y]
        for each in reversed(group.columns):
            reach, top = group.members[each.reader].rows, _top(each, y)
            for place, row in enumerate(made):
                for tap in range(reach.size):
                    kept = place * reach.stride + tap * reach.dilation
                    assert 0 <= kept < each.height, "a row of the window is not kept"
                    assert top + kept == _seen(reach, row, tap), "the window reads another row"
            made = [top + place for place in range(each.height)]
    assert first.height == given.size and given.dilation == 1


def _top(columns: Columns, y: int) -> int:
    """The first row that is kept."""
    return y * columns.stride - columns.pad


def _seen(reach: Reach, output: int, tap: int) -> int:
    return output * reach.stride - reach.pad_before + tap * reach.dilation


class _Across:
    """Which pixels of a row are kept, as the C moves them."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._readers: list[Member] = [group.members[each.reader] for each in group.columns]
        self._held: list[list[int | None]] = [[None] * each.width for each in group.columns]
        self._ends = [-each.columns.pad_before for each in self._readers]

    def see(self, number: int, x: int) -> None:
        """Move the pixels of an image, so that its window sees those for its output pixel x."""
        width, reach = self._group.columns[number].width, self._readers[number].columns
        end = x * reach.stride - reach.pad_before + width
        count = min(end - self._ends[number], width)
        assert count >= 0, "it moves backwards"
        self._ends[number] = end
        held = self._held[number]
        held[: width - count] = held[count:]
        for column in range(end - count, end):
            if number > 0 and 0 <= column < reach.inputs:
                self.see(number - 1, column)
                self.check_window(number - 1, column)
            held[column - end + width] = column

    def check_window(self, number: int, x: int) -> None:
        """Assert that the window's taps are at the pixels of its output pixel x."""
        reach = self._readers[number].columns
        for tap in range(reach.size):
            held = self._held[number][tap * reach.dilation]
            assert held == _seen(reach, x, tap), "the window reads another pixel"
