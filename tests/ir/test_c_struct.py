"""Members of C structs: their types and ranges, and what they become in C."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from tinyml_rules.emit.c_text import struct_declaration, struct_initialiser
from tinyml_rules.ir.c_struct import Float32, Int, Int8, Int32, Result, Short
from tinyml_rules.ir.graph import Array


@dataclass(frozen=True, eq=False)
class Params:
    """A member of each kind; `shift` is a number or a table."""

    table: Array
    slope: Float32
    shift: Int8 | Array
    count: Int
    least: Int32


PARAMS = Params(np.array([1, 2], np.int16), 0.75, -3, 7, -(2**31))


def test_text() -> None:
    """A real member is a float literal; a table is a pointer."""
    assert struct_declaration("s", PARAMS, prefix="p_", pointer="__flash ", far="").split("\n") == [
        "struct s {",
        "    const int16_t __flash *table;",
        "    float slope;",
        "    int8_t shift;",
        "    int count;",
        "    int32_t least;",
        "};",
    ]
    assert struct_initialiser(PARAMS, {"table": "t"}).split("\n") == [
        "{",
        "    .table = t,",
        "    .slope = 0.75f,",
        "    .shift = -3,",
        "    .count = 7,",
        "    .least = (-2147483647 - 1),",
        "}",
    ]


@dataclass(frozen=True, eq=False)
class Clamp:
    """A member whose type follows from its number."""

    most: Result


def test_result_of_two_types() -> None:
    """int8 unless the number says that it is of int16."""
    found = [
        struct_declaration("s", Clamp(number), prefix="", pointer="", far="").split("\n")[1]
        for number in (100, Short(100))
    ]
    assert found == ["    int8_t most;", "    int16_t most;"]
    with pytest.raises(AssertionError, match="outside int8_t"):
        struct_declaration("s", Clamp(300), prefix="", pointer="", far="")


def test_table_or_number() -> None:
    """The type of such a member is that of its value."""
    params = replace(PARAMS, shift=np.array([1], np.int8))
    assert "    const int8_t *shift;" in struct_declaration(
        "s", params, prefix="", pointer="", far=""
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shift": 128}, "Params.shift is 128, outside int8_t"),
        ({"least": 2**31}, "Params.least is 2147483648, outside int32_t"),
        ({"count": 0.75}, "Params.count is 0.75, expected an integer"),
        ({"slope": 0.1}, "Params.slope is 0.1, no float32"),
    ],
)
def test_ranges(changes: dict[str, float], message: str) -> None:
    """A number that its member does not hold is our own mistake, and is found."""
    with pytest.raises(AssertionError, match=message):
        struct_initialiser(replace(PARAMS, **changes), {"table": "t"})  # type: ignore[arg-type]
