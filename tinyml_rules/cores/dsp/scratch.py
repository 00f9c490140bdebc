"""Scratch memory of kernels with weights in pairs: values as halfwords, followed by the `struct
pair_layer` that tells assembly of the layer."""

from __future__ import annotations

from tinyml_rules.cores.dsp.order import GROUP
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.program import Work
from tinyml_rules.ir.sums import Sums

LAYER_BYTES = 88
"""Of the struct, on a processor with addresses of 32 bits."""
_ALIGNMENT = 4


def of_layer(_work: Work[Sums]) -> Scratch:
    """The layer alone."""
    return Scratch(LAYER_BYTES, _ALIGNMENT)


def of_widened(work: Work[Sums]) -> Scratch:
    """The values of one vector, widened, and the layer."""
    return Scratch(_halfwords(work.facts.values) + LAYER_BYTES, _ALIGNMENT)


def of_pixels(work: Work[Sums]) -> Scratch:
    """The same of two pixels."""
    return Scratch(2 * _halfwords(work.facts.values) + LAYER_BYTES, _ALIGNMENT)


def of_window(work: Work[Sums]) -> Scratch:
    """The values of one window side by side, as they are."""
    return Scratch(in_groups(work.facts.values), _ALIGNMENT)


def of_windows(work: Work[Sums]) -> Scratch:
    """Two windows, widened, the layer, and one of them as it is."""
    return Scratch(of_pixels(work).size_bytes + of_window(work).size_bytes, _ALIGNMENT)


def of_rows(work: Work[Sums]) -> Scratch:
    """Two windows whose rows are filled up to whole groups, the layer, and a row as it is."""
    sums = work.facts
    row_bytes = filled(sums) // sums.down.height
    return Scratch(4 * filled(sums) + LAYER_BYTES + row_bytes, _ALIGNMENT)


def filled(sums: Sums) -> int:
    """Values of a window whose rows are filled up with zeros."""
    return in_groups(sums.values // sums.down.height) * sums.down.height


def in_groups(values: int) -> int:
    """Values that are filled up to whole groups."""
    return values + -values % GROUP


def _halfwords(values: int) -> int:
    return 2 * in_groups(values)
