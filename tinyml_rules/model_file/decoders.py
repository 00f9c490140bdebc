"""What the reader asks of the operators, which it does not know: their names and their options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tinyml_rules.model_file.flatbuffer import Table


class Decoder(Protocol):
    """What the reader asks of an operator."""

    @property
    def name(self) -> str:
        """What its nodes are called."""

    @property
    def options_type(self) -> int:
        """The schema's number of its options table, 0 for none."""

    @property
    def parse(self) -> Callable[[Table | None], object]:
        """The attributes that its options table holds."""


class Decoders(Protocol):
    """What the reader asks of the operators that are known."""

    def of_code(self, code: int) -> Decoder | None:
        """The operator of a number in the file."""

    def is_known(self, name: str) -> bool:
        """Whether there is an operator of this name."""
