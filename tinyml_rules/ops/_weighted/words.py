"""Words of the templates of plain C that are for every element."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.ir.words import Variant


@dataclass(frozen=True, kw_only=True)
class ElementWords(Variant):
    """Of a kernel for one of them: the types of what it reads, adds up and writes."""

    has_nibbles: bool = False
    """Whether weights have four bits."""
    value: str = "int8_t"
    """C type of inputs and outputs; what windows are given are addresses of bytes, of any type."""
    sum: str = "int32_t"
    """C type of sums."""
    dot_product: str = "dot_product"
    """The piece that adds products to a sum; a kernel may do so itself."""
    most_run: int = 0
    """How many products that piece may add up at a time, where sums are of 64 bits; else 0."""
    has_zero_point: bool = False
    """Whether the kernel takes a zero point off the weights."""
