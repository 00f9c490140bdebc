"""Every check of the format, with its message: files that no writer writes."""

from __future__ import annotations

import pytest

from tests.model_file.small import DATA, operators, relu
from tests.support.patch import (
    field_position,
    model_table,
    patch,
    subgraph_table,
    target_position,
    vtable_position,
)
from tests.support.raw_model import RawModel, build_raw
from tests.support.stages import read
from tinyml_rules.errors import ModelError, TinymlError
from tinyml_rules.model_file.writer import OperatorSpec, build_model

TENSOR = subgraph_table(DATA).Tensors(0)
TWO_CODES = build_model(operators(relu(0, 3), OperatorSpec("ADD", (3, 3), (2,))))
"""The RELU has the second operator code: codes stand in alphabetical order."""

SIZE = f"lie outside the file of {len(DATA):,} bytes"
FORMAT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "0 bytes are too few for a file of this format"),
    "a few bytes": (b"TFL3", "4 bytes are too few for a file of this format"),
    "identifier": (
        DATA[:4] + b"TFL2" + DATA[8:],
        "file identifier b'TFL2', expected b'TFL3'",
    ),
    "another format": (b"<!DOCTYPE html>", "file identifier b'CTYP', expected b'TFL3'"),
    "identifier alone": (
        patch(DATA[:8], 0, "I", 8),
        "4 bytes at offset 8 lie outside the file of 8 bytes",
    ),
    "root offset": (patch(DATA, 0, "I", 2**32 - 4), f"4 bytes at offset 4294967292 {SIZE}"),
    "vtable before the file": (
        patch(DATA, TENSOR._tab.Pos, "i", 2**30),
        f"2 bytes at offset {TENSOR._tab.Pos - 2**30} {SIZE}",
    ),
    "odd vtable": (
        patch(DATA, vtable_position(TENSOR), "H", 5),
        f"the vtable at offset {vtable_position(TENSOR)} has a broken size",
    ),
    "small vtable": (
        patch(DATA, vtable_position(TENSOR), "H", 2),
        f"the vtable at offset {vtable_position(TENSOR)} has a broken size",
    ),
    "large vtable": (
        patch(DATA, vtable_position(TENSOR), "H", 65534),
        f"65,534 bytes at offset {vtable_position(TENSOR)} {SIZE}",
    ),
    "large table": (
        patch(DATA, vtable_position(TENSOR) + 2, "H", 65535),
        f"65,535 bytes at offset {TENSOR._tab.Pos} {SIZE}",
    ),
    "field behind its table": (
        patch(DATA, vtable_position(TENSOR) + 4 + 2 * 3, "H", 60),
        f"field 3 of the table at offset {TENSOR._tab.Pos} lies outside it",
    ),
    "field in its table's head": (
        patch(DATA, vtable_position(TENSOR) + 4 + 2 * 3, "H", 2),
        f"field 3 of the table at offset {TENSOR._tab.Pos} lies outside it",
    ),
    "length of a vector": (
        patch(DATA, target_position(TENSOR, 0), "I", 2**31),
        f"{2**33:,} bytes at offset {target_position(TENSOR, 0) + 4} {SIZE}",
    ),
    "offset of a string": (
        patch(DATA, field_position(TENSOR, 3), "I", 2**31),
        f"4 bytes at offset {field_position(TENSOR, 3) + 2**31} {SIZE}",
    ),
    "number of tensors": (
        patch(DATA, target_position(subgraph_table(DATA), 0), "I", 2**32 - 1),
        f"{4 * (2**32 - 1):,} bytes at offset "
        f"{target_position(subgraph_table(DATA), 0) + 4} {SIZE}",
    ),
}
NUMBERS: dict[str, tuple[bytes, str]] = {
    "type": (
        patch(DATA, field_position(TENSOR, 1), "b", 21),
        "tensor #0 'input' has unknown type 21",
    ),
    "negative type": (
        patch(DATA, field_position(TENSOR, 1), "b", -1),
        "tensor #0 'input' has unknown type -1",
    ),
    "buffer": (
        patch(DATA, field_position(subgraph_table(DATA).Tensors(1), 2), "I", 3),
        "tensor #1 'weights' names buffer 3 of 3",
    ),
    "operator code": (
        patch(TWO_CODES, field_position(subgraph_table(TWO_CODES).Operators(0), 0), "I", 2),
        "node 0 names operator code 2 of 2",
    ),
    "no sub-graph": (patch(DATA, target_position(model_table(DATA), 2), "I", 0), "no sub-graph"),
    "bytes behind the file": (
        build_raw(RawModel(external=(100_000, 4))),
        "tensor #2 'spare' has its bytes at offset 100000, outside the file",
    ),
    "bytes far behind the file": (
        build_raw(RawModel(external=(2**64 - 1, 4))),
        "tensor #2 'spare' has its bytes at offset 18446744073709551615, outside the file",
    ),
}


@pytest.mark.parametrize("name", FORMAT)
def test_broken_format(name: str) -> None:
    """What is no flatbuffer."""
    data, message = FORMAT[name]
    with pytest.raises(ModelError) as caught:
        read(data)
    assert str(caught.value) == f"model: error: broken model file: {message}"


@pytest.mark.parametrize("name", NUMBERS)
def test_broken_numbers(name: str) -> None:
    """What no writer writes."""
    data, message = NUMBERS[name]
    with pytest.raises(ModelError) as caught:
        read(data)
    assert str(caught.value) == f"model: error: {message}"


def test_small_file_that_unfolds() -> None:
    """Offsets that lead many nodes to one with many inputs: refused after a bounded effort."""
    nodes = [relu(0, 3)] * 300 + [OperatorSpec("RELU", (-1,) * 3000, (3,))]
    data = build_model(operators(*nodes))
    vector = target_position(subgraph_table(data), 3)
    last = subgraph_table(data).Operators(300)._tab.Pos
    for index in range(300):
        entry = vector + 4 + 4 * index
        data = patch(data, entry, "I", last - entry)
    with pytest.raises(ModelError) as caught:
        read(data)
    assert str(caught.value) == (
        "model: error: broken model file: its tables refer to the same bytes repeatedly"
    )


def test_every_truncation() -> None:
    """Cut anywhere, the file is refused."""
    for size in range(len(DATA)):
        with pytest.raises(TinymlError):
            read(DATA[:size])
