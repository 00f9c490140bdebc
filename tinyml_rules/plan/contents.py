"""What is in the arenas: for every byte, which byte of which tensor was written there last.

Neighbouring bytes of one tensor are one run, so that a tensor of any size costs as much as a small
one.  Only the proof of a plan uses this.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tinyml_rules.ir.program import Program
from tinyml_rules.plan.memory_plan import KEPT, MAIN, MemoryPlan


class Region:
    """The contents of one arena, as runs (end, tensor, origin) by where they begin: the byte at `a`
    is the tensor's byte a - origin."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._runs: list[tuple[int, int, int]] = []

    def write(self, begin: int, end: int, tensor: int, origin: int) -> None:
        """Put bytes of a tensor at begin .. end - 1, in place of what was there."""
        begins, runs = self._begins, self._runs
        low = bisect_left(begins, begin)
        if low > 0 and runs[low - 1][0] >= begin:
            low -= 1
        high = bisect_right(begins, end, low)
        first, last = begin, end
        pieces = []
        for start, run in zip(begins[low:high], runs[low:high], strict=True):
            if run[1:] == (tensor, origin):  # the same bytes next to it or below: one run
                first, last = min(first, start), max(last, run[0])
                continue
            if start < begin:
                pieces.append((start, (begin, *run[1:])))
            if run[0] > end:
                pieces.append((end, (run[0], *run[1:])))
        pieces.append((first, (last, tensor, origin)))
        pieces.sort()
        begins[low:high] = [start for start, _ in pieces]
        runs[low:high] = [run for _, run in pieces]

    def holds(self, begin: int, end: int, tensor: int, origin: int) -> bool:
        """Whether all bytes at begin .. end - 1 are those of the tensor."""
        place = bisect_right(self._begins, begin) - 1
        if place < 0:
            return begin == end
        run = self._runs[place]
        return begin == end or (end <= run[0] and run[1:] == (tensor, origin))


class Arenas:
    """Every region as the plan lays it out; tensors are named by any of their views."""

    def __init__(self, program: Program, plan: MemoryPlan) -> None:
        self._program = program
        self._plan = plan
        self._limits = {region: (0, size) for region, size in plan.region_bytes.items()}
        self._limits[KEPT] = (0, plan.kept_bytes)
        self._limits[MAIN] = (plan.state_bytes, plan.arena_bytes)
        self._regions = {region: Region() for region in self._limits}
        for each in plan.lifetimes:
            self._bytes(each.tensor, 0, each.size_bytes)
            alignment = program.buffers[each.tensor].alignment
            is_aligned = plan.offsets[each.tensor] % alignment == 0
            assert is_aligned, f"buffer {each.tensor} is not aligned"

    def _bytes(self, buffer: int, first: int, size: int) -> tuple[str, int, int]:
        region = self._plan.region(buffer)
        begin = self._plan.offsets[buffer] + first
        low, high = self._limits[region]
        assert low <= begin and begin + size <= high, f"buffer {buffer} leaves the arena"
        return region, begin, begin + size

    def place(self, tensor: int, first: int, size: int) -> tuple[str, int, int]:
        """(region, first byte, byte after the last) of `size` bytes from the tensor's place on."""
        layout = self._program.layouts[tensor]
        return self._bytes(layout.buffer, layout.offset_bytes + first, size)

    def write_scratch(self, buffer: int) -> None:
        """Put something into every byte of a step's scratch memory."""
        region, start, stop = self._bytes(buffer, 0, self._program.buffers[buffer].size_bytes)
        self._regions[region].write(start, stop, buffer, start)

    def check_scratch(self, buffer: int) -> None:
        """Assert that it is still there."""
        region, start, stop = self._bytes(buffer, 0, self._program.buffers[buffer].size_bytes)
        is_intact = self._regions[region].holds(start, stop, buffer, start)
        assert is_intact, f"the scratch memory {buffer} was overwritten"

    def write(self, tensor: int, first: int, begin: int, end: int) -> None:
        """Put the tensor's bytes begin .. end - 1 at `first` bytes from the tensor's place on."""
        region, start, stop = self.place(tensor, first, end - begin)
        layout = self._program.layouts[tensor]
        origin = start - begin - layout.offset_bytes
        self._regions[region].write(start, stop, layout.buffer, origin)

    def check(self, tensor: int, first: int, begin: int, end: int) -> None:
        """Assert that those bytes are still there."""
        region, start, stop = self.place(tensor, first, end - begin)
        layout = self._program.layouts[tensor]
        origin = start - begin - layout.offset_bytes
        is_intact = self._regions[region].holds(start, stop, layout.buffer, origin)
        assert is_intact, f"tensor {tensor} was overwritten"

    def write_as(self, buffer: int, first: int, size: int, tag: int, begin: int) -> None:
        """Put bytes into a buffer at `first`; `tag` and the first byte's number tell what they
        are."""
        region, start, stop = self._bytes(buffer, first, size)
        self._regions[region].write(start, stop, tag, start - begin)

    def check_as(self, buffer: int, first: int, size: int, tag: int, begin: int) -> None:
        """Assert that they are still there."""
        region, start, stop = self._bytes(buffer, first, size)
        is_intact = self._regions[region].holds(start, stop, tag, start - begin)
        assert is_intact, f"buffer {buffer} was overwritten"

    def write_whole(self, tensor: int) -> None:
        """Put all bytes of a tensor at its place."""
        self.write(tensor, 0, 0, self._program.graph.tensors[tensor].size_bytes)

    def check_whole(self, tensor: int) -> None:
        """Assert that all bytes of a tensor are there; a ring of some of its rows is not enough."""
        self.check(tensor, 0, 0, self._program.graph.tensors[tensor].size_bytes)
