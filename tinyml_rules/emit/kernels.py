"""Which kernels a schedule calls, each once, and the C functions that walk them over tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN
from tinyml_rules.cores import finish_of
from tinyml_rules.emit.runtime import pieces_for
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel, Program, Step
from tinyml_rules.ir.requantization import Requantization
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Schedule, Task


@dataclass(frozen=True)
class KernelUse:
    """A kernel as this model uses it; `params` are those of one of its steps.

    `window_height`: the most rows that it reads at once, 0 without rows; `patch`: the most input
    values behind one output pixel.  `steps`: how many steps run it.  `walks`: the suffixes of
    the functions that walk it over whole tensors, none where it only runs in streams.
    """

    kernel: Kernel
    params: object
    window_height: int
    is_batched: bool
    patch: int
    steps: int
    walks: tuple[str, ...]
    has_odd_pieces: bool = False
    """Form.ROWS: some piece is no multiple of the sums, so that the next begins between two."""

    @property
    def has_rows(self) -> bool:
        """Its C function makes an output row."""
        return self.kernel.form is Form.WINDOW


def row_words(*, in_pieces: bool) -> dict[str, str | bool]:
    """What templates say of the pixels that a window kernel makes: a whole row, or `pixels` of it
    from `first_pixel` on, with `output` at the piece.  `row`: the end of the name of the function
    that makes a whole row."""
    if not in_pieces:
        return {
            "in_pieces": False,
            "piece_parameters": "",
            "first_pixel": "0",
            "first_column": "-params->pad_left",
            "pixels": "params->output_width",
            "row": "_row",
        }
    return {
        "in_pieces": True,
        "piece_parameters": ", int first_pixel, int pixels",
        "first_pixel": "first_pixel",
        "first_column": "(first_pixel * params->stride - params->pad_left)",
        "pixels": "pixels",
        "row": "_pieces",
    }


def kernel_uses(graphs: Iterable[tuple[Schedule, MemoryPlan]]) -> Iterator[KernelUse]:
    """Each kernel that any of the graphs uses once, in the order of first use."""
    used: dict[str, list[Step]] = {}
    walks: dict[str, set[str]] = {}
    odd: set[str] = set()
    for schedule, plan in graphs:
        for number, task in enumerate(schedule.tasks):
            for step in task.steps:
                used.setdefault(step.kernel.name, []).append(step)
                suffixes = walks.setdefault(step.kernel.name, set())
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
            has_odd_pieces=name in odd,
        )


def _has_odd_pieces(step: Step, task: Task, program: Program) -> bool:
    if step.kernel.form is not Form.ROWS:
        return False
    ring = task.rings[task.position(program.buffer_of(step.inputs[0]))]
    return ring.row_bytes % max(step.sums, 1) != 0


def rounding_words(steps: Iterable[Step], features: frozenset[Feature]) -> dict[str, object]:
    """What the pieces that requantize are told.  Those for bounded sums: `are_clamped`, the endings
    of those that clamp to less than int8, `most_sum`, the largest size of a sum by ending, and
    whether the tables have `shifts_left`; `alone` ends the names of those for values with a shift
    of their own, where there are some.  The others: `shifts`, the least and the greatest where
    four sums are requantized at a time."""
    clamped: set[object] = set()
    most: dict[object, int] = {}
    steps = list(steps)
    for step in steps:
        ending = step.kernel.values.get("rounding", "")
        if not ending or step.shifting is not None:
            continue
        found = _requantization(step)
        if (found.clamp_min, found.clamp_max) != (INT8_MIN, INT8_MAX):
            clamped.add(ending)
        most[ending] = max(most.get(ending, 0), found.most_sum or 0)
    shifts = _shift_range(steps, features)
    finish = finish_of(features)
    return {
        **Rounding.TWICE.words,
        "shifts": shifts,
        "shifts_left": finish is not None and finish.shifts_left,
        "alone": "" if finish is None else finish.alone,
        "are_clamped": clamped,
        "most_sum": most,
    }


_OF_FOUR = {"requantize_four", "requantize_vector"}
"""Pieces of emit/runtime that requantize four sums at a time."""


def _shift_range(steps: Iterable[Step], features: frozenset[Feature]) -> tuple[int, int]:
    """The least and the greatest shift of the sums that are requantized so four at a time."""
    tables = [
        np.asarray(_requantization(step).shift)
        for step in steps
        if not _OF_FOUR.isdisjoint(pieces_for(step.kernel.runtime, features))
    ]
    return (
        min((int(table.min()) for table in tables), default=0),
        max((int(table.max()) for table in tables), default=0),
    )


def _requantization(step: Step) -> Requantization:
    """That of a step whose kernel calls pieces that requantize."""
    assert step.requantization is not None, f"{step.kernel.name} does not say how it requantizes"
    return step.requantization
