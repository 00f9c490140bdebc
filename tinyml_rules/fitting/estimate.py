"""Estimates the code and the stack of a program on a kind of core, without a toolchain.

`code.json` has both for every kernel, measured in linked firmware (`generate/code_table.py`).  A
program takes what its kernels take together, and something for each further step of a kernel.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.rounding import plain_kernel
from tinyml_rules.target.part_table import same_letters
from tinyml_rules.target.target import Target, load_target

CODE_FILE = Path(__file__).with_name("code.json")


@dataclass(frozen=True)
class KernelSize:
    """More than an empty firmware: bytes of code, and of RAM that is not planned, mostly stack."""

    code_bytes: int
    ram_bytes: int


@dataclass(frozen=True)
class Error:
    """Of an estimate, what models of the zoo took at least and at most, as factors; `bytes_beside`
    that small random models took beyond either."""

    least: float
    most: float
    bytes_beside: int

    def bounds(self, estimate: int) -> tuple[int, int]:
        """Bytes at least and at most."""
        least = estimate * self.least - self.bytes_beside
        return max(0, round(least)), round(estimate * self.most) + self.bytes_beside


@dataclass(frozen=True)
class CodeTable:
    """One kind of core.  `code_bytes` and `ram_bytes` of an empty firmware; `step_bytes` of code
    for each step whose kernel another one has, too."""

    code_bytes: int
    ram_bytes: int
    step_bytes: int
    code: Error
    ram: Error
    kernels: Mapping[str, KernelSize]

    def kernel(self, name: str) -> KernelSize:
        """The one called so; of a name that was not measured, the one whose name begins most like
        it."""
        if name in self.kernels:
            return self.kernels[name]
        alike = max(self.kernels, key=lambda each: same_letters(each, name))
        return self.kernels[alike]


@dataclass(frozen=True)
class Estimate:
    """Bytes of code, and of RAM that is not planned: what is likely, the least and the most."""

    code_bytes: int
    ram_bytes: int
    least_code_bytes: int
    most_code_bytes: int
    least_ram_bytes: int
    most_ram_bytes: int


def estimate(program: Program, target: Target) -> Estimate:
    """Code and stack around the program's constants and tensors."""
    table = table_of(target.features)
    code, ram = estimated(program, table)
    return Estimate(code, ram, *table.code.bounds(code), *table.ram.bounds(ram))


def estimated(program: Program, table: CodeTable) -> tuple[int, int]:
    """Bytes of code, and of RAM that is not planned."""
    steps = program.all_steps
    kernels = [table.kernel(each) for each in {plain_kernel(step.kernel.name) for step in steps}]
    code = table.code_bytes + sum(each.code_bytes for each in kernels)
    code += table.step_bytes * (len(steps) - len(kernels))
    return code, table.ram_bytes + max((each.ram_bytes for each in kernels), default=0)


def table_of(features: frozenset[Feature]) -> CodeTable:
    """That of the kind which differs least in its features."""
    kinds = code_tables()
    return kinds[min(kinds, key=lambda each: len(each ^ features))]


@cache
def code_tables() -> Mapping[frozenset[Feature], CodeTable]:
    """{features of a kind: what was measured of it}."""
    return {load_target(name).features: _table(found) for name, found in parts_of_file().items()}


def parts_of_file() -> dict[str, dict[str, Any]]:
    """What the file has of each kind, by the target that was measured; of kernels the sizes of
    those that the kind has."""
    data = json.loads(CODE_FILE.read_text(encoding="utf-8"))
    return {
        name: {**found, "kernels": _column(data["kernels"], place)}
        for place, (name, found) in enumerate(data["kinds"].items())
    }


def _column(kernels: Mapping[str, list[Any]], place: int) -> dict[str, Any]:
    return {name: sizes[place] for name, sizes in kernels.items() if sizes[place] is not None}


def _table(found: Mapping[str, Any]) -> CodeTable:
    kernels = {name: KernelSize(*sizes) for name, sizes in found["kernels"].items()}
    errors = {name: Error(*found[name]) for name in ("code", "ram")}
    return CodeTable(**{**found, **errors, "kernels": kernels})
