"""The real values of a tensor of 8 bits, as exact rational numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tinyml_rules.ir.graph import Tensor

LEAST, MOST = -128, 127


@dataclass(frozen=True)
class ExactScale:
    """real = scale * (q - zero_point); the scale is the float32 of the file."""

    scale: Fraction
    zero_point: int
    limits: tuple[int, int] = (LEAST, MOST)
    """The least and the greatest q."""

    @classmethod
    def of(cls, tensor: Tensor) -> ExactScale:
        """The scale and zero point of a tensor that is quantized per tensor."""
        return cls(Fraction(tensor.scale), tensor.zero_point, tensor.dtype.limits)

    def real(self, q: int) -> Fraction:
        """The real value of a quantized one."""
        return self.scale * (q - self.zero_point)

    @property
    def reach(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest real number."""
        least, most = self.limits
        return self.real(least), self.real(most)

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the greatest q - zero_point."""
        least, most = self.limits
        return least - self.zero_point, most - self.zero_point
