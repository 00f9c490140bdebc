"""AVERAGE_POOL_2D by Helium, eight channels a vector: when, and how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.pooling import has_cells, has_channels

_KERNELS = Path(__file__).parent / "kernels"

MOST_CELLS = 255
"""Of which 16 bits hold the sum, and half the number for rounding."""

_LANES = 8


_IN_ROWS = Kernel(
    name="average_pool_2d_vector_rows",
    template=_KERNELS / "vector_rows.c.j2",
    form=Form.ROWS,
)

VECTORS = Kernel(
    name="average_pool_2d_vectors",
    template=_KERNELS / "vectors.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
    can=(has_cells(MOST_CELLS), has_channels(_LANES)),
    in_rows=_IN_ROWS,
)

WITH_VECTOR_ROWS = replace(
    VECTORS,
    name="average_pool_2d_of_any",
    template=_KERNELS / "portable.c.j2",
    can=(),
)
"""The same for any number of cells and channels, where only an image in pieces is faster."""
