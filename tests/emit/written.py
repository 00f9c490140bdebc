"""The C of every sample for a target, in files, and which of them a compiler gets."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

_INSTRUCTIONS = re.compile(r'\b__asm(?:__)?\s*(?:\w+\s*)?\(\s*"(?!(?:\\n)*")')
"""Assembly with a word in it: none is what only keeps the compiler from a thought."""
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(\S+)", re.MULTILINE)
_WHOSE = re.compile(r"/\*.*?\*/|^#error .*?$", re.DOTALL | re.MULTILINE)
"""What C says of the target that it is for, and what readers are told."""
_DIGITS = re.compile(r"\d+")
_FUNCTION = re.compile(r"^[a-z_][^;={}]*\)\n\{\n.*?^\}$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Written:
    """The files of every sample for a target, and the kernels and pieces that they have."""

    folder: Path
    names: tuple[str, ...]
    words: frozenset[str]

    @cached_property
    def with_assembly(self) -> frozenset[str]:
        return frozenset(name for name in self.names if _INSTRUCTIONS.search(self.text(name)))

    @cached_property
    def of_each_assembly(self) -> frozenset[str]:
        """Those with a function with assembly that none before them has."""
        seen: set[str] = set()
        first = []
        for name in self.names:
            found = set(_functions_with_assembly(self.text(name), name))
            if found - seen:
                first.append(name)
            seen |= found
        return frozenset(first)

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.c"

    def text(self, name: str) -> str:
        return self.file(name).read_text(encoding="utf-8")

    def with_same_includes(self) -> Iterator[list[str]]:
        """Those that may be in one file, in which each still has to include whatever it needs."""
        found = defaultdict[frozenset[str], list[str]](list)
        for name in self.names:
            header = (self.folder / f"{name}.h").read_text(encoding="utf-8")
            includes = _INCLUDE.findall(f"{self.text(name)}\n{header}")
            found[frozenset(includes) - {f'"{name}.h"'}].append(name)
        yield from found.values()

    def unit(self, names: Sequence[str], folder: Path) -> Path:
        """One file with the C of some samples in it: of what is included Clang does not say that
        nobody calls it."""
        unit = folder / "unit.c"
        with unit.open("w", encoding="utf-8") as file:
            for name in names:
                # in a program of its own each has one of its size
                file.write(f"#define tinyml_shared_arena {name}_arena\n{self.text(name)}")
                file.write("#undef tinyml_shared_arena\n")
        return unit

    def in_turn(
        self,
        choices: Sequence[str],
        *,
        each: Collection[str] = (),
        among: Collection[str] | None = None,
    ) -> Iterator[tuple[str, list[str]]]:
        """Every choice, with the samples whose turn it is, of all or of some, and with each of the
        given ones."""
        of = [name for name in self.names if among is None or name in among]
        for place, choice in enumerate(choices):
            turns = set(of[place :: len(choices)])
            yield choice, [name for name in self.names if name in each or name in turns]


def _functions_with_assembly(text: str, name: str) -> Iterator[str]:
    """Under the name that they have in every model."""
    for function in _WHOSE.sub("", text).replace(name, "model").split("\n}\n"):
        if _INSTRUCTIONS.search(function):
            yield function


def _functions(text: str, name: str) -> Iterator[int]:
    """What stands for each; in those that call kernels, whatever the offsets in the arena are."""
    for function in _FUNCTION.findall(_WHOSE.sub("", text).replace(name, "model")):
        is_own = function.startswith("static ")
        yield hash(function if is_own else _DIGITS.sub("0", function))


@cache
def with_new_functions(every: tuple[Written, ...]) -> list[set[str]]:
    """Of samples for some targets, those that each makes code for: of its turns those with a
    function that none before them has, for any of the targets."""
    seen: set[int] = set()
    found = []
    for samples, turn in zip(every, whose_turn(every), strict=True):
        new = set()
        for name in (each for each in samples.names if each in turn):
            its = set(_functions(samples.text(name), name))
            if its - seen:
                new.add(name)
            seen |= its
        found.append(new)
    return found


@cache
def whose_turn(every: tuple[Written, ...]) -> list[set[str]]:
    """Of samples for some targets, those that each reads: where targets have the same C, one of
    them, not always the same."""
    places = defaultdict[tuple[str, str], list[int]](list)
    for place, samples in enumerate(every):
        for name in samples.names:
            places[name, _WHOSE.sub("", samples.text(name))].append(place)
    turns: list[set[str]] = [set() for _ in every]
    for (name, _), those in places.items():
        turns[those[zlib.crc32(name.encode()) % len(those)]].add(name)
    return turns


def turns_of(
    target_name: str,
    among: Sequence[str],
    written: Callable[[str], Written],
    *,
    choose: Callable[[tuple[Written, ...]], list[set[str]]] = whose_turn,
) -> set[str]:
    """The samples that a target compiles of what is the same for some: its own ones are written
    first, so that two processes do not wait for each other."""
    place = among.index(target_name)
    found = {name: written(name) for name in (*among[place:], *among[:place])}
    return choose(tuple(found[name] for name in among))[place]
