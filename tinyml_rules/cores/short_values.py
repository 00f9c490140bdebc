"""From which sizes on tiles for values of 16 bits pay; each core has its own."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.sum_conditions import Ask
from tinyml_rules.ir.sums import Sums


@dataclass(frozen=True, kw_only=True)
class ShortSizes:
    """Values of an output: with fewer, compilers unroll the plain loop."""

    least_values: int
    """Of a pixel or a vector."""
    least_with_rest: int
    """The same with outputs that are no multiple of four, of which the last are rows."""
    least_of_window: int
    least_of_window_with_rest: int

    @property
    def pay(self) -> Ask:
        """Where a tile does."""
        return Ask(self._is_worth, "too few values of 16 bits behind an output")

    def _is_worth(self, sums: Sums) -> bool:
        has_rest = sums.outputs % 4 != 0
        if sums.window is None:
            least = self.least_with_rest if has_rest else self.least_values
        else:
            least = self.least_of_window_with_rest if has_rest else self.least_of_window
        return sums.values >= least
