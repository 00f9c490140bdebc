"""The factors of KISS FFT: of a length, and of turns, rounded as it does."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

LARGEST_RADIX = 5
"""Of the butterflies that TFLM has; more need memory that its copy of KISS FFT does not get."""


def sines(angles: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.int64]:
    """The sines of angles in units of 1 / most, a half rounded up."""
    return np.array([math.floor(0.5 + most * math.sin(angle)) for angle in angles], np.int64)


QUARTER_SINE_512: Final = sines(np.arange(129) * math.pi / 256, 32767).astype(np.int16)
"""The sines of a quarter of a turn for `fft_512`."""


def radices(count: int) -> tuple[int, ...] | None:
    """The factors of a count in the order of their stages, the first one last: 4 as long as it
    divides, then 2, 3 and 5.  None if others are left."""
    found = []
    for radix in (4, 2, 3, LARGEST_RADIX):
        while count % radix == 0:
            found.append(radix)
            count //= radix
    return tuple(found) if count == 1 and found else None


def spans(factors: tuple[int, ...]) -> Iterator[int]:
    """How far the numbers of a butterfly are apart, by stage."""
    count = math.prod(factors)
    for radix in factors:
        count //= radix
        yield count


def turns(phases: list[float], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """(cosine, sine) of each phase: float32, or integers in units of the largest."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        pairs = [(math.cos(phase), math.sin(phase)) for phase in phases]
        return np.array(pairs, np.float64).astype(kind)
    most = int(np.iinfo(kind).max)
    found = [math.floor(0.5 + most * of(phase)) for phase in phases for of in (math.cos, math.sin)]
    return np.array(found, kind).reshape(-1, 2)


def complex_turns(count: int, dtype: npt.DTypeLike, *, is_inverse: bool) -> npt.NDArray[Any]:
    """Of the butterflies of `count` complex numbers: all parts of a turn."""
    sign = -1 if is_inverse else 1
    return turns([sign * (-2 * math.pi * k / count) for k in range(count)], dtype)


def real_turns(count: int, dtype: npt.DTypeLike, *, is_inverse: bool) -> npt.NDArray[Any]:
    """Of the pass between `count` complex numbers and twice as many real ones."""
    sign = -1 if is_inverse else 1
    phases = [sign * (-math.pi * ((k + 1) / count + 0.5)) for k in range(count // 2)]
    return turns(phases, dtype)
