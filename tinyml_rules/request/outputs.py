"""The files that a model is compiled to, one per row: every front end takes its list from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Output:
    """A file NAME<suffix>, by what it is; `is_external`: only where the weights are."""

    role: str
    suffix: str
    meaning: str
    is_external: bool = False


OUTPUTS = (
    Output("source", ".c", "the model in C"),
    Output("header", ".h", "what the firmware includes"),
    Output("report", ".report.json", "the compiler's figures"),
    Output("picture", ".memory.svg", "the memory plan"),
    Output("weights", ".weights.bin", "the weights, where they are external", is_external=True),
)
"""In the order in which build systems list them."""


def output_suffixes(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The ends of the files' names for the values of the options that are not the defaults."""
    has_file = options.get("weights") == "external"
    return tuple(each.suffix for each in OUTPUTS if has_file or not each.is_external)


def suffix_of(role: str) -> str:
    """The end of the name of one of them."""
    (suffix,) = (each.suffix for each in OUTPUTS if each.role == role)
    return suffix


def output_names() -> str:
    """The names of the files that every model has, for a sentence."""
    *others, last = (f"NAME{suffix}" for suffix in output_suffixes({}))
    return f"{', '.join(others)} and {last}"
