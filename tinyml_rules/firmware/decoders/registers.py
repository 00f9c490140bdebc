"""Known values of registers on a straight path through a function: enough to find the table that a
switch jumps through, and its number of entries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count

_WORD = 0xFFFF_FFFF
_ENTRY_BYTES = 4
_MOST_ENTRIES = 4096
"""Limit above all switches of GCC, at which no product of an index exceeds 32 bits."""

WordAt = Callable[[int], int | None]
"""Returns the constant word at an address, None if there is none."""


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
    """The value of each register, and the largest value of each unknown number.

    `taken`, `passed`: (value, its largest) if a branch is taken, and if it is not.
    """

    values: dict[str, Value | Entry] = field(default_factory=dict)
    largest: dict[int, int] = field(default_factory=dict)
    compared: tuple[Value, int] | None = None
    taken: tuple[Value, int] | None = None
    passed: tuple[Value, int] | None = None
    _keys: count[int] = field(default_factory=count)

    def copy(self) -> Registers:
        """A copy for another path from here on."""
        return replace(self, values=dict(self.values), largest=dict(self.largest))

    def forget(self, *names: str) -> None:
        """Make these registers unknown; all of them if none is named."""
        for name in names or tuple(self.values):
            self.values.pop(name, None)

    def put(self, name: str, value: Value | Entry | None) -> None:
        """Set a register; None: unknown."""
        self.values.pop(name, None)
        if value is not None:
            self.values[name] = value

    def number(self, name: str) -> Value | None:
        """The value of a register, unless it comes from a table."""
        value = self.values.get(name)
        if value is None:
            value = self.values[name] = Value(0, factor=1, unknown=next(self._keys))
        return value if isinstance(value, Value) else None

    def constant(self, name: str) -> int | None:
        """The number in a register, if it is known."""
        value = self.values.get(name)
        return value.constant if isinstance(value, Value) and not value.factor else None

    def sum(self, first: str, second: str) -> Value | Entry | None:
        """The sum of two registers, one of which has a known number."""
        for one, other in ((first, second), (second, first)):
            constant = self.constant(one)
            if constant is not None:
                return self.plus(other, constant)
        return None

    def plus(self, name: str, constant: int) -> Value | Entry | None:
        """The sum of a register and a number.  An index plus a number is another index."""
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
        """Note the largest value that a branch implies."""
        if fact is not None and fact[0].factor == 1 and fact[0].constant == 0:
            key, bound = fact[0].unknown, fact[1]
            self.largest[key] = min(self.largest.get(key, bound), bound)

    def targets(self, name: str, word_at: WordAt) -> tuple[int, ...]:
        """The possible targets of a jump to a register: every entry of its table; none without
        one."""
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
