"""Constants as they are stored in flash."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml_rules.ir.graph import Array


@dataclass(frozen=True, eq=False)
class Table:
    """Constants in flash; `is_far` where addresses of 16 bits may not reach them."""

    values: Array
    is_far: bool

    @cached_property
    def key(self) -> tuple[str, bytes, bool]:
        """The same for tables of which one is enough."""
        return self.values.dtype.str, self.values.tobytes(), self.is_far
