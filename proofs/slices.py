"""A function of a model's C with all that Frama-C has to know to prove it, and nothing else: what
it names, and of functions that it calls their contracts.

Proofs by WP are modular: of a called function only its contract matters.  So two functions whose
slices are the same text have the same goals, and are proved once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

NAME = "m"
"""Of every model, so that the same C is the same text."""
OWN = f"{NAME}_kernel"
"""What the name of a kernel becomes, so that kernels of one template can be the same text."""
HEADERS = """#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/*@ assigns \\nothing;
    exits \\false; */
float __builtin_fabsf(float value);
"""
"""And what GCC has of its own, of which Frama-C knows no contract."""
_WEIGHTS = re.compile(r"^static (const int8_t \w+_weights\[\d+\]) = \{[^}]*\};$", re.MULTILINE)
_COMMENT = re.compile(r"/\*[^@](?:[^*]|\*(?!/))*\*/")
_ANNOTATION = r"/\*@(?:[^*]|\*(?!/))*\*/"
_ITEM = re.compile(
    r"^(?P<logic>/\*@ (?:predicate|lemma|logic)(?:[^*]|\*(?!/))*\*/)$"
    rf"|^struct (?P<struct>\w+) \{{(?:.|\n)*?^\}};$"
    rf"|^(?:{_ANNOTATION}\n)?(?:static )[^;{{}}=]*?\b(?P<function>{NAME}_\w+)\([^;{{}}]*\)\n"
    r"\{(?:.|\n)*?^\}$"
    rf"|^static const [^;{{}}=]*?\b(?P<table>{NAME}_\w+)(?:\[[^]]*\])* = [^;]*;$",
    re.MULTILINE,
)
_LOGIC = re.compile(r"\b(?:predicate|lemma|logic \w+) (\w+)")
_LEMMA = re.compile(r"\blemma (\w+):")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Item:
    """Something at the top level of a C file: what it defines, and its text."""

    names: tuple[str, ...]
    text: str
    is_function: bool = False
    is_logic: bool = False

    @property
    def declared(self) -> str:
        """What others see of it: of a function its contract."""
        if not self.is_function:
            return self.text
        contract, _, head = self.text.partition("\n{")[0].rpartition("*/\n")
        assert contract, f"{self.names[0]} has no contract, and is called"
        return f"{contract}*/\n{head.replace('static ', '').replace('inline ', '')};"


@dataclass(frozen=True)
class Slice:
    """`logic`: the predicates and lemmas that it names, of which those of all kernels have the same
    names everywhere; `name`: the function in its text."""

    name: str
    logic: tuple[str, ...]
    text: str


def lemmas(logic: Iterable[str]) -> Sequence[str]:
    """The names of those in texts of predicates and lemmas."""
    return [name for each in logic for name in _LEMMA.findall(each)]


def program(slices: Sequence[Slice]) -> tuple[str, Sequence[str]]:
    """A C file of them, and the names of the functions to prove, in their order."""
    texts: dict[str, None] = dict.fromkeys((HEADERS,))
    functions = []
    for number, each in enumerate(slices):
        own = partial(re.compile(rf"\b{NAME}_").sub, f"p{number}_")
        texts |= dict.fromkeys(map(own, (*each.logic, each.text)))
        functions.append(own(each.name))
    return "\n".join((*texts, "")), functions


def without_weights(text: str) -> str:
    """A model's C with tables of weights whose sizes alone are known."""
    return _WEIGHTS.sub(r"extern \1;", text)


class Parts:
    """The items of a C file."""

    def __init__(self, text: str) -> None:
        self._items = list(_items(_COMMENT.sub("", text)))

    def of(self, function: str, kernel: str) -> Slice:
        """A function of a kernel, whose name is `OWN` there."""
        own = next(each for each in self._items if each.is_function and function in each.names)
        used = {own.names[0]: own}
        todo = [own.text]
        while todo:
            words = set(_WORD.findall(todo.pop()))
            for item in self._items:
                if item.names[0] not in used and words.intersection(item.names):
                    used[item.names[0]] = item
                    todo.append(item.declared)
        renamed = partial(re.compile(rf"\b{NAME}_{kernel}(?=_|\b)").sub, OWN)
        parts = [each for each in self._items if each.names[0] in used]
        logic = tuple(renamed(each.text) for each in parts if each.is_logic)
        texts = (each.text if each is own else each.declared for each in parts if not each.is_logic)
        return Slice(renamed(function), logic, renamed("\n".join(texts)))


def _items(text: str) -> Iterator[Item]:
    for found in _ITEM.finditer(text):
        if found["function"]:
            yield Item((found["function"],), found[0], is_function=True)
        elif found["struct"] or found["table"]:
            yield Item((found["struct"] or found["table"],), found[0])
        else:
            yield Item(tuple(_LOGIC.findall(found[0])), found[0], is_logic=True)
