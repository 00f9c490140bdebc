"""Decisions as C has them: the names of their functions, and texts of their comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tinyml_rules.emit.c_text import integer_literal
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.surroundings.decide.arithmetic import at_most
from tinyml_rules.surroundings.decide.decisions import Decision


@dataclass(frozen=True)
class DecisionNames:
    """A decision and how its C begins: functions with `p`, macros with `macro`.

    `port` is the output that it is made from, `score` the one that holds its score."""

    decision: Decision
    port: Port
    score: Port | None
    p: str
    kept: str
    """C variable of what an event keeps."""

    @property
    def macro(self) -> str:
        """What its macros begin with."""
        return self.p.upper()

    @property
    def error(self) -> str:
        """The most by which its fixed-point numbers differ from the real ones."""
        arithmetic = self.decision.fixed_point or self.decision.squared
        assert arithmetic is not None
        return at_most(arithmetic.error)

    @property
    def most(self) -> str:
        """The greatest score."""
        assert self.decision.squared is not None
        return f"{float(self.decision.squared.most):.6g}"

    @property
    def is_one_value(self) -> bool:
        """Its functions are of the only value, and take no index."""
        return self.decision.count == 1

    @property
    def least(self) -> list[str]:
        """The thresholds in C: one for all, or one each."""
        return [integer_literal(each.least) for each in self.decision.thresholds]

    @property
    def threshold(self) -> str:
        """The one for all in real numbers."""
        return _real(self.decision.thresholds[0].real)

    @property
    def kept_member(self) -> str:
        """The name of that, where it is in the arena."""
        return self.kept.rpartition("->")[2]

    @property
    def event_words(self) -> str:
        """What an event takes, for a comment."""
        event = self.decision.event
        assert event is not None
        keys, reals = event.keys, " or ".join(map(_real, dict.fromkeys(event.reals)))
        needed, voters = keys.votes
        mean = f"the mean of its last {keys.window} results" if keys.window > 1 else "its value"
        votes = f" in {needed} of {voters} results" if voters > 1 else ""
        return f"A class is on where {mean} is the largest and reaches {reals}{votes}"

    @property
    def labels(self) -> list[str]:
        """As C literals."""
        return [c_string(label) for label in self.decision.labels]

    @property
    def questions(self) -> Iterator[tuple[str, str, str, str]]:
        """(label, its name as a function and as a macro, the threshold) of each class."""
        for index, (label, name) in enumerate(self.decision.classes):
            real = _real(self.decision.threshold(index).real)
            yield label, name.lower(), name.upper(), real


def decision_names(
    interface: Interface, decisions: Sequence[Decision], state: Callable[[str], str]
) -> tuple[DecisionNames, ...]:
    """In the order of the model's outputs; `state`: the C of a variable that is kept."""
    outputs = interface.outputs
    return tuple(
        DecisionNames(
            decision=each,
            port=outputs[each.position],
            score=None if each.score is None else outputs[each.score],
            p=(p := _prefix(outputs[each.position])),
            kept=state(f"{p.removeprefix(interface.name + '_')}kept"),
        )
        for each in decisions
    )


def event_functions(interface: Interface, decisions: Sequence[Decision]) -> tuple[str, ...]:
    """The C functions that return the class that was just recognised, one for each such output."""
    return tuple(
        f"{_prefix(interface.outputs[each.position])}event" for each in decisions if each.event
    )


def _prefix(output: Port) -> str:
    return output.accessor.replace("_output", "", 1) + "_"


def c_string(text: str) -> str:
    """A literal of the text in UTF-8: what is not plain ASCII as octal numbers, which end after
    three digits."""
    return '"' + re.sub(rb"[^ !#-/0->@-\[\]-~]", _octal, text.encode()).decode() + '"'


def _octal(found: re.Match[bytes]) -> bytes:
    return b"\\%03o" % found.group()[0]


def _real(value: Fraction) -> str:
    return f"{float(value):g}"
