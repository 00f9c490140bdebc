"""What is known of a core: a record, which its folder fills in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.cores.finish import Finish
from tinyml_rules.cores.tile import Tile
from tinyml_rules.ir.features import Feature


@dataclass(frozen=True)
class Qualifiers:
    """What C for a core has in front of its declarations; each word ends with a blank."""

    flash: str = ""
    """Of a pointer to a constant."""
    table: str = ""
    """Of a table of constants."""
    outlined: str = ""
    """Of a function that compilers are not to copy to where it is called."""
    keeps_order: bool = False
    """Whether compilers move accesses to memory over kernels of the core, so that a statement
    around them has to keep the order."""


@dataclass(frozen=True, eq=False)
class Core:
    """A kind of processor.  A part may be several: what the one preferred to all others leaves open
    (None), the next one says."""

    name: str
    """That of its folder."""
    folder: Path
    """In which `pieces/` has the C that is for this core."""
    needs: frozenset[Feature]
    """Features that a part has to have."""
    beats: frozenset[str]
    """Names of the cores that it is preferred to, where a part is both."""
    finish: Finish | None = None
    """How bounded sums are requantized."""
    qualifiers: Qualifiers | None = None
    group: int | None = None
    """How many channels its kernels take at a time."""
    tiles: tuple[Tile, ...] = ()
    """For pixels of images, best first."""
    vector_tiles: tuple[Tile, ...] = ()
    """For vectors."""
