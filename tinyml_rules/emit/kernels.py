"""Which kernels a schedule calls, each once, and the C functions that walk them over tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

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
    makes_pieces: bool = False
    """Form.WINDOW: its C function makes pieces of rows."""
    makes_rows: bool = True
    """Somebody asks it for whole rows."""
    has_odd_pieces: bool = False
    """Form.ROWS: some piece is no multiple of the sums, so that the next begins between two."""

    @property
    def has_rows(self) -> bool:
        """Its C function makes an output row."""
        return self.kernel.form is Form.WINDOW


def row_suffix(*, in_pieces: bool) -> str:
    """The end of the name of the function of a window kernel that makes a whole row."""
    return "_pieces" if in_pieces else "_row"


def kernel_uses(
    graphs: Iterable[tuple[Schedule, MemoryPlan]], makes_pieces: Callable[[Kernel], bool]
) -> Iterator[KernelUse]:
    """Each kernel that any of the graphs uses once, in the order of first use."""
    used: dict[str, list[Step]] = {}
    walks: dict[str, set[str]] = {}
    odd, whole = set[str](), set[str]()
    for schedule, plan in graphs:
        for number, task in enumerate(schedule.tasks):
            for step in task.steps:
                for each in (*step.inner, step):
                    used.setdefault(each.kernel.name, []).append(each)
                    walks.setdefault(each.kernel.name, set())
                suffixes = walks[step.kernel.name]
                if _has_odd_pieces(step, task, schedule.program):
                    odd.add(step.kernel.name)
                if not (task.is_in_pieces and _makes_parts(step, task)):
                    whole.update(each.kernel.name for each in (*step.inner, step))
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
            makes_pieces=makes_pieces(steps[0].kernel),
            makes_rows=name in whole,
            has_odd_pieces=name in odd,
        )


def _makes_parts(step: Step, task: Task) -> bool:
    """Whether a step of a stream in pieces makes less than rows."""
    ring = task.results[task.steps.index(step)]
    return ring.piece < ring.pixels


def _has_odd_pieces(step: Step, task: Task, program: Program) -> bool:
    """A piece of a row may be one pixel."""
    if step.kernel.form is not Form.ROWS:
        return False
    ring = task.rings[task.position(program.buffer_of(step.inputs[0]))]
    pixels = ring.pixels if task.has_parts else 1
    return piece_of(step, task, program) // pixels % max(step.sums, 1) != 0
