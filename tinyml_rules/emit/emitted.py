"""What comes out of `emit`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tinyml_rules.ir.features import Need
from tinyml_rules.ir.watch import Watch


@dataclass(frozen=True)
class Emitted:
    """The text of the files by name, and what goes with it."""

    files: Mapping[str, str]
    image: bytes
    """What can be exchanged for that of another model; empty where nothing can."""
    needs: tuple[Need, ...]
    """What the C asks of a processor."""
    watches: tuple[Watch, ...]
    """Where a runner reads the tensors, of code that was made for that."""
