"""Random heads for an output."""

from __future__ import annotations

import random
from fractions import Fraction

from tests.raw_to_decision.exact import Quantization
from tests.raw_to_decision.heads import Heads
from tests.raw_to_decision.random_events import random_event

WORDS = (
    "yes",
    "no",
    "on/off",
    'say "so"',
    "back\\slash",
    "grün",
    "9",
    "?",
    "a b",
    "*/",
    "??/",
    "漢",
)
MOST_BITS = 30


def draw_heads(
    rng: random.Random,
    count: int,
    given: Quantization,
    made: Quantization,
    *,
    is_vector: bool,
    has_whole: bool,
) -> Heads:
    """`is_vector`: the output has one dimension, so that there are classes; `has_whole`: input and
    output are there as a whole, and different."""
    if has_whole and rng.random() < 0.3:
        return _score(rng, given, made)
    words = [each for each in ("argmax", "top-k") if is_vector and rng.random() < 0.6]
    words += [each for each in ("threshold",) if rng.random() < 0.6]
    words += [each for each in ("event",) if is_vector and rng.random() < 0.4]
    bits = _fraction_bits(rng, made)
    words += ["fixed-point"] if bits is not None and rng.random() < 0.6 else []
    rng.shuffle(words)
    thresholds: tuple[str, ...] = ()
    if {"threshold", "event"} & {*words}:
        several = count if rng.random() < 0.4 else 1
        thresholds = tuple(_threshold(rng, made) for _ in range(several))
    labels: tuple[str, ...] = ()
    if words and count <= len(WORDS) and rng.random() < 0.5:
        labels = tuple(rng.sample(WORDS, count))
    return Heads(
        tuple(words),
        k=rng.randint(1, count) if "top-k" in words else 0,
        thresholds=thresholds,
        fraction_bits=bits if "fixed-point" in words and bits != MOST_BITS + 1 else None,
        labels=labels,
        event=random_event(rng, thresholds, labels) if "event" in words else {},
    )


def _threshold(rng: random.Random, tensor: Quantization) -> str:
    """One that some values reach and others do not, often the very number of a value."""
    q = rng.randint(tensor.limits[0] + 1, tensor.limits[1])
    below, at = tensor.real(q - 1), tensor.real(q)
    between = at if rng.random() < 0.3 else below + (at - below) * Fraction(rng.randint(1, 9), 10)
    text = f"{float(between):.12g}"
    is_between = below < Fraction(text) <= tensor.real(tensor.limits[1])
    return text if is_between else f"{float((below + at) / 2):.17g}"


def _fraction_bits(rng: random.Random, tensor: Quantization) -> int | None:
    """Bits that int32 has room for and that are not too few; one more than the most for those that
    the compiler chooses; None where there are none."""
    most = max(abs(tensor.real(end)) for end in tensor.limits)
    fitting = [bits for bits in range(MOST_BITS + 1) if 2 < most * 2**bits < 2**30]
    if not fitting:
        return None
    return MOST_BITS + 1 if rng.random() < 0.4 else rng.choice(fitting)


def _score(rng: random.Random, given: Quantization, made: Quantization) -> Heads:
    """A mean squared difference, mostly with a threshold."""
    ends = [abs(a - b) for a in map(given.real, given.limits) for b in map(made.real, made.limits)]
    most = max(ends) ** 2
    fitting = [bits for bits in range(MOST_BITS + 1) if 16 < most * 2**bits < 2**28]
    if not fitting:
        return Heads()
    thresholds: tuple[str, ...] = ()
    if rng.random() < 0.8:
        thresholds = (f"{float(most) * rng.uniform(0.01, 0.5):.6g}",)
    labels = ("alarm",) if thresholds and rng.random() < 0.5 else ()
    bits = rng.choice([None, *fitting])
    return Heads(
        ("mean-squared-difference",), thresholds=thresholds, fraction_bits=bits, labels=labels
    )
