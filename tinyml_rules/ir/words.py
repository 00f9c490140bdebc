"""What a template may say: the fields of a dataclass."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """Base class of the dataclasses that templates are rendered with.

    A template can use the names of the fields, and nothing else.  In place of a field that
    holds Words itself, a template uses the names of its fields.
    """

    @property
    def context(self) -> dict[str, object]:
        """{name: value} for Jinja.  Raises ValueError for a name that is there twice."""
        found: dict[str, object] = {}
        for name, value in vars(self).items():
            words = value.context if isinstance(value, Words) else {name: value}
            if twice := found.keys() & words:
                raise ValueError(f"the word '{min(twice)}' is there already, expected another name")
            found |= words
        return found


@dataclass(frozen=True)
class Variant(Words):
    """What sets the kernels of one template apart.

    A template that makes several kernels has a subclass: each field is a word of that template, and
    each kernel has an instance.  This class itself has no words, for a template of one kernel.
    """


ONLY = Variant()
"""Of a template that makes one kernel, or the same C for each."""
