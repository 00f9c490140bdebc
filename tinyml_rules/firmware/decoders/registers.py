"""What is known of registers on a straight way through a function: enough to find out which table
a switch jumps through, and how many entries it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

_WORD = 0xFFFF_FFFF
_ENTRY_BYTES = 4
_MOST_ENTRIES = 4096
"""No switch of GCC comes near, and no product of such an index leaves 32 bits."""

WordAt = Callable[[int], int | None]
"""The word that never changes at an address, None where none does."""


@dataclass(frozen=True)
class Value:
    """`factor` times an unknown number (its key), plus `constant`; a factor of 0: the constant."""

    constant: int
    factor: int = 0
    unknown: int = -1


@dataclass(frozen=True)
class Entry:
    """The word at an address, plus `added`."""

    address: Value
    added: int = 0


@dataclass
class Registers:
    """What each register holds, and the largest value of each unknown number.

    `taken`, `passed`: (value, its largest) where a branch is taken, and where it is not.
    """

    values: dict[str, Value | Entry] = field(default_factory=dict)
    largest: dict[int, int] = field(default_factory=dict)
    compared: tuple[Value, int] | None = None
    taken: tuple[Value, int] | None = None
    passed: tuple[Value, int] | None = None
    _keys: count[int] = field(default_factory=count)

    def copy(self) -> Registers:
        """For another way on from here."""
        return replace(self, values=dict(self.values), largest=dict(self.largest))

    def forget(self, *names: str) -> None:
        """Of these registers nothing is known any more; of all without a name."""
        for name in names or tuple(self.values):
            self.values.pop(name, None)

    def put(self, name: str, value: Value | Entry | None) -> None:
        """What a register holds from here on, None: something unknown."""
        self.values.pop(name, None)
        if value is not None:
            self.values[name] = value

    def number(self, name: str) -> Value | None:
        """What a register holds, unless it comes from a table."""
        value = self.values.get(name)
        if value is None:
            value = self.values[name] = Value(0, factor=1, unknown=next(self._keys))
        return value if isinstance(value, Value) else None

    def constant(self, name: str) -> int | None:
        """The number that a register holds, where it is known."""
        value = self.values.get(name)
        return value.constant if isinstance(value, Value) and not value.factor else None

    def sum(self, first: str, second: str) -> Value | Entry | None:
        """Of two registers, one of which holds a known number."""
        for one, other in ((first, second), (second, first)):
            constant = self.constant(one)
            if constant is not None:
                return self.plus(other, constant)
        return None

    def plus(self, name: str, constant: int) -> Value | Entry | None:
        """A register and a number.  An index that a number is added to is another index."""
        value = self.values.get(name)
        if isinstance(value, Entry):
            return replace(value, added=value.added + constant)
        is_index = value is None or value.factor == 1
        assert value is None or isinstance(value, Value)
        if value is None or is_index:
            return None
        return replace(value, constant=value.constant + constant & _WORD)

    def scaled(self, name: str, bits: int) -> Value | None:
        """A register, shifted to the left."""
        value = self.number(name)
        if value is None or bits > 2:
            return None
        return replace(value, constant=value.constant << bits & _WORD, factor=value.factor << bits)

    def limit(self, fact: tuple[Value, int] | None) -> None:
        """Make use of what a branch found out."""
        if fact is not None and fact[0].factor == 1 and fact[0].constant == 0:
            key, bound = fact[0].unknown, fact[1]
            self.largest[key] = min(self.largest.get(key, bound), bound)

    def targets(self, name: str, word_at: WordAt) -> tuple[int, ...]:
        """Where a jump to a register may go: to every entry of a table, none if it is not one."""
        entry = self.values.get(name)
        if not isinstance(entry, Entry) or entry.address.factor != _ENTRY_BYTES:
            return ()
        last = self.largest.get(entry.address.unknown)
        if last is None or last >= _MOST_ENTRIES:
            return ()
        start = entry.address.constant
        words = [word_at(start + index * _ENTRY_BYTES) for index in range(last + 1)]
        if None in words:
            return ()
        return tuple(
            dict.fromkeys(word + entry.added & _WORD for word in words if word is not None)
        )
