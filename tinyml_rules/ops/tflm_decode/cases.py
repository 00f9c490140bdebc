"""Cases of TFLM_DECODE: each kind of codes, widths, channels along either end, many constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec
from tinyml_rules.ops._shared.cases.case import (
    AnyArray,
    Case,
    Rejected,
    random,
    random_case,
    with_tensor,
)
from tinyml_rules.ops._shared.cases.moving import with_an_input

Scales = tuple[float, ...]


def header(kind: int, **others: int) -> list[int]:
    """16 bytes; `others` by the name b and the number of the byte."""
    first = {"b0": kind, "b1": 1, "b4": 1, **others}
    return [first.get(f"b{place}", 0) for place in range(16)]


def _bytes_of(bits: Sequence[int]) -> AnyArray:
    return np.packbits(np.array(bits, np.uint8))


def node(
    codes: AnyArray,
    head: Sequence[int],
    tables: AnyArray,
    output: TensorSpec,
    *,
    copies: int = 1,
) -> ModelSpec:
    """A node with one output, or with several that are the same."""
    data = np.concatenate([np.array(head, np.uint8), np.frombuffer(tables.tobytes(), np.uint8)])
    tensors = (
        TensorSpec("codes", codes.shape, "uint8", data=codes),
        TensorSpec("tables", data.shape, "uint8", data=data),
        *(replace(output, name=f"output {place}") for place in range(copies)),
    )
    outputs = tuple(range(2, 2 + copies))
    operator = OperatorSpec("CUSTOM", (0, 1) * copies, outputs, custom_code="TFLM_DECODE")
    return with_an_input(ModelSpec(tensors, (operator,), (), outputs))


def _output(shape: tuple[int, ...], dtype: str, scales: Scales, axis: int) -> TensorSpec:
    zero_points = (0,) * len(scales)
    return TensorSpec("output", shape, dtype, scales=scales, zero_points=zero_points, axis=axis)


def table(
    *,
    width: int = 4,
    dtype: str = "int8",
    shape: tuple[int, ...] = (3, 10),
    channels: int = 1,
    axis: int = 0,
    seed: int = 1,
    copies: int = 1,
) -> ModelSpec:
    """Values that are looked up."""
    generator, stride = random(seed), 2**width
    count = int(np.prod(shape))
    codes = generator.integers(0, stride, count)
    bits = [code >> place & 1 for code in codes.tolist() for place in range(width)[::-1]]
    values = generator.integers(0, 2 if dtype == "bool" else 100, stride * channels).astype(dtype)
    scales = () if dtype in ("bool", "float32", "int64") else (0.5,) * channels
    output = _output(shape, dtype, scales, axis)
    padded = np.pad(_bytes_of(bits), (0, 16))
    return node(padded, header(0, b5=width, b6=stride % 256), values, output, copies=copies)


def pruned(
    *,
    dtype: str = "int8",
    shape: tuple[int, ...] = (4, 9),
    zero_points: tuple[int, ...] = (0,),
    axis: int = 0,
    seed: int = 1,
) -> ModelSpec:
    """Values of which those are left out that are the zero point."""
    generator, count = random(seed), int(np.prod(shape))
    bits = generator.integers(0, 2, count).tolist()
    values = generator.integers(0, 2 if dtype == "bool" else 100, sum(bits) + 1).astype(dtype)
    scales = () if dtype in ("bool", "float32", "int64") else (0.5,) * len(zero_points)
    output = _output(shape, dtype, scales, axis)
    if scales:
        output = replace(output, zero_points=zero_points)
    return node(_bytes_of(bits), header(2), values, output)


def entry(count: int, value: int, *, is_symbol: bool, size: int) -> int:
    """An entry of a Huffman table, of so many bytes."""
    shift = 11 if size == 2 else 27
    mask = 255 if size == 2 else 65535
    return is_symbol << (shift + 4) | count << shift | (value & mask if is_symbol else value)


def huffman(*, dtype: str = "int8", size: int = 2, count: int = 40, seed: int = 1) -> ModelSpec:
    """Codes 0, 10, 110 and 111, the first table for two bits, the second for one more."""
    symbols = (5, -7, 100, -128) if dtype == "int8" else (5, -700, 30000, -32768)
    codes = ((0,), (1, 0), (1, 1, 0), (1, 1, 1))
    drawn = random(seed).integers(0, 4, count).tolist()
    bits = [bit for each in drawn for bit in codes[each]]
    tables = [
        *[entry(1, symbols[0], is_symbol=True, size=size)] * 2,
        entry(2, symbols[1], is_symbol=True, size=size),
        entry(0, 1, is_symbol=False, size=size),
        entry(1, symbols[2], is_symbol=True, size=size),
        entry(1, symbols[3], is_symbol=True, size=size),
    ]
    words = np.pad(_bytes_of(bits), (0, 8))
    head = header(1, b5=1 << 4 | (size == 4))
    output = _output((count,), dtype, (0.5,), 0)
    return node(words[: len(words) // 4 * 4], head, np.array(tables, f"u{size}"), output)


_TYPES = ("int8", "int16", "int32", "int64", "bool", "float32")
_MODELS: Mapping[str, ModelSpec] = {
    **{f"width_{width}": table(width=width, shape=(5, 37)) for width in range(1, 8)},
    **{f"table_of_{dtype}": table(dtype=dtype, width=3) for dtype in _TYPES},
    "channels": table(shape=(4, 33), channels=4),
    "channels_of_two_bits": table(shape=(4, 33), channels=4, width=2),
    "channels_of_three_bits": table(shape=(4, 67), channels=4, width=3),
    "last_channels": table(shape=(5, 2, 3), channels=3, axis=2),
    "three_of_a_kind": table(copies=3),
    **{f"pruned_{dtype}": pruned(dtype=dtype) for dtype in _TYPES},
    "pruned_zero_point": pruned(zero_points=(-7,)),
    "pruned_channels": pruned(zero_points=(-7, 3, 0, 127)),
    "pruned_last_channels": pruned(shape=(5, 4), zero_points=(-7, 3, 0, 127), axis=1),
    "huffman": huffman(),
    "huffman_of_32_bits": huffman(size=4),
    "huffman_of_int16": huffman(dtype="int16", size=4),
    "huffman_of_one": huffman(count=1),
}
CASES = {name: random_case(model) for name, model in _MODELS.items()}


def _rejected(text: str, model: ModelSpec, **changes: Any) -> Rejected:
    """With other bytes of the header (b0 ...), or other `codes`."""
    codes, data = changes.pop("codes", None), model.tensors[1].data
    assert isinstance(data, np.ndarray)
    for name, value in changes.items():
        data = data.copy()
        data[int(name[1:])] = value
    model = with_tensor(model, 1, data=data)
    if codes is not None:
        model = with_tensor(model, 0, data=codes, shape=codes.shape)
    model = replace(model, inputs=(len(model.tensors) - 1,))
    return Rejected(model, (f"output tensor #2 'output 0' cannot be decoded: {text}",))


_FEW = np.zeros(1, np.uint8)
REJECTED = {
    "custom": _rejected("code 127, expected one of 0, 1, 2", table(), b0=127),
    "version": _rejected("version 2 of a table of values, expected 1", table(), b4=2),
    "no_width": _rejected("codes of 0 bits", table(), b5=0),
    "few_codes": _rejected("1 bytes of codes, expected 15", table(), codes=_FEW),
    "stride": _rejected(
        "place 603 of a table of 64 values", table(channels=4, shape=(4, 1), seed=3), b6=200
    ),
    "few_bits": _rejected("1 bytes of codes, expected 5", pruned(), codes=_FEW),
    "few_values": _rejected(
        "a table of 17 values, expected 36", pruned(), codes=np.full(5, 255, np.uint8)
    ),
    "huffman_ends": _rejected(
        "Huffman codes that end before the last value",
        huffman(),
        codes=np.full(4, 255, np.uint8),
    ),
    "huffman_outside": _rejected(
        "entry 15 of 6 in Huffman tables", huffman(), b5=3 << 4, codes=np.full(4, 255, np.uint8)
    ),
    "huffman_of_int16": _rejected(
        "Huffman tables of 16 bits, expected 32 for int16", huffman(dtype="int16", size=4), b5=0
    ),
}


@st.composite
def _models(draw: st.DrawFn) -> ModelSpec:
    """Any kind, type and shape."""
    shape, seed = (draw(st.integers(1, 5)), draw(st.integers(1, 70))), draw(st.integers(0, 99))
    dtype = draw(st.sampled_from(_TYPES))
    kind = draw(st.integers(0, 2))
    if kind == 0:
        return table(width=draw(st.integers(1, 7)), dtype=dtype, shape=shape, seed=seed)
    if kind == 1:
        return huffman(count=shape[1], seed=seed)
    return pruned(dtype=dtype, shape=shape, seed=seed)


MODELS: st.SearchStrategy[Case] = _models().map(random_case)
