"""The reference whose integers a model gives, byte for byte, where references differ."""

from __future__ import annotations

from enum import StrEnum


class RoundingReference(StrEnum):
    """The reference that every operator's arithmetic is that of."""

    TFLM = "tflm"
    """TFLM's reference kernels: sums are rounded twice, quotients of scales are doubles."""

    LITERT = "litert"
    """LiteRT's reference kernels (`BUILTIN_REF`)."""
