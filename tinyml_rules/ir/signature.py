"""The names of an operator's operands, in the order in which a file gives them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

MOST_OPERANDS = 2**31 - 1
_OPTIONAL, _ANY, _SOME = "?", "*", "+"


@dataclass(frozen=True)
class Signature:
    """Inputs and outputs by name.

    A name ends in `?` where the operand may be left out; the last one may end in `*` for any
    number of operands, and in `+` for one or more.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...] = ("output",)

    @property
    def input_counts(self) -> range:
        """How many inputs a node may have."""
        return _counts(self.inputs)

    @property
    def output_counts(self) -> range:
        """How many outputs a node may have."""
        return _counts(self.outputs)

    @property
    def input_names(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(map(bare_name, self.inputs))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(map(bare_name, self.outputs))

    def may_leave_out(self, position: int) -> bool:
        """Whether the input at the position may be absent where later ones are given."""
        return position < len(self.inputs) and self.inputs[position].endswith(_OPTIONAL)

    def places(self, name: str, inputs: int, outputs: int) -> tuple[bool, range]:
        """Whether the operand is an input, and at which positions, of a node with so many
        operands; KeyError for a name that the operator has not declared."""
        is_input, position, is_open = self._declared[name]
        count = inputs if is_input else outputs
        return is_input, range(position, count if is_open else min(position + 1, count))

    @cached_property
    def _declared(self) -> dict[str, tuple[bool, int, bool]]:
        """By name, whether the operand is an input, its position, and whether it is many."""
        return {
            bare_name(declared): (is_input, position, declared.endswith((_ANY, _SOME)))
            for is_input, names in ((False, self.outputs), (True, self.inputs))
            for position, declared in enumerate(names)
        }


def bare_name(declared: str) -> str:
    """The name without what says how many operands it has."""
    return declared.rstrip(_OPTIONAL + _ANY + _SOME)


def _counts(names: tuple[str, ...]) -> range:
    least = sum(not name.endswith((_OPTIONAL, _ANY)) for name in names)
    is_open = bool(names) and names[-1].endswith((_ANY, _SOME))
    return range(least, MOST_OPERANDS if is_open else len(names) + 1)
