"""SignalRfft and SignalIrfft: the Fourier transform of real numbers, as KISS FFT computes it.

`length` real numbers are half as many complex ones, which stages of butterflies transform in their
place.  Numbers are scaled before each stage, so that a spectrum of integers is 1 / length of the
mathematical one.  One more pass is between them and the spectrum, whose last bin is one more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.arithmetic.fourier import complex_turns, radices, real_turns, spans
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.options import OrderedOptions
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operands import VECTORS, Operands, plain
from tinyml_rules.ops._shared.operator import Meaning, Oracle
from tinyml_rules.ops._shared.signal import constant_inputs, options, out_of_range, work_of

TYPE_NUMBERS = {DType.INT16: 7, DType.INT32: 2, DType.FLOAT32: 0}
"""The schema's numbers of the types."""
MOST_LENGTH = 65536
_LEAST_LENGTH = 4
_HIGHEST = {DType.INT16: 15, DType.INT32: 31, DType.FLOAT32: 0}


@dataclass(frozen=True)
class Attrs(OrderedOptions):
    """The FlexBuffer's map: the number of the type, and how many real numbers are transformed."""

    T: int
    fft_length: int


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    turns: Array
    """Cosine and sine of all parts of a turn of the butterflies."""
    real_turns: Array
    radices: Array
    spans: Array
    stages: Int
    length: Int
    given: Int
    """How many values of an input there are; SignalRfft takes 0 for those after them."""
    rows: Int


@dataclass(frozen=True)
class Transform(Variant):
    """Words of the template."""

    element: str
    """C type of a value."""
    wide: str
    """C type of a product."""
    natural: str
    """C type of a sum that wraps."""
    bits: int
    """Bits after the point; 0 for real numbers."""
    is_real: bool
    """Whether the values are real numbers, not integers."""
    is_inverse: bool
    """From a spectrum."""


def operands(dtype: DType) -> Operands:
    """One type."""
    return {"input": plain(dtype, ranks=VECTORS), "output": plain(dtype)}


def check_options(view: NodeView) -> Iterator[str]:
    """The length is even, and all its factors have butterflies."""
    length = options(view).fft_length
    if not _LEAST_LENGTH <= length <= MOST_LENGTH or length % 2 or not radices(length // 2):
        yield (
            f"fft_length is {length}, expected an even number from {_LEAST_LENGTH} to "
            f"{MOST_LENGTH} without prime factors above 5"
        )


def check(view: NodeView, *, is_inverse: bool) -> Iterator[str]:
    """Vectors of the length, or shorter ones; spectra with a bin more than half of it."""
    attrs, source, result = options(view), view["input"], view.output
    number = TYPE_NUMBERS[source.dtype]
    yield from out_of_range(view, T=(number, number))
    yield from constant_inputs(view, "input")
    length, values = attrs.fft_length, source.shape[-1]
    spectrum = length + 2
    if is_inverse and values != spectrum:
        yield f"input tensor {source} has vectors of {values} values, expected {spectrum}"
    elif not is_inverse and values > length:
        yield f"input tensor {source} has vectors of {values} values, expected at most {length}"
    shape = (*source.shape[:-1], length if is_inverse else spectrum)
    if result.shape != shape:
        found = list(result.shape)
        yield f"output tensor {result} has shape {found}, expected {list(shape)}"


def prepare(view: NodeView, *, is_inverse: bool) -> Work:
    """All vectors."""
    source, length = view["input"], options(view).fft_length
    factors, dtype = radices(length // 2), str(source.dtype)
    assert factors is not None
    params = Params(
        turns=complex_turns(length // 2, dtype, is_inverse=is_inverse),
        real_turns=real_turns(length // 2, dtype, is_inverse=is_inverse),
        radices=np.array(factors, np.uint8),
        spans=np.array(list(spans(factors)), np.int16),
        stages=len(factors),
        length=length,
        given=source.shape[-1],
        rows=source.count // source.shape[-1],
    )
    return work_of(view, params)


def meaning(name: str, dtype: DType, oracle: Oracle, *, is_inverse: bool) -> Meaning:
    """For values of one type."""
    bits = _HIGHEST[dtype]
    words = Transform(
        element=dtype.c_type,
        wide=f"int{2 * dtype.bits}_t",
        natural=f"u{dtype.c_type}",
        bits=bits,
        is_real=not bits,
        is_inverse=is_inverse,
    )
    return Meaning(
        operands(dtype),
        oracle,
        lambda view: prepare(view, is_inverse=is_inverse),
        check=lambda view: check(view, is_inverse=is_inverse),
        takes=lambda view: view["input"].dtype is dtype,
        kernels=(
            Kernel(
                name=f"{name}_{dtype}",
                template=Path(__file__).parent / "kernels" / "fourier.c.j2",
                form=Form.WHOLE,
                variant=words,
            ),
        ),
    )
