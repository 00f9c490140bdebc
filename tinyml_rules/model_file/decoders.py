"""What the reader asks of the operators, which it does not know itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tinyml_rules.ir.signature import Signature


class Decoder(Protocol):
    """What the reader asks of an operator."""

    @property
    def name(self) -> str:
        """What its nodes are called."""

    @property
    def custom_name(self) -> str:
        """What a file calls it, if it is a custom operator."""

    @property
    def options_type(self) -> int:
        """The schema's number of its options table, 0 for none."""

    @property
    def attrs(self) -> type:
        """What its options table holds."""


class Decoders(Protocol):
    """What the reader asks of the operators that are known."""

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """How each names its operands."""

    def of_code(self, code: int, custom_name: str) -> Decoder | None:
        """The operator of a number in the file, or of a custom one's name."""

    def __contains__(self, name: object) -> bool:
        """Whether there is an operator of this name."""
