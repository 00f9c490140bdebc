"""The whole picture.  The text is the same for the same plan: no clock, no fonts, no scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.plan.memory_plan import MemoryPlan
from tinyml_rules.plan.tasks import Schedule
from tinyml_rules.report.memory_picture.boxes import (
    Boxes,
    boxes_of,
    draw_boxes,
    draw_labels,
    draw_state,
    shared_bytes,
)
from tinyml_rules.report.memory_picture.plot import (
    GAP,
    Plot,
    byte_axis,
    grid,
    peak_outline,
    plot_of,
    task_axis,
    text,
)
from tinyml_rules.report.memory_picture.style import (
    LOOKS,
    MANY,
    SHARED,
    STATE,
    fill_of,
    hatches,
    style,
)
from tinyml_rules.report.memory_picture.table import Table, draw_table, table_height
from tinyml_rules.report.memory_picture.words import BOLD, cut, escaped, nodes_phrase, width
from tinyml_rules.report.peak import Peak, Resident, find_peak, residents

_LEFT = 20
_TITLE_SIZE = 17
_TITLE, _NOTE, _LEGEND, _TOP = 32, 52, 76, 112
_LOWEST, _LOWEST_OF_MANY, _HIGHEST, _OF_A_TENSOR = 150, 320, 420, 70
"""Pixels of the plot: for each tensor that is there at a time, within limits."""
_FEW_TASKS = 6
_AXIS_HEIGHT = 62
_MOST_NAMED = 8


@dataclass(frozen=True)
class _Picture:
    """What is shown, and where."""

    schedule: Schedule
    plan: MemoryPlan
    everything: tuple[Resident, ...]
    peak: Peak | None
    boxes: Boxes
    scope: str

    @property
    def plot(self) -> Plot:
        return self.boxes.plot

    @property
    def at_peak(self) -> Sequence[Resident]:
        return () if self.peak is None else self.peak.residents

    @property
    def table(self) -> Table:
        right = self.plot.right if self.bound_margin == 0 else self.plot.right + self.bound_margin
        return Table(_LEFT, self.plot.bottom + _AXIS_HEIGHT, right, self.scope)

    @property
    def bound_margin(self) -> float:
        return _bound_margin(self.plan)


def memory_picture(schedule: Schedule, plan: MemoryPlan) -> str:
    """The SVG file's text; ASCII, whatever the names of the tensors hold."""
    picture = _picture(schedule, plan)
    page_width = round(picture.table.right + _LEFT)
    page_height = round(picture.table.top + table_height(len(picture.everything)))
    scope = picture.scope
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page_width} {page_height}" '
            f'width="{page_width}" height="{page_height}" class="{scope}" role="img" '
            f'aria-labelledby="{scope}-title {scope}-desc">',
            f'<title id="{scope}-title">{escaped(_title(picture))}</title>',
            f'<desc id="{scope}-desc">{escaped(_description(picture))}</desc>',
            f"<style>{style(scope)}</style>",
            f"<defs>{''.join(hatches(scope))}</defs>",
            f'<rect width="{page_width}" height="{page_height}" class="page"/>',
            *_heading(picture),
            *_plot(picture),
            *draw_table(picture.table, schedule, picture.everything, picture.at_peak),
            "</svg>\n",
        ]
    )


def _picture(schedule: Schedule, plan: MemoryPlan) -> _Picture:
    everything = residents(schedule, plan)
    peak = find_peak(schedule, plan)
    deepest = 1 if peak is None else len(peak.residents)
    lowest = _LOWEST if len(schedule.tasks) <= _FEW_TASKS else _LOWEST_OF_MANY
    height = min(max(_OF_A_TENSOR * deepest, lowest), _HIGHEST)
    margin = _LEFT + _bound_margin(plan)
    plot = plot_of(schedule, plan.arena_bytes, top=_TOP, height=height, margin=margin)
    scope = f"tinyml-{schedule.program.graph.name}"
    at_peak = () if peak is None else peak.residents
    boxes = boxes_of(everything, at_peak, plot, scope)
    return _Picture(schedule, plan, everything, peak, boxes, scope)


def _title(picture: _Picture) -> str:
    plan = picture.plan
    page = f", page of weights {plan.page_bytes:,}" if plan.page_bytes else ""
    size = f"{plan.ram_bytes:,} bytes of RAM: arena {plan.arena_bytes:,}{page}"
    return f"{picture.schedule.program.graph.name}: {size}"


def _description(picture: _Picture) -> str:
    """The picture in words, for those who cannot see it."""
    lines = [f"{_title(picture)} over {len(picture.schedule.tasks):,} tasks.", _note(picture)]
    at_peak = sorted(picture.at_peak, key=lambda each: (-each.size_bytes, each.tensor))
    for each in at_peak[:_MOST_NAMED]:
        size = f"{each.size_bytes:,} bytes at {each.offset:,}"
        lines.append(f"Tensor #{each.tensor} ({each.kind.value}): {size}.")
    if len(at_peak) > _MOST_NAMED:
        lines.append(f"And {len(at_peak) - _MOST_NAMED:,} smaller tensors.")
    return " ".join(lines)


def _note(picture: _Picture) -> str:
    plan, peak = picture.plan, picture.peak
    if peak is None:
        return "No task runs."
    count = len(peak.residents)
    used = (
        f"Most bytes are in use at {nodes_phrase(peak.nodes)}: {peak.used_bytes:,}, "
        f"in {count:,} tensor{'s' * (count != 1)}."
    )
    if plan.is_optimal:
        return f"{used} No placement of these tensors takes less."
    return f"{used} No placement takes less than {plan.lower_bound_bytes:,}."


def _heading(picture: _Picture) -> Iterator[str]:
    room = picture.table.right - _LEFT
    yield text(_LEFT, _TITLE, cut(_title(picture), room / BOLD, _TITLE_SIZE), "ink title")
    yield text(_LEFT, _NOTE, cut(_note(picture), room), "soft")
    left: float = _LEFT
    for word in _legend(picture):
        yield (
            f'<rect x="{left:.1f}" y="{_LEGEND - 10}" width="16" height="12" '
            f'fill="{fill_of(word, picture.scope)}" class="box"/>'
        )
        yield text(left + 22, _LEGEND, word, "ink")
        left += 22 + width(word) + 3 * GAP


def _legend(picture: _Picture) -> list[str]:
    """What there is in this picture, in the order of the colours."""
    found = {each.kind.value for each in picture.everything}
    found |= {STATE} if picture.plan.state_bytes else set()
    found |= {MANY} if picture.boxes.rest else set()
    found |= {SHARED} if shared_bytes(picture.boxes) else set()
    return [word for word in LOOKS if word in found] + sorted(found - set(LOOKS))


def _plot(picture: _Picture) -> Iterator[str]:
    plot, boxes = picture.plot, picture.boxes
    yield from byte_axis(plot)
    yield from grid(plot)
    yield from draw_state(plot, picture.plan.state_bytes, picture.scope)
    yield from draw_boxes(boxes)
    yield from _bound(picture)
    if picture.peak is not None:
        yield from peak_outline(plot, picture.peak.task)
    yield from draw_labels(boxes, None if picture.peak is None else picture.peak.task)
    yield from task_axis(picture.schedule, plot)


def _bound_margin(plan: MemoryPlan) -> float:
    """Room to the right of the plot for the words at the lower bound, where it is another."""
    return 0 if plan.is_optimal else GAP + width(_bound_words(plan))


def _bound_words(plan: MemoryPlan) -> str:
    return f"bound {plan.lower_bound_bytes:,}"


def _bound(picture: _Picture) -> Iterator[str]:
    plot, plan = picture.plot, picture.plan
    if not plan.is_optimal:
        y = plot.y(plan.lower_bound_bytes)
        yield f'<path d="M{plot.left:.1f} {y:.1f}H{plot.right:.1f}" class="line"/>'
        yield text(plot.right + GAP, y + 4, _bound_words(plan), "soft")
