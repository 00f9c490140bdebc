"""Memory of a model that belongs to no tensor: sums at the end of a stream, counters of pushed
rows, the page of external weights."""

from __future__ import annotations

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.lifetimes import aligned
from tinyml_rules.plan.tasks import Schedule

SUM_BYTES = 4
"""Size of a sum (int32), and its alignment on targets that align."""
SLIDE_COUNTERS = 3
"""Of windows that slide: rows until the next one begins, windows that have begun, the newest."""
_PAGE_HEAD_BYTES = 12
"""What `emit/runtime/page.c.j2` stores in addition to the bytes of the page."""


def most_sums(schedule: Schedule) -> int:
    """The number of sums kept at a time: those of one stream, because streams run one by one, or
    those of every window in flight."""
    ends = [task.steps[-1] for task in schedule.tasks]
    most = max((step.sums for step in ends if step.kernel.form is Form.ROWS), default=0)
    return most if schedule.slide is None else most * schedule.slide.in_flight


def state_bytes(schedule: Schedule) -> int:
    """Bytes at the arena's start that belong to no tensor: sums, then counters of pushed rows."""
    counters = len(schedule.tasks[0].rings) if schedule.is_pushed else 0
    if schedule.slide is not None:
        counters = SLIDE_COUNTERS + len(kept_rings(schedule))
    counter_bytes = 2 if Feature.AVR in schedule.program.features else 4  # C's int
    size = SUM_BYTES * most_sums(schedule) + counter_bytes * counters
    return aligned(size, schedule.program.alignment)


def kept_rings(schedule: Schedule) -> tuple[int, ...]:
    """The positions of the rings of windows that slide which are kept: each has a counter."""
    shared = schedule.slide.shared if schedule.slide is not None else ()
    return tuple(position for position, each in enumerate(shared) if each.is_kept)


def page_ram_bytes(program: Program, page_bytes: int) -> int:
    """Bytes of RAM of the page through which a model reads external weights of `page_bytes` at a
    time; 0 if no step has such weights."""
    if not program.external:
        return 0
    alignment = 1 if Feature.AVR in program.features else 4
    return -(-page_bytes // alignment) * alignment + _PAGE_HEAD_BYTES
