"""`fit`: the parts that have room for a model, the smallest first, without any tool."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Unpack

from tinyml_rules.api.html import table_html
from tinyml_rules.api.options import CompileOptions
from tinyml_rules.api.source import (
    AnyPath,
    Folders,
    Model,
    check_anywhere,
    request_of,
    source_of,
    target_of,
)
from tinyml_rules.api.table import Table
from tinyml_rules.errors import Way
from tinyml_rules.fitting.fit import Fit, Result, fits, smallest, ways_to_smaller
from tinyml_rules.fitting.int4 import ByInt4, by_int4
from tinyml_rules.fitting.text import SHOWN, alike, cells, fit_data, fit_lines
from tinyml_rules.request.option import Kind, Option
from tinyml_rules.request.request import Request
from tinyml_rules.system.progress import Show, quietly
from tinyml_rules.target.part_table import parts_named
from tinyml_rules.target.target import HOST

_BYTES = Option("other", Kind.NUMBER, "")


class FitResult(Table[Fit]):
    """Every part that was asked about, the smallest first, with what the model takes of it.

    Constants and tensors are exact, code and stack are estimates with bounds.
    """

    def __init__(
        self,
        name: str,
        found: Sequence[Fit],
        ways: Sequence[tuple[Fit, Way]],
        narrow: Sequence[ByInt4],
    ) -> None:
        """`name`: of the model."""
        super().__init__(found, [cells([each]) for each in found])
        self.name = name
        self.ways = tuple(ways)
        """What would make it fit on smaller parts: a part, and settings with their bytes."""
        self.by_int4 = tuple(narrow)
        """The parts for which int4 weights would be enough, in which nodes."""

    @property
    def fitting(self) -> tuple[Fit, ...]:
        """The parts that have room for sure."""
        return tuple(each for each in self if each.result is Result.FITS)

    @property
    def smallest(self) -> Fit | None:
        """The first of those."""
        return smallest(self)

    def to_json(self) -> dict[str, Any]:
        """All parts and ways, as `fit --json` prints them."""
        return {"model": self.name, **fit_data(self, self.ways, self.by_int4)}

    def text(self, *, is_all: bool = False) -> str:
        """What the command prints: the first parts that fit, or every part."""
        lines = fit_lines(self.name, self, self.ways, self.by_int4, is_all=is_all)
        return "\n".join(lines)

    def __str__(self) -> str:
        """The first parts that fit."""
        return self.text()

    def __repr__(self) -> str:
        """One line."""
        first = "" if self.smallest is None else f", the smallest is {self.smallest.part.name}"
        return f"<FitResult {self.name}: {len(self.fitting)} of {len(self)} parts fit{first}>"

    def _repr_html_(self) -> str:
        title, *_ = self.text().splitlines()
        rows = list(alike(self.fitting))
        notes = [f"and {sum(map(len, rows[SHOWN:]))} larger ones"] if rows[SHOWN:] else []
        return table_html([cells(each) for each in rows[:SHOWN]], title=title, notes=notes)


def fit(
    model: Model,
    parts: str | Sequence[str] = (),
    *,
    other_flash: int | str = 0,
    other_ram: int | str = 0,
    name: str = "",
    target_folders: Folders = (),
    options_file: AnyPath | None = None,
    progress: Show = quietly,
    **options: Unpack[CompileOptions],
) -> FitResult:
    """Find the parts on sale that have room for a model, without a compiler or an emulator.

    `parts`: the beginning of the parts' names, or several, such as `"stm32"`; without any, all
    parts.  `other_flash`, `other_ram`: bytes that the rest of the firmware takes.  The others are
    as in `compile`.

    Raises UsageError for a wrong argument, and the model's own errors, which are those of every
    part.
    """
    source = source_of(model, name)

    @cache
    def requested(target: str) -> Request:
        progress(f"{source.name}: planning for {target}")
        return request_of(source, target_of(target, target_folders), options_file, options, "fit")

    check_anywhere(requested(HOST))
    wanted = parts_named([parts] if isinstance(parts, str) and parts else parts)
    room = {
        "other_flash": _BYTES.parse(other_flash, "other-flash"),
        "other_ram": _BYTES.parse(other_ram, "other-ram"),
    }
    found = fits(requested, wanted, **room)
    ways, narrow = ways_to_smaller(requested, found), by_int4(requested, found)
    return FitResult(source.name, found, list(ways), list(narrow))
