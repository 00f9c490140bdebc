"""A bound as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from tinyml_rules.reporting.rows import plain
from tinyml_rules.worst_case.figures import DependsOnData, Measured, WorstCase

_MOST_ROWS = 12
_OUTSIDE = "between nodes"


def worst_case_lines(worst: WorstCase) -> Iterator[str]:
    """The bound, what was measured, what is not in it, and what depends on data."""
    time = "" if worst.milliseconds is None else f", {worst.milliseconds:,.6g} ms"
    clock = "" if worst.clock_hz is None else f" at {worst.clock_hz / 1e6:g} MHz"
    about = "about " if worst.cycles_source else ""
    yield (
        f"{worst.model} on {worst.target}: at most {about}{worst.cycles:,} cycles an inference"
        f"{time}{clock}, at least {worst.least_cycles:,}"
    )
    if worst.cycles_of_slowest_row is not None:
        yield f"  the slowest row: at most {worst.cycles_of_slowest_row:,} cycles"
    if worst.measured is not None:
        yield _measured(worst.measured, worst.cycles)
    if worst.cycles_source is not None:
        yield f"  cycles of instructions: {worst.cycles_source}"
    if worst.options:
        settings = ", ".join(worst.options)
        yield f"  of a build with {settings}: without it the machine code is another one"
    yield f"  not in it: {worst.excluded}"
    yield f"  depends on data: {worst.spread:.3%} of the bound"
    yield from _table(worst.depends_on_data)


def _measured(measured: Measured, most: int) -> str:
    plural = "" if measured.samples == 1 else "s"
    return (
        f"  measured: {measured.least:,} to {measured.most:,} cycles, {measured.samples} "
        f"sample{plural}; the bound is {most / measured.most:.3f} times the most"
    )


def _table(found: tuple[DependsOnData, ...]) -> Iterator[str]:
    if not found:
        return
    rows = [
        {
            "function": each.function,
            "nodes": ", ".join(each.nodes) or _OUTSIDE,
            "branches": f"{each.branches:,}",
            "times": f"{each.times:,}",
            "cycles": f"{each.cycles:,}",
        }
        for each in found[:_MOST_ROWS]
    ]
    yield from (f"    {line}" for line in plain(rows).splitlines())
    if len(found) > _MOST_ROWS:
        yield f"    and {len(found) - _MOST_ROWS} more"
