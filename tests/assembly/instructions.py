"""What the instructions of inline assembly do, as text.

A register is `%name` for an operand of the statement, or its name.  What no rule knows is an error:
no instruction passes for one that does nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tests.assembly import arm, avr, riscv, xtensa
from tests.assembly.effect import Effect, split

_OPERAND = re.compile(r"%[A-Za-z]?(?:\[(\w+)\]|(\d+))")
_LABELS = re.compile(r"^\s*(?:\w+:\s*)*")
_DIRECTIVES = (".syntax", ".rept", ".irp", ".endr")
_RULES: Mapping[str, Callable[[str, list[str]], Effect]] = {
    "arm": arm.effect,
    "avr": avr.effect,
    "riscv": riscv.effect,
    "xtensa": xtensa.effect,
}
"""Of a mnemonic with its operands, by architecture."""


def instructions(text: str, architecture: str) -> Iterator[Effect]:
    """Those of a statement's text, in order."""
    for line in re.split(r"[\n;]", _OPERAND.sub(lambda each: f"%{each[1] or each[2]}", text)):
        label = _LABELS.match(line)
        assert label
        words = line[label.end() :].strip()
        has_label = bool(label[0].strip())
        if words and not words.startswith(_DIRECTIVES):
            mnemonic, _, rest = words.partition(" ")
            effect = _RULES[architecture](mnemonic, split(rest))
            yield replace(effect, text=words, has_label=has_label)
        elif has_label:
            yield Effect(has_label=True)
