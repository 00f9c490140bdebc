"""FULLY_CONNECTED with the weights of two outputs in one number, one of them with an
offset: when that pays, and how, on Xtensa."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.mac16.sizes import PART as MAC16
from tinyml_rules.cores.mul16s.order import GROUP
from tinyml_rules.cores.mul16s.sizes import FULLY_CONNECTED as SIZES
from tinyml_rules.cores.mul16s.sizes import PART as MUL16S
from tinyml_rules.cores.mul16s.sizes import PartSizes
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.sum_conditions import BYTES, Ask, of_scale, outputs_in
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.paired import pack_in_offset_pairs
from tinyml_rules.ops.fully_connected.variants import Scales

_KERNELS = Path(__file__).parent / "kernels"


_CORES = (MAC16, MUL16S)


@dataclass(frozen=True, kw_only=True)
class Parts(Scales):
    """Words of the templates."""

    part: int
    """Values of the input that are widened at a time."""
    outputs: int = SIZES.outputs
    """Sums at a time, a multiple of four."""


def _is_worth(sums: Sums, core: PartSizes) -> bool:
    least = SIZES.least_inputs if sums.outputs > GROUP else core.least_of_four
    if sums.values % GROUP:
        least = SIZES.least_ragged
    return sums.values >= least


def _kernel(core: PartSizes, name: str, scale: Scale) -> Kernel[Sums]:
    """The kernel for one vector after the other, and the same in pieces, of the same weights."""
    in_rows = Kernel[Sums](
        name=f"{name}_{core.feature}_rows",
        template=_KERNELS / "offset_pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((core.feature, Feature.REGISTERS_32)),
        runtime=("offset_products", "widen_unsigned", "requantize"),
        variant=Parts(part=core.part, is_per_axis=scale is Scale.EACH),
    )
    return replace(
        in_rows,
        name=f"{name}_{core.feature}",
        template=_KERNELS / "offset_pairs.c.j2",
        form=Form.POINTWISE,
        can=(of_scale(scale), BYTES, outputs_in(GROUP)),
        pays=(Ask(lambda sums: _is_worth(sums, core), "too few inputs"),),
        in_rows=in_rows,
        pack=pack_in_offset_pairs,
    )


def _kernels() -> Iterator[Kernel[Sums]]:
    for core in _CORES:
        yield _kernel(core, "fully_connected_offset_pairs", Scale.ONE)
        yield _kernel(core, "fully_connected_per_axis_offset_pairs", Scale.EACH)


KERNELS = tuple(_kernels())
