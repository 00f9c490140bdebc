"""Which kernels a schedule calls, each once, and the C functions that walk them over tensors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tinyml_rules.ir.group import Group
from tinyml_rules.ir.program import Form, Kernel, Program, Step
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.packed_pieces import piece_of
from tinyml_rules.plan.tasks import Schedule, Task


@dataclass(frozen=True)
class KernelUse:
    """A kernel as this model uses it; `params` are those of one of its steps.

    `window_height`: the most rows that it reads at once, 0 without rows; `patch`: the most input
    values of one output pixel.  `steps`: how many steps run it.  `walks`: the suffixes of
    the functions that walk it over whole tensors, none where it only runs in streams.
    """

    kernel: Kernel
    params: object
    window_height: int
    is_batched: bool
    patch: int
    steps: int
    walks: tuple[str, ...]
    has_scratch: bool = False
    """Its C function gets a pointer to scratch memory."""
    has_odd_pieces: bool = False
    """Form.ROWS: some piece is no multiple of the sums, so that the next begins between two."""
    in_pieces: bool = False
    """Form.WINDOW: its C function makes some pixels of a row."""
    makes_rows: bool = True
    """Form.WINDOW: some step has it make a whole row."""

    @property
    def has_rows(self) -> bool:
        """Its C function makes an output row."""
        return self.kernel.form is Form.WINDOW

    @property
    def row_suffix(self) -> str:
        """The end of the name of its function that makes a whole row."""
        return row_suffix(in_pieces=self.in_pieces)


def row_suffix(*, in_pieces: bool) -> str:
    """The end of the name of the function of a window kernel that makes a whole row."""
    return "_pieces" if in_pieces else "_row"


def steps_in_pieces(step: Step, task: Task) -> list[Step]:
    """The steps among that of a task and its inner ones whose kernels make some pixels of a row."""
    found = []
    if task.is_in_pieces:
        ring = task.results[task.steps.index(step)]
        found += [step] if ring.piece < ring.pixels else []
    if isinstance(step.facts, Group):
        pairs = zip(step.facts.members, step.inner, strict=True)
        found += [inner for member, inner in pairs if member.is_window and member.at_once > 1]
    return found


def kernels_in_pieces(schedule: Schedule) -> Iterator[str]:
    """The names of the kernels of such steps, each for every one of them."""
    for task in schedule.tasks:
        for step in task.steps:
            yield from (each.kernel.name for each in steps_in_pieces(step, task))


def kernel_uses(
    graphs: Iterable[tuple[Schedule, MemoryPlan]], *, is_checked: bool = False
) -> Iterator[KernelUse]:
    """Each kernel that any of the graphs uses once, in the order of first use; with `is_checked`
    all make rows in pieces."""
    used: dict[str, list[Step]] = {}
    pieces: Counter[str] = Counter()
    walks: defaultdict[str, set[str]] = defaultdict(set)
    odd: set[str] = set()
    for schedule, plan in graphs:
        pieces.update(kernels_in_pieces(schedule))
        for number, task in enumerate(schedule.tasks):
            for step in task.steps:
                for each in (*step.inner, step):
                    used.setdefault(each.kernel.name, []).append(each)
                suffixes = walks[step.kernel.name]
                if _has_odd_pieces(step, task, schedule.program):
                    odd.add(step.kernel.name)
                if not task.is_streamed:
                    suffixes.add("_descending" if number in plan.descending else "")
        for step in schedule.program.resets:
            used.setdefault(step.kernel.name, []).append(step)
            walks.setdefault(step.kernel.name, {""})
    for name, steps in used.items():
        if steps[0].kernel.form is Form.CALL:
            continue
        windows = [step.window for step in steps if step.window is not None]
        yield KernelUse(
            kernel=steps[0].kernel,
            params=steps[0].params,
            window_height=max((window.height for window in windows), default=0),
            is_batched=any(window.batches > 1 for window in windows),
            patch=max(step.patch for step in steps),
            steps=len(steps),
            walks=tuple(sorted(walks[name])),
            has_scratch=any(step.scratch for step in steps),
            has_odd_pieces=name in odd,
            in_pieces=is_checked or name in pieces,
            makes_rows=len(steps) > pieces[name],
        )


def _has_odd_pieces(step: Step, task: Task, program: Program) -> bool:
    """A piece of a row may be one pixel."""
    if step.kernel.form is not Form.ROWS:
        return False
    ring = task.rings[task.position(program.buffer_of(step.inputs[0]))]
    pixels = ring.pixels if task.has_parts else 1
    return piece_of(step, task, program) // pixels % max(step.sums, 1) != 0
