"""FULLY_CONNECTED with weights in vectors of sixteen inputs: when that pays, and how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tinyml_rules.cores.mve.order import GROUP
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.sum_conditions import BYTES, of_scale, outputs_from
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.vectored import pack_in_vectors
from tinyml_rules.ops.fully_connected.variants import Scales

_KERNELS = Path(__file__).parent / "kernels"


def _kernel(name: str, scale: Scale) -> Kernel[Sums]:
    """The kernel for one vector after the other, and the same in pieces, of the same weights."""
    in_rows = Kernel[Sums](
        name=f"{name}_rows",
        template=_KERNELS / "vector_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
        runtime=("products_of_four", "dot_product", "copy", "requantize"),
        variant=Scales(is_per_axis=scale is Scale.EACH),
    )
    return replace(
        in_rows,
        name=name,
        template=_KERNELS / "vectors.c.j2",
        form=Form.POINTWISE,
        can=(of_scale(scale), BYTES, outputs_from(GROUP)),
        runtime=("products_of_four", "dot_product", "requantize", "requantize_vector"),
        in_rows=in_rows,
        pack=pack_in_vectors,
    )


VECTORS = (
    _kernel("fully_connected_vectors", Scale.ONE),
    _kernel("fully_connected_per_axis_vectors", Scale.EACH),
)
