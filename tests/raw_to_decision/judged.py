"""What a program wrote of one description, next to what the description means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tests.raw_to_decision.drawn import Drawn
from tests.raw_to_decision.events import Events
from tests.raw_to_decision.exact import Quantization
from tests.raw_to_decision.heads import (
    Stated,
    bits_faults,
    classes,
    fixed_point_faults,
    reached,
    score_faults,
)
from tests.raw_to_decision.programs import Case

_BITS = re.compile(r"_FRACTION_BITS (\d+)")
_BOUND = re.compile(r"by at most ([\d.eE+-]+)\.")


@dataclass
class Written:
    """The bytes of a program, read from the front."""

    data: bytes
    place: int = 0

    def take(self, size: int) -> bytes:
        """The next ones."""
        found = self.data[self.place : self.place + size]
        assert len(found) == size, "the program wrote less than it has to"
        self.place += size
        return found

    def values(self, count: int, dtype: str) -> list[int]:
        """Numbers of a type."""
        found = np.frombuffer(self.take(count * np.dtype(dtype).itemsize), dtype)
        return [int(each) for each in found]

    def numbers(self, count: int) -> list[int]:
        """Of int32."""
        return self.values(count, "<i4")


def faults_of(case: Case, written: Written) -> list[str]:
    """All that is wrong with what it wrote; `written` is then behind it."""
    drawn, found = case.drawn, []
    span = _span(drawn)
    memo: list[dict[int, int]] = [{} for _ in drawn.meanings]
    stated, events = _stated(case), _events(drawn)
    for call in case.calls:
        given = None if drawn.rows else written.values(case.count, drawn.dtype)
        made = written.values(case.count, drawn.dtype)
        shown = _moved(drawn, made) if given is None else given
        for place, raw in enumerate(call.reshape(-1).tolist()):
            channel = place % drawn.channels
            if not span[0] <= raw <= span[1]:
                continue
            if raw not in memo[channel]:
                memo[channel][raw] = _expected(drawn, channel, raw)
            if shown[place] != memo[channel][raw]:
                text = f"raw {raw} of channel {channel} became {shown[place]}"
                found.append(f"{text}, expected {memo[channel][raw]}")
        if drawn.is_identity and made != given:
            found.append("the output is not the input")
        found += _decision_faults(case, written, given or [], made, stated, events=events)
    if drawn.heads.has("fixed-point"):
        found += bits_faults(drawn.heads, drawn.made, stated)
    return found


def _span(drawn: Drawn) -> tuple[int, int]:
    """Raw values that mean something: those of the range, or of the type."""
    text = str(drawn.input_table["raw"])
    bits, is_signed = int(text.removeprefix("u").removeprefix("int")), text[0] != "u"
    half = 1 << (bits - 1)
    whole = [-half, half - 1] if is_signed else [0, 2 * half - 1]
    found = drawn.input_table.get("range", whole)
    assert isinstance(found, list)
    return int(found[0]), int(found[1])


def _moved(drawn: Drawn, made: list[int]) -> list[int]:
    """The input's values where the output's are those with another zero point; the ends of int8
    stay what they are."""
    move = drawn.meanings[0].tensor.zero_point - drawn.made.zero_point
    return [value + move for value in made]


def _expected(drawn: Drawn, channel: int, raw: int) -> int:
    found = drawn.meanings[channel].quantized(raw)
    if not drawn.rows:
        return found
    move = drawn.made.zero_point - drawn.meanings[0].tensor.zero_point
    return drawn.made.clamp(found + move) - move


def _stated(case: Case) -> Stated:
    """What the header says of fixed point or of a score."""
    header = case.compiled.files[f"{case.name}.h"]
    bits, bound = _BITS.search(header), _BOUND.search(header)
    return Stated(int(bits[1]) if bits else 0, Fraction(bound[1]) if bound else Fraction(0))


def _decision_faults(
    case: Case,
    written: Written,
    given: list[int],
    made: list[int],
    stated: Stated,
    *,
    events: Events,
) -> Iterator[str]:
    """Reads what `_decisions` of the program writes, in its order."""
    heads, tensor = case.drawn.heads, case.drawn.made
    if heads.has("mean-squared-difference"):
        score = written.numbers(1)[0]
        is_reached = written.numbers(1)[0] if heads.thresholds else 0
        pairs = list(
            zip(_real(case.drawn.meanings[0].tensor, given), _real(tensor, made), strict=True)
        )
        yield from score_faults(heads, (score, is_reached), pairs, stated)
        return
    expected: list[tuple[str, int, list[int]]] = []
    if heads.has("argmax"):
        expected.append(("class", 1, classes(made, 1)))
    if heads.has("top-k"):
        expected.append(("classes", heads.k, classes(made, heads.k)))
    if heads.has("threshold"):
        expected.append(("thresholds", len(made), reached(heads, made, tensor)))
    if heads.has("event"):
        expected.append(("event", 1, [events.take(made)]))
    for what, count, numbers in expected:
        found = written.numbers(count)
        if found != numbers:
            yield f"{what} of {made} are {found}, expected {numbers}"
    if heads.has("fixed-point"):
        yield from fixed_point_faults(written.numbers(len(made)), made, tensor, stated)
    if heads.labels:
        size = case.label_bytes
        for label in heads.labels:
            copied = written.take(size)
            if copied != label.encode().ljust(size, b"\0"):
                yield f"label {label} is {copied!r}"


def _events(drawn: Drawn) -> Events:
    heads = drawn.heads
    return Events(heads.event, heads.thresholds, heads.labels, drawn.made)


def _real(tensor: Quantization, values: list[int]) -> list[Fraction]:
    return [tensor.real(value) for value in values]
