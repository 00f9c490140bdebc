"""Kernels of weighted sums: how values are reached (Frame), with what cores bring (Tile)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from tinyml_rules.cores import best_first
from tinyml_rules.cores.core import Core
from tinyml_rules.cores.order import Order
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.buffers import Scratch
from tinyml_rules.ir.c_struct import with_more_members
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.sum_conditions import (
    CLOSE,
    DILATED,
    PIXELS,
    UNGROUPED,
    WINDOW,
    Ask,
    of_scale,
)
from tinyml_rules.ir.sums import Scale, Sums
from tinyml_rules.ir.words import Variant

_FRAMES = Path(__file__).parent / "frames"
_WORD_BYTES = 4
"""Windows begin where words can: cores that copy words do."""


@dataclass(frozen=True, kw_only=True)
class TileVariant(Variant):
    """Words of frames and of tiles."""

    tile: str
    """The template with what the core brings."""
    tile_channels: int
    """Sums of a pixel that are made at a time."""
    tile_pixels: int
    """Pixels that are made at a time."""
    takes_all: bool
    """Whether all pixels that lie one after the other are made at once."""
    channel: str
    """After the name of a member: the index of an output, or nothing where one is for all."""
    is_dilated: bool
    """Whether the columns that a window sees lie apart."""
    step: str
    """C expression, for a tile that takes all pixels: values from one of them to the next."""
    value: str
    """C type of the values, and of outputs."""
    dot_product: str
    """The piece that sums for an output that is left."""
    of_tile: Variant


@dataclass(frozen=True)
class Frame:
    """How the values of sums are reached, for tiles of any core."""

    name: str
    """Of its kernels, before that of the tile."""
    template: str
    form: Form
    can: tuple[Ask, ...]
    pieces: tuple[str, ...] = ()
    """Of C, that it calls."""
    scale: Scale = Scale.EACH
    is_dilated: bool = False
    step: str = "count"
    """As TileVariant has it."""

    def kernel(self, core: Core, tile: Tile) -> Kernel[Sums]:
        """With a tile of a core."""
        return Kernel(
            name="_".join(filter(None, (self.name, tile.name))),
            template=_FRAMES / self.template,
            form=self.form,
            requires=core.needs,
            excludes=tile.excludes,
            can=(*self.can, tile.weights, *tile.can),
            pays=tile.pays,
            runtime=(*filter(None, tile.pieces), *self.pieces),
            copies_unit=tile.copies_unit and self.form is Form.POINTWISE,
            units_at_once=1 if self.form is Form.WINDOW or tile.copies_unit else tile.pixels,
            variant=TileVariant(
                tile=tile.template,
                tile_channels=tile.channels,
                tile_pixels=tile.pixels,
                takes_all=tile.takes_all,
                channel="[o]" if self.scale is Scale.EACH else "",
                is_dilated=self.is_dilated,
                step=self.step,
                value=tile.value,
                dot_product=tile.dot_product,
                of_tile=tile.words,
            ),
            scratch=partial(_windows, tile) if self.form is Form.WINDOW else None,
            pack=None if tile.order is None else partial(_packed, tile, tile.order),
            is_for_speed=tile.is_for_speed,
        )


def _windows(tile: Tile, work: Work[Sums]) -> Scratch:
    """The values of all windows that a tile takes at a time."""
    value_bytes = 1 if tile.value == "int8_t" else 2
    return Scratch(work.facts.values * tile.pixels * value_bytes, _WORD_BYTES)


def _packed(tile: Tile, order: Order, work: Work[Sums]) -> Packed:
    params: Any = work.params
    if tile.members is not None:
        params = with_more_members(params, tile.members(work.facts))
    return Packed(replace(params, weights=order.pack(work.facts.matrix)))


def of_images(
    operator: str, value: str = "int8_t", *, is_for_speed: bool = False
) -> Iterator[Kernel[Sums]]:
    """With the tiles of all cores for such values, for pixels, windows and dilated windows; best
    first.  Those for speed alone, or the others."""
    pixels = Frame(f"{operator}_pixels", "pixels.c.j2", Form.POINTWISE, (PIXELS,))
    windows = Frame(
        f"{operator}_patch", "patch.c.j2", Form.WINDOW, (WINDOW, UNGROUPED, CLOSE), ("copy", "fill")
    )
    dilated = replace(
        windows,
        name=f"{operator}_dilated_patch",
        can=(WINDOW, UNGROUPED, DILATED),
        is_dilated=True,
    )
    for core in best_first():
        for tile in _of(core.tiles, value, is_for_speed=is_for_speed):
            yield from (frame.kernel(core, tile) for frame in (pixels, windows, dilated))


def of_vectors(
    operator: str, value: str = "int8_t", *, is_for_speed: bool = False
) -> Iterator[Kernel[Sums]]:
    """For vectors of such values, with one multiplier for all outputs or with one for each, and the
    same of one vector that comes in pieces; best first.  Those for speed alone, or the others."""
    for core in best_first():
        for tile in _of(core.vector_tiles, value, is_for_speed=is_for_speed):
            yield _of_vectors(operator, core, tile, Scale.ONE)
            yield _of_vectors(f"{operator}_per_axis", core, tile, Scale.EACH)


def _of(tiles: Iterable[Tile], value: str, *, is_for_speed: bool) -> Iterator[Tile]:
    found = (value, is_for_speed)
    return (tile for tile in tiles if (tile.value, tile.is_for_speed) == found)


def _of_vectors(name: str, core: Core, tile: Tile, scale: Scale) -> Kernel[Sums]:
    vectors = Frame(name, "pixels.c.j2", Form.POINTWISE, (of_scale(scale),), scale=scale)
    pieces = Frame(name, "pieces.c.j2", Form.ROWS, (), ("requantize",), scale=scale)
    in_rows = pieces.kernel(
        core, replace(tile, template=tile.rows_template, pieces=tile.row_pieces, can=(), pays=())
    )
    return replace(
        vectors.kernel(core, tile),
        in_rows=replace(in_rows, name=f"{in_rows.name}_rows", can=(), pack=None),
    )
