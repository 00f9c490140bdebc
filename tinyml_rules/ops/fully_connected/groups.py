"""FULLY_CONNECTED with the weights of some outputs side by side: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tinyml_rules.cores.thumb_m0.sizes import CORTEX_M
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    Ask,
    of_scale,
    outputs_from,
    values_from,
)
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ops._shared.in_groups import pack_in_groups, pack_unsigned_in_groups
from tinyml_rules.ops.fully_connected.variants import Scales

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True, kw_only=True)
class GroupVariant(Scales):
    """Words of the templates; a piece that a processor does without is empty."""

    group: int
    """Outputs at a time."""
    products: str
    """Piece that sums for them."""
    products_of_two: str
    """Piece that sums for twice as many."""
    offset: str
    """Piece that tells of the inputs what comes to every sum."""


@dataclass(frozen=True)
class Group:
    """How many outputs processors with the features `requires` sum at a time, from `least_inputs`
    on; `products` is the piece of emit/runtime that does so, `products_of_two`, if there is one,
    that for two groups, and `offset` what tells of the inputs what comes to every sum."""

    requires: frozenset[Feature]
    size: int
    products: str
    least_inputs: int
    products_of_two: str = ""
    offset: str = ""
    excludes: frozenset[Feature] = frozenset()
    pack: Callable[[Work[Sums]], Packed] | None = None

    def kernels(self) -> tuple[Kernel[Sums], Kernel[Sums]]:
        """With one multiplier for all outputs, and one for each."""
        return self._kernel("fully_connected", Scale.ONE), self._kernel(
            "fully_connected_per_axis", Scale.EACH
        )

    def _kernel(self, name: str, scale: Scale) -> Kernel[Sums]:
        """The kernel for one vector after the other, and in pieces, of the same weights."""
        pieces = (self.products, self.products_of_two, self.offset)
        in_rows = Kernel[Sums](
            name=f"{name}_groups_of_{self.size}_rows",
            template=_KERNELS / "group_rows.c.j2",
            form=Form.ROWS,
            requires=self.requires,
            excludes=self.excludes,
            runtime=(*filter(None, pieces), "dot_product", "requantize"),
            variant=GroupVariant(
                is_per_axis=scale is Scale.EACH,
                group=self.size,
                products=self.products,
                products_of_two=self.products_of_two,
                offset=self.offset,
            ),
        )
        return replace(
            in_rows,
            name=f"{name}_groups_of_{self.size}",
            template=_KERNELS / "groups.c.j2",
            form=Form.POINTWISE,
            can=(of_scale(scale), BYTES, outputs_from(self.size)),
            pays=(
                values_from(self.least_inputs),
                Ask(self._leaves_few, f"more than {CORTEX_M.most_left} outputs are left over"),
            ),
            in_rows=in_rows,
            pack=self.pack or partial(pack_in_groups, size=self.size),
        )

    def _leaves_few(self, sums: Sums) -> bool:
        return sums.outputs % self.size <= CORTEX_M.most_left or sums.outputs >= 2 * self.size


_RISCV = Group(
    requires=frozenset((Feature.RISCV,)),
    size=4,
    products="products_4_by_1",
    least_inputs=8,
    products_of_two="products_8_by_1",
)
_CORTEX_M3 = Group(
    requires=frozenset((Feature.THUMB, Feature.MULTIPLY_64)),
    excludes=frozenset((Feature.DSP, Feature.MVE)),
    size=4,
    products="products_4_by_1",
    least_inputs=8,
)
_CORTEX_M0 = Group(
    requires=frozenset((Feature.THUMB, Feature.REGISTERS_32)),
    excludes=frozenset((Feature.MULTIPLY_64,)),
    size=8,
    products="products_8_by_1_unsigned",
    least_inputs=8,
    offset="minus_128_times",
    pack=pack_unsigned_in_groups,
)
KERNELS = (*_RISCV.kernels(), *_CORTEX_M3.kernels(), *_CORTEX_M0.kernels())
"""Best first."""
