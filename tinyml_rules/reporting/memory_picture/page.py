"""The whole picture.  The text is the same for the same plan: no clock, no fonts, no scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.reporting.memory_picture.boxes import (
    Boxes,
    boxes_of,
    draw_boxes,
    draw_labels,
    draw_state,
    shared_bytes,
)
from tinyml_rules.reporting.memory_picture.plot import (
    GAP,
    Plot,
    byte_axis,
    grid,
    peak_outline,
    plot_of,
    task_axis,
    text,
)
from tinyml_rules.reporting.memory_picture.style import (
    LOOKS,
    MANY,
    SHARED,
    STATE,
    fill_of,
    hatches,
    legend_word,
    style,
)
from tinyml_rules.reporting.memory_picture.table import Table, draw_table, table_height
from tinyml_rules.reporting.memory_picture.words import BOLD, cut, escaped, nodes_phrase, width
from tinyml_rules.reporting.peak import Kind, Resident
from tinyml_rules.reporting.timeline import Timeline

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

    timeline: Timeline
    boxes: Boxes
    scope: str

    @property
    def plot(self) -> Plot:
        return self.boxes.plot

    @property
    def at_peak(self) -> Sequence[Resident]:
        return () if self.timeline.peak is None else self.timeline.peak.residents

    @property
    def table(self) -> Table:
        right = self.plot.right if self.bound_margin == 0 else self.plot.right + self.bound_margin
        return Table(_LEFT, self.plot.bottom + _AXIS_HEIGHT, right, self.scope)

    @property
    def bound_margin(self) -> float:
        return _bound_margin(self.timeline)


def memory_picture(timeline: Timeline, *, has_table: bool = True) -> str:
    """The SVG file's text; ASCII, for any names of tensors."""
    scope = f"tinyml-{timeline.name}"
    return f"{memory_element(timeline, scope, css=style(scope), has_table=has_table)}\n"


def memory_element(
    timeline: Timeline, scope: str, *, css: str = "", has_table: bool = False
) -> str:
    """The element alone; without `css` for a page whose sheet has `style(scope)`, where `scope` is
    its class, without a table for one that has a table of the tensors itself."""
    picture = _picture(timeline, scope)
    page_width = round(picture.table.right + _LEFT)
    below = table_height(len(timeline.tensors)) if has_table else 0
    page_height = round(picture.table.top + below)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {page_width} {page_height}" '
            f'width="{page_width}" height="{page_height}" class="{scope}" role="img" '
            f'aria-labelledby="{scope}-title {scope}-desc">',
            f'<title id="{scope}-title">{escaped(_title(picture))}</title>',
            f'<desc id="{scope}-desc">{escaped(_description(picture))}</desc>',
            *([f"<style>{css}</style>"] if css else []),
            f"<defs>{''.join(hatches(scope))}</defs>",
            f'<rect width="{page_width}" height="{page_height}" class="page"/>',
            *_heading(picture),
            *_plot(picture),
            *(draw_table(picture.table, timeline, picture.at_peak) if has_table else ()),
            "</svg>",
        ]
    )


def _picture(timeline: Timeline, scope: str) -> _Picture:
    at_peak = () if timeline.peak is None else timeline.peak.residents
    deepest = len(at_peak) or 1
    lowest = _LOWEST if len(timeline.tasks) <= _FEW_TASKS else _LOWEST_OF_MANY
    height = min(max(_OF_A_TENSOR * deepest, lowest), _HIGHEST)
    margin = _LEFT + _bound_margin(timeline)
    plot = plot_of(timeline.tasks, timeline.arena_bytes, top=_TOP, height=height, margin=margin)
    return _Picture(timeline, boxes_of(timeline.tensors, at_peak, plot, scope), scope)


def _title(picture: _Picture) -> str:
    plan = picture.timeline
    page = f", page of weights {plan.page_bytes:,} B" if plan.page_bytes else ""
    arena = f"arena {plan.arena_bytes:,} B{page}"
    return f"{plan.name}: {plan.ram_bytes:,} B of RAM: {arena}"


def _description(picture: _Picture) -> str:
    """The picture in words, for those who cannot see it."""
    lines = [f"{_title(picture)} over {len(picture.timeline.tasks):,} tasks.", _note(picture)]
    at_peak = sorted(picture.at_peak, key=lambda each: (-each.size_bytes, each.tensor))
    for each in at_peak[:_MOST_NAMED]:
        size = f"{each.size_bytes:,} B at {each.offset:,}"
        what = f"Tensor {each.label} ({each.kind.word})"
        lines.append(f"{'Scratch memory' if each.kind is Kind.SCRATCH else what}: {size}.")
    if len(at_peak) > _MOST_NAMED:
        lines.append(f"And {len(at_peak) - _MOST_NAMED:,} smaller tensors.")
    return " ".join(lines)


def _note(picture: _Picture) -> str:
    plan, peak = picture.timeline, picture.timeline.peak
    if peak is None:
        return "No task runs."
    count = len(peak.residents)
    used = (
        f"Most bytes are in use at {nodes_phrase(peak.nodes)}: {peak.used_bytes:,} B "
        f"in {count:,} tensor{'s' * (count != 1)}."
    )
    if plan.is_optimal:
        return f"{used} No placement of these tensors takes less."
    return f"{used} No placement takes less than {plan.lower_bound_bytes:,} B."


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
        words = legend_word(word)
        yield text(left + 22, _LEGEND, words, "ink")
        left += 22 + width(words) + 3 * GAP


def _legend(picture: _Picture) -> list[str]:
    """What there is in this picture, in the order of the colours."""
    found = {each.kind.value for each in picture.timeline.tensors}
    found |= {STATE} if picture.timeline.state_bytes else set()
    found |= {MANY} if picture.boxes.rest else set()
    found |= {SHARED} if shared_bytes(picture.boxes) else set()
    return [word for word in LOOKS if word in found] + sorted(found - set(LOOKS))


def _plot(picture: _Picture) -> Iterator[str]:
    plot, boxes, peak = picture.plot, picture.boxes, picture.timeline.peak
    yield from byte_axis(plot)
    yield from grid(plot)
    yield from draw_state(plot, picture.timeline.state_bytes, picture.scope)
    yield from draw_boxes(boxes)
    yield from _bound(picture)
    if peak is not None:
        yield from peak_outline(plot, peak.task)
    yield from draw_labels(boxes, picture.timeline.ops, None if peak is None else peak.task)
    yield from task_axis(picture.timeline.tasks, plot)


def _bound_margin(plan: Timeline) -> float:
    """Room to the right of the plot for the words at the lower bound, where it is another."""
    return 0 if plan.is_optimal else GAP + width(_bound_words(plan))


def _bound_words(plan: Timeline) -> str:
    return f"bound {plan.lower_bound_bytes:,}"


def _bound(picture: _Picture) -> Iterator[str]:
    plot, plan = picture.plot, picture.timeline
    if not plan.is_optimal:
        y = plot.y(plan.lower_bound_bytes)
        yield f'<path d="M{plot.left:.1f} {y:.1f}H{plot.right:.1f}" class="line"/>'
        yield text(plot.right + GAP, y + 4, _bound_words(plan), "soft")
