"""Memory of a model that belongs to no tensor: sums at the end of a stream, counters of pushed
rows, where an inference in slices goes on, what decisions over time keep, the page of external
weights."""

from __future__ import annotations

from tinyml_rules.ir.buffers import aligned
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Program
from tinyml_rules.plan.slices import most_counters
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


def row_counters(schedule: Schedule) -> int:
    """The counters of rows that are kept from one call to the next: of pushed rows, or of the
    stream that a slice may leave."""
    if schedule.is_sliced:
        return most_counters(schedule)
    if schedule.slide is not None:
        return 0
    return len(schedule.tasks[0].rings) if schedule.is_pushed else 0


def slide_words(schedule: Schedule) -> int:
    """Numbers of C's type int that windows that slide keep."""
    return 0 if schedule.slide is None else SLIDE_COUNTERS + len(kept_rings(schedule))


def slice_words(schedule: Schedule) -> int:
    """Numbers of C's type int that an inference in slices has in addition: where it goes on, and
    whether it gave outputs."""
    if not schedule.is_sliced:
        return 0
    return 2 if schedule.program.may_end else 1


def state_bytes(schedule: Schedule) -> int:
    """Bytes at the arena's start that belong to no tensor: sums, then counters of rows, where a
    slice ended, and what decisions over time keep."""
    counters = row_counters(schedule) + slice_words(schedule) + slide_words(schedule)
    counter_bytes = 2 if Feature.AVR in schedule.program.features else 4  # C's int
    size = SUM_BYTES * most_sums(schedule) + counter_bytes * counters + schedule.kept_bytes
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
