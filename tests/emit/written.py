"""The C of every sample for a target, in files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_INSTRUCTIONS = re.compile(r'\b__asm(?:__)?\s*(?:\w+\s*)?\(\s*"(?!(?:\\n)*")')
"""Assembly with a word in it: none is what only keeps the compiler from a thought."""
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Written:
    """The files of every sample for a target, and the kernels and pieces that they have."""

    folder: Path
    names: tuple[str, ...]
    words: frozenset[str]

    @cached_property
    def with_assembly(self) -> frozenset[str]:
        return frozenset(name for name in self.names if _INSTRUCTIONS.search(self.text(name)))

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
