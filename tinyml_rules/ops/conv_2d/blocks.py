"""CONV_2D with the sums of some channels and some pixels in registers: when that pays, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tinyml_rules.cores.riscv.sizes import CONV_2D as RISCV
from tinyml_rules.cores.thumb_m0.sizes import CORTEX_M
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    BYTES,
    CLOSE,
    DILATED,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    outputs_from,
    values_from,
)
from tinyml_rules.ir.sums import Sums
from tinyml_rules.ops._shared.in_groups import pack_in_groups, pack_unsigned_in_groups
from tinyml_rules.ops.conv_2d.variants import Dilation

_KERNELS = Path(__file__).parent / "kernels"
_MOST_GATHERED = 512
"""Bytes on the stack, of all windows of a block."""


@dataclass(frozen=True, kw_only=True)
class BlockVariant(Dilation):
    """Words of the templates; a piece that a processor does without is empty."""

    block_channels: int
    """Output channels at a time, a power of 2."""
    block_pixels: int
    """Output pixels at a time."""
    products: str
    """Piece that sums for all of a block."""
    products_of_one: str
    """Piece that sums for one pixel."""
    more_of_one: str
    """Piece that sums for twice the channels of one pixel."""
    offset: str
    """Piece that tells of the values what comes to every sum."""
    prepare: str
    """Piece that makes what the others read from the values."""
    item: str
    """C type of what they read."""
    more_items: int
    """How many of these they may read beyond the values."""


@dataclass(frozen=True)
class Block:
    """What processors with the features `requires` sum at a time: some `channels` of some `pixels`.

    `products` is the piece of emit/runtime that does so, `products_of_one` that for one pixel,
    and `more_of_one`, if there is one, that for twice the channels of one pixel.
    With a piece `prepare` they read values that it made: `items` of that C type, as many as values
    and `more_items`.  A piece `offset` tells of the values what comes to every sum.
    """

    requires: frozenset[Feature]
    channels: int
    pixels: int
    products: str
    products_of_one: str = ""
    more_of_one: str = ""
    prepare: str = ""
    offset: str = ""
    excludes: frozenset[Feature] = frozenset()
    item: str = "int8_t"
    more_items: int = 0
    pays: tuple[Ask, ...] = ()
    pack: Callable[[Work[Sums]], Packed] | None = None

    def kernels(self) -> tuple[Kernel[Sums], ...]:
        """For pixels, windows and dilated windows."""
        gathers = Ask(
            lambda sums: self.pixels == 1 or sums.values * self.pixels <= _MOST_GATHERED,
            f"{self.pixels} windows are more than {_MOST_GATHERED} bytes",
        )
        return (
            self._kernel("pixels", Form.POINTWISE, (PIXELS,)),
            self._kernel("patch", Form.WINDOW, (WINDOW, CLOSE, gathers)),
            self._kernel("dilated_patch", Form.WINDOW, (WINDOW, DILATED, gathers)),
        )

    def _kernel(self, name: str, form: Form, asked: tuple[Ask, ...]) -> Kernel[Sums]:
        pieces = (
            "dot_product",
            "requantize",
            self.products,
            self.products_of_one,
            self.more_of_one,
            self.prepare,
            self.offset,
        )
        gather = ("copy", "fill") if form is Form.WINDOW else ()
        variant = BlockVariant(
            block_channels=self.channels,
            block_pixels=self.pixels,
            products=self.products,
            products_of_one=self.products_of_one,
            more_of_one=self.more_of_one,
            offset=self.offset,
            prepare=self.prepare,
            item=self.item,
            more_items=self.more_items,
            is_dilated=name.startswith("dilated"),
        )
        return Kernel(
            name=f"conv_2d_{name}_{self.channels}_by_{self.pixels}",
            template=_KERNELS / f"block_{name.removeprefix('dilated_')}.c.j2",
            form=form,
            requires=self.requires,
            excludes=self.excludes,
            can=(*asked, BYTES, UNGROUPED, outputs_from(self.channels)),
            pays=self.pays,
            runtime=(*filter(None, pieces), *gather),
            variant=variant,
            units_at_once=1 if self.prepare or form is Form.WINDOW else self.pixels,
            pack=self.pack or partial(pack_in_groups, size=self.channels),
        )


def _is_worth_on_riscv(sums: Sums) -> bool:
    least, width = RISCV.least_values, sums.across.outputs
    if sums.window is None and width == 1:
        least = RISCV.least_of_column
    elif sums.outputs % 4:
        least = (
            RISCV.least_with_rest if sums.outputs >= RISCV.many_outputs else RISCV.least_of_column
        )
    elif sums.window is not None and width < 4:
        least = RISCV.least_of_narrow
    return sums.values >= least


def _on_cortex_m(channels: int, more_values: int = 0) -> tuple[Ask, ...]:
    return (
        values_from(CORTEX_M.least_values + more_values),
        Ask(
            lambda sums: (
                sums.outputs % channels <= CORTEX_M.most_left or sums.outputs >= 2 * channels
            ),
            f"more than {CORTEX_M.most_left} outputs are left over",
        ),
    )


_RISCV = Block(
    requires=frozenset((Feature.RISCV,)),
    channels=4,
    pixels=4,
    products="products_4_by_4",
    products_of_one="products_4_by_1",
    pays=(
        Ask(_is_worth_on_riscv, "too few values behind an output"),
        outputs_from(RISCV.least_outputs),
    ),
    more_of_one="products_8_by_1",
)
_CORTEX_M3 = Block(
    requires=frozenset((Feature.THUMB, Feature.MULTIPLY_64)),
    excludes=frozenset((Feature.DSP, Feature.MVE)),
    channels=4,
    pixels=2,
    products="products_4_by_2",
    products_of_one="products_4_by_1",
    pays=_on_cortex_m(4),
)
_CORTEX_M0 = Block(
    requires=frozenset((Feature.THUMB, Feature.REGISTERS_32)),
    excludes=frozenset((Feature.MULTIPLY_64,)),
    channels=8,
    pixels=1,
    products="products_8_by_1_unsigned",
    offset="minus_128_times",
    pays=_on_cortex_m(8, more_values=1),
    pack=pack_unsigned_in_groups,
)
KERNELS = (*_RISCV.kernels(), *_CORTEX_M3.kernels(), *_CORTEX_M0.kernels())
"""Best first."""
