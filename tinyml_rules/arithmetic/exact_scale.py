"""The real values of an int8 tensor, as exact rational numbers."""

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

    @classmethod
    def of(cls, tensor: Tensor) -> ExactScale:
        """The scale and zero point of a tensor that is quantized per tensor."""
        return cls(Fraction(tensor.scale), tensor.zero_point)

    def real(self, q: int) -> Fraction:
        """The real value of a quantized one."""
        return self.scale * (q - self.zero_point)

    @property
    def reach(self) -> tuple[Fraction, Fraction]:
        """The least and the greatest real number."""
        return self.real(LEAST), self.real(MOST)

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the greatest q - zero_point."""
        return LEAST - self.zero_point, MOST - self.zero_point
