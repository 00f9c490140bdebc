"""What a model's self test compares: the CRC-32 of its constants, kind by kind, and of outputs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tinyml_rules.arithmetic.pseudo_random import INCREMENT, MULTIPLIER, SEED
from tinyml_rules.emit.parts import Part
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Program
from tinyml_rules.ir.table import Table
from tinyml_rules.surroundings.self_test import bytes_in_memory

CANARY = 0x6B43E1D5
"""What a program for AVR has at the end of its stack (`firmware/tinyml_stack_guard.h`)."""


@dataclass(frozen=True)
class Constants:
    """Tables of one kind of memory, by their C names, and the CRC-32 of all their bytes, which goes
    on from that of the kind before."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    is_far: bool
    crc: int


@dataclass(frozen=True)
class SelfTest:
    """The words of the templates."""

    constants: tuple[Constants, ...]
    external_bytes: int
    external_crc: int
    outputs_crc: int
    canary: int
    multiplier: int = MULTIPLIER
    increment: int = INCREMENT
    seed: int = SEED


def self_test_of(
    parts: Sequence[Part], program: Program, expected_crc: int | None
) -> SelfTest | None:
    """`expected_crc`: of the outputs; without one there is no self test."""
    if expected_crc is None:
        return None
    return SelfTest(
        constants=constants_of(parts),
        external_bytes=len(program.external),
        external_crc=zlib.crc32(program.external),
        outputs_crc=expected_crc,
        canary=CANARY if Feature.AVR in program.features else 0,
    )


def constants_of(parts: Sequence[Part]) -> tuple[Constants, ...]:
    """Those that the file has, near ones first."""
    tables = list(_tables(parts))
    found, crc = [], 0
    for is_far in (False, True):
        chosen = [(name, table) for name, table in tables if table.is_far is is_far]
        for _, table in chosen:
            crc = zlib.crc32(bytes_in_memory(table.values), crc)
        if chosen:
            found.append(Constants(*_named(chosen), is_far, crc))
    return tuple(found)


def _named(
    tables: Sequence[tuple[str, Table]],
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return tuple(name for name, _ in tables), tuple(table.values.nbytes for _, table in tables)


def table_names(parts: Sequence[Part]) -> dict[object, str]:
    """The C name of each table by its key: that of the first step that has it."""
    names: dict[object, str] = {}
    for part in parts:
        for step in part.steps:
            node = part.names.node(step).removeprefix("&")
            for member, table in step.tables.items():
                names.setdefault(table.key, f"{node}_{member}")
    return names


def _tables(parts: Sequence[Part]) -> Iterator[tuple[str, Table]]:
    names = table_names(parts)
    tables: Mapping[object, Table] = {
        table.key: table for part in parts for step in part.steps for table in step.tables.values()
    }
    for key, name in names.items():
        yield name, tables[key]
