"""Constants as they are stored in flash."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml_rules.ir.graph import Array


@dataclass(frozen=True, eq=False)
class Table:
    """Constants in flash; `is_far` if addresses of 16 bits may not reach them."""

    values: Array
    is_far: bool

    @cached_property
    def key(self) -> tuple[str, bytes, bool]:
        """Equal for tables that can share one copy in flash."""
        return self.values.dtype.str, self.values.tobytes(), self.is_far
