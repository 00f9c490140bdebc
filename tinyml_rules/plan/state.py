"""What a model keeps beside its tensors: sums where a stream ends, counters of pushed rows."""

from __future__ import annotations

from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.program import Form
from tinyml_rules.plan.tasks import Schedule

WORD_BYTES = 4
"""Size and alignment of a sum (int32); a counter (int) is no larger anywhere."""


def state_bytes(schedule: Schedule, mode: ArenaMode) -> int:
    """Bytes at the arena's start that are no tensor's; none where the model has variables."""
    if mode is ArenaMode.STATIC:
        return 0
    steps = [step for task in schedule.tasks for step in task.steps]
    words = sum(step.sums for step in steps if step.kernel.form is Form.ROWS)
    words += len(schedule.tasks[0].rings) if schedule.is_pushed else 0
    return WORD_BYTES * words
