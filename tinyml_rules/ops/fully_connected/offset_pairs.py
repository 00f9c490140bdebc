"""FULLY_CONNECTED with the weights of two outputs in one number, one of them with an
offset: when that pays, and how, on Xtensa."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.mul16s.order import GROUP
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.paired import pack_in_offset_pairs
from tinyml_rules.ops._weighted.conditions import BYTES, Ask, of_scale, outputs_in
from tinyml_rules.ops._weighted.sums import Scale, Sums

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class _Core:
    """A kind of processor: its `feature`, and what its stack has room for."""

    feature: Feature
    part: int
    """Values of the input that are widened at a time, a multiple of four, and at most 256."""

    least_of_four: int
    """Inputs, a multiple of four, where there are no more than four outputs."""


_CORES = (
    _Core(Feature.MAC16, part=256, least_of_four=16),
    _Core(Feature.MUL16S, part=160, least_of_four=128),
)
_OUTPUTS = 32
"""Sums on the stack, a multiple of four."""
_LEAST_INPUTS, _LEAST_RAGGED = 8, 9
"""With fewer, what is around the products outweighs them.  Measured with single layers on both
cores."""


def _is_worth(sums: Sums, core: _Core) -> bool:
    least = _LEAST_INPUTS if sums.outputs > GROUP else core.least_of_four
    if sums.values % GROUP:
        least = _LEAST_RAGGED
    return sums.values >= least


def _kernel(core: _Core, name: str, scale: Scale, **values: str) -> Kernel[Sums]:
    """The kernel for one vector after the other, and the same in pieces, of the same weights."""
    in_rows = Kernel[Sums](
        name=f"{name}_{core.feature}_rows",
        template=_KERNELS / "offset_pair_rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((core.feature, Feature.REGISTERS_32)),
        runtime=("offset_products", "widen_unsigned", "requantize"),
        values={**values, "part": core.part, "outputs": _OUTPUTS},
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
        yield _kernel(core, "fully_connected_per_axis_offset_pairs", Scale.EACH, per_axis="yes")


KERNELS = tuple(_kernels())
