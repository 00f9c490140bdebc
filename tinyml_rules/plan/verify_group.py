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
    end, most = group.members[-1].columns.outputs, group.members[-1].at_once
    _Across(group).make(0, end)
    # a piece of a row begins anywhere, and ends anywhere
    for x in range(end):
        _Across(group).make(x, min(x + 2 * most, end))
        _Across(group).make(max(x - most, 0), x + 1)


def _verify_members(program: Program, step: Step, group: Group) -> None:
    """Each member has the sizes of the graph's tensors, and its step those of what it makes at a
    time."""
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
        assert member.at_once > 0
        if not member.is_window:
            assert (member.rows.size, member.rows.stride) == (1, 1)
            assert inner.units == member.units * member.at_once


def _verify_bytes(program: Program, step: Step, group: Group) -> None:
    """All that is kept has bytes of its own, of the scratch memory."""
    (buffer,) = step.workspace
    places = [
        (each.offset, each.height * each.width * group.members[each.reader].input_bytes)
        for each in group.columns
    ]
    handed = [
        0 if after.is_window else each.at_once * each.output_bytes
        for each, after in pairwise(group.members)
    ]
    needs = [each.size_bytes for inner in step.inner for each in inner.scratch]
    places.append((group.last, max(needs, default=0)))
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
        assert window.output_row_bytes == member.at_once * member.output_bytes
        columns, across = step.inner[each.reader].columns, member.columns
        assert columns is not None and columns.pad_before == 0
        assert (columns.inputs, columns.outputs) == (each.width, member.at_once)
        assert columns.size == across.size
        assert columns.stride == across.stride or member.at_once == 1
        assert columns.dilation == across.dilation or across.size == 1


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

    def make(self, begin: int, end: int) -> None:
        """Pixels of the result, as many at a time as the group makes."""
        last = len(self._group.columns) - 1
        while begin < end:
            made = min(self._group.members[-1].at_once, end - begin)
            self._run(range(self._group.columns[-1].reader, len(self._group.members)), made)
            self._see(last, begin, made)
            begin += made

    def _see(self, number: int, x: int, outputs: int) -> None:
        """Move the pixels of an image, so that its window sees those for some of its output pixels,
        x the first of them."""
        width, reach = self._group.columns[number].width, self._readers[number].columns
        seen = (outputs - 1) * reach.stride + (reach.size - 1) * reach.dilation + 1
        end = x * reach.stride - reach.pad_before + seen
        count = min(end - self._ends[number], seen)
        assert 0 <= count <= width, "it moves backwards, or further than there is room"
        self._ends[number] = end
        held = self._held[number]
        held[: width - count] = held[count:]
        column = end - count
        while column < end:
            made = self._make_columns(number, column, end)
            place = column - end + width
            held[place : place + made] = range(column, column + made)
            column += made
        self._check_window(number, x, outputs)

    def _make_columns(self, number: int, column: int, end: int) -> int:
        """Make columns from one on; how many."""
        each, inputs = self._group.columns[number], self._readers[number].columns.inputs
        edge = 0 if column < 0 else inputs if column < inputs else end
        made = min(edge, end) - column
        if each.is_copied or not 0 <= column < inputs:
            return made
        made = min(made, self._group.members[each.maker].at_once)
        self._run(range(each.maker, each.reader), made)
        if number > 0:
            self._see(number - 1, column, made)
        return made

    def _run(self, makers: range, made: int) -> None:
        """Assert that no member is to make more than it can."""
        assert all(0 < made <= self._group.members[place].at_once for place in makers)

    def _check_window(self, number: int, x: int, outputs: int) -> None:
        """Assert that the window's taps are at the pixels of each of its output pixels: the kernel
        makes the last ones of those that its image has."""
        reach = self._readers[number].columns
        for i in range(outputs):
            for tap in range(reach.size):
                place = (self._readers[number].at_once - outputs + i) * reach.stride
                held = self._held[number][place + tap * reach.dilation]
                assert held == _seen(reach, x + i, tap), "the window reads another pixel"
