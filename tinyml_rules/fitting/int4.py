"""What weights of four bits would save: the quantizer makes them of the float model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml_rules.compiler import select_program
from tinyml_rules.fitting.fit import Fit, Requested, before_smallest
from tinyml_rules.fitting.int4_savings import fewest_layers, int4_savings
from tinyml_rules.target.parts import FLASH, RAM


@dataclass(frozen=True)
class ByInt4:
    """A part that is too small, the nodes whose weights would have to be int4, the fewest, and the
    bytes that this saves, without what other kernels and padding take."""

    fit: Fit
    nodes: tuple[int, ...]
    saved_bytes: int


def by_int4(requested: Requested, found: Sequence[Fit]) -> Iterator[ByInt4]:
    """The parts before the smallest that the model fits on for which int4 weights would be enough;
    the largest of each target."""
    for each in before_smallest(found):
        assert each.need is not None
        missing = each.need.flash_bytes[1] - each.room[FLASH]
        if missing <= 0 or each.need.ram_bytes[1] > each.room[RAM]:
            continue
        request = requested(each.part.target)
        savings = int4_savings(select_program(request), request.operators)
        nodes = fewest_layers(savings, missing)
        if nodes:
            yield ByInt4(each, nodes, sum(savings[node] for node in nodes))
