"""What `[output]` of a description means, in fractions: written from docs/how-to/decisions.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.raw_to_decision.exact import Quantization


@dataclass(frozen=True)
class Heads:
    """What is asked of an output; `thresholds`: one for all values, or one each."""

    words: tuple[str, ...] = ()
    k: int = 0
    thresholds: tuple[str, ...] = ()
    fraction_bits: int | None = None
    labels: tuple[str, ...] = ()
    event: Mapping[str, object] = field(default_factory=dict)
    """The keys of an event but its threshold."""

    def has(self, word: str) -> bool:
        """Whether it has a head."""
        return word in self.words


@dataclass(frozen=True)
class Stated:
    """What the header says of numbers with a point: the bits, and how far off they are at most."""

    fraction_bits: int
    bound: Fraction


def classes(values: Sequence[int], k: int) -> list[int]:
    """Those with the largest values, of equals the first one first."""
    return sorted(range(len(values)), key=lambda place: (-values[place], place))[:k]


def reached(heads: Heads, values: Sequence[int], tensor: Quantization) -> list[int]:
    """Of each value, whether it reaches its threshold in exact arithmetic."""
    limits = [
        heads.thresholds[place if len(heads.thresholds) > 1 else 0] for place in range(len(values))
    ]
    return [
        int(tensor.real(value) >= Fraction(limit))
        for value, limit in zip(values, limits, strict=True)
    ]


def fixed_point_faults(
    found: Sequence[int], values: Sequence[int], tensor: Quantization, stated: Stated
) -> list[str]:
    """Numbers that are further from the real ones than the header says."""
    return [
        f"fixed point of {value} is {number}"
        for number, value in zip(found, values, strict=True)
        if abs(Fraction(number, 2**stated.fraction_bits) - tensor.real(value)) > stated.bound
    ]


def bits_faults(heads: Heads, tensor: Quantization, stated: Stated) -> list[str]:
    """Where the bits are not those that were asked for, or not as many as int32 has room for; and
    where the bound is more than one step and what a multiplier of 22 bits leaves."""
    asked, bits = heads.fraction_bits, stated.fraction_bits
    most = max(abs(tensor.real(end)) for end in tensor.limits)
    has_room = bits < 30 and most * 2 ** (bits + 1) < 2**31 - 2
    faults = []
    if (asked is None and has_room) or asked not in (None, bits):
        faults.append(f"{bits} fraction bits, {asked} asked for, of values up to {most}")
    if stated.bound > Fraction(1, 2**bits) + most / 2**21:
        faults.append(f"a bound of {float(stated.bound)} with {bits} fraction bits")
    return faults


def score_faults(
    heads: Heads,
    found: tuple[int, int],
    pairs: Sequence[tuple[Fraction, Fraction]],
    stated: Stated,
) -> list[str]:
    """`found`: (score, whether it reaches the threshold); the threshold is compared with the score
    that C has."""
    score, is_reached = found
    mean = sum(((a - b) ** 2 for a, b in pairs), Fraction(0)) / len(pairs)
    number = Fraction(score, 2**stated.fraction_bits)
    faults = []
    if abs(number - mean) > stated.bound:
        faults.append(f"score {float(number)}, expected {float(mean)} within {float(stated.bound)}")
    if heads.thresholds and is_reached != int(number >= Fraction(heads.thresholds[0])):
        faults.append(f"score {float(number)} reaches {heads.thresholds[0]}: {is_reached}")
    return faults
