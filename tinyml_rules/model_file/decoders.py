"""The interface of operators for the reader, which knows none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tinyml_rules.ir.signature import Signature


class Decoder(Protocol):
    """The properties of an operator that the reader uses."""

    @property
    def name(self) -> str:
        """The name of its nodes."""

    @property
    def custom_name(self) -> str:
        """Its name in files, if it is a custom operator."""

    @property
    def options_type(self) -> int:
        """The schema's number of its options table, 0 for none."""

    @property
    def attrs(self) -> type:
        """The dataclass of its options table."""


class Decoders(Protocol):
    """The lookup of known operators that the reader uses."""

    @property
    def signatures(self) -> Mapping[str, Signature]:
        """How each names its operands."""

    def of_code(self, code: int, custom_name: str) -> Decoder | None:
        """The operator of a number in the file, or of a custom one's name."""

    def __contains__(self, name: object) -> bool:
        """Whether there is an operator of this name."""
