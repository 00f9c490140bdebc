"""The Fourier transform of real numbers in numpy, by KISS FFT's recursion: the transform of every
p-th number, p times, then butterflies between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tinyml_rules.ir.graph import Array, NodeView

Complex = tuple[Array, Array]
_HALF_TURN = -math.pi


@dataclass(frozen=True)
class Numbers:
    """The arithmetic of one type: of int16 or int32, all with a fraction of one bit less, or of
    float32."""

    dtype: np.dtype[np.generic]

    @property
    def is_real(self) -> bool:
        """float32."""
        return self.dtype.kind == "f"

    def fit(self, value: Array) -> Array:
        """Wrapped to the type."""
        return value if self.is_real else value.astype(self.dtype).astype(np.int64)

    def product(self, one: Array, other: Array, *, more: Array | None = None) -> Array:
        """The product, plus `more`, rounded once."""
        total = one * other if more is None else one * other + more
        if self.is_real:
            return total
        bits = self.dtype.itemsize * 8 - 1
        return self.fit((total + (1 << (bits - 1))) >> bits)

    def times(self, one: Complex, other: Complex) -> Complex:
        """A complex product."""
        return (
            self.product(one[0], other[0], more=-(one[1] * other[1])),
            self.product(one[0], other[1], more=one[1] * other[0]),
        )

    def divided(self, one: Complex, by: int) -> Complex:
        """Scaled, so that the sums of so many numbers fit; real ones are not."""
        if self.is_real:
            return one
        factor = np.int64(np.iinfo(str(self.dtype)).max // by)
        return self.product(one[0], factor), self.product(one[1], factor)

    def half(self, value: Array) -> Array:
        """The half of a number, rounded down."""
        return value * np.float32(0.5) if self.is_real else value >> 1

    def half_of_sum(self, value: Array) -> Array:
        """Of a sum; int16 is added as int."""
        return self.half(
            value if self.dtype.itemsize < np.dtype(np.int32).itemsize else self.fit(value)
        )

    def plus(self, one: Complex, other: Complex) -> Complex:
        """A sum."""
        return self.fit(one[0] + other[0]), self.fit(one[1] + other[1])

    def minus(self, one: Complex, other: Complex) -> Complex:
        """A difference."""
        return self.fit(one[0] - other[0]), self.fit(one[1] - other[1])

    def turn(self, phase: float | npt.NDArray[np.float64]) -> Complex:
        """One on the circle."""
        cosine = np.array([math.cos(each) for each in np.atleast_1d(phase)])
        sine = np.array([math.sin(each) for each in np.atleast_1d(phase)])
        if self.is_real:
            return cosine.astype(np.float32), sine.astype(np.float32)
        most = np.iinfo(str(self.dtype)).max
        return (
            np.floor(0.5 + most * cosine).astype(np.int64),
            np.floor(0.5 + most * sine).astype(np.int64),
        )

    def transform(self, values: Complex, sign: int) -> Complex:
        """Of complex numbers along the last axis."""
        count = values[0].shape[-1]
        if count == 1:
            return values
        radix = next(each for each in (4, 2, 3, 5) if count % each == 0)
        parts = []
        for place in range(radix):
            part = self.transform(
                (values[0][..., place::radix], values[1][..., place::radix]), sign
            )
            phases = sign * (2 * _HALF_TURN * np.arange(count // radix) * place / count)
            part = self.divided(part, radix)
            parts.append(self.times(part, self.turn(phases)) if place else part)
        fixed = self.turn(sign * (2 * _HALF_TURN * np.arange(radix) / radix))
        found = _BUTTERFLIES[radix](self, parts, fixed, sign)
        return (
            np.concatenate([each[0] for each in found], axis=-1),
            np.concatenate([each[1] for each in found], axis=-1),
        )


def _rotated(value: Complex, sign: int) -> Complex:
    """By a quarter of a turn."""
    return (value[1], -value[0]) if sign > 0 else (-value[1], value[0])


def _two(n: Numbers, parts: list[Complex], _fixed: Complex, _sign: int) -> list[Complex]:
    first, second = parts
    return [n.plus(first, second), n.minus(first, second)]


def _four(n: Numbers, parts: list[Complex], _fixed: Complex, sign: int) -> list[Complex]:
    zero, one, two, three = parts
    even, between = n.plus(zero, two), n.minus(zero, two)
    odd, apart = n.plus(one, three), _rotated(n.minus(one, three), sign)
    return [n.plus(even, odd), n.plus(between, apart), n.minus(even, odd), n.minus(between, apart)]


def _three(n: Numbers, parts: list[Complex], fixed: Complex, _sign: int) -> list[Complex]:
    zero, one, two = parts
    both, apart = n.plus(one, two), n.minus(one, two)
    middle = n.minus(zero, (n.half(both[0]), n.half(both[1])))
    across = n.product(apart[0], fixed[1][1]), n.product(apart[1], fixed[1][1])
    turned = -across[1], across[0]
    return [n.plus(zero, both), n.plus(middle, turned), n.minus(middle, turned)]


def _five(n: Numbers, parts: list[Complex], fixed: Complex, _sign: int) -> list[Complex]:
    zero, one, two, three, four = parts
    outer, outer_apart = n.plus(one, four), n.minus(one, four)
    inner, inner_apart = n.plus(two, three), n.minus(two, three)
    found = {0: n.plus(zero, n.plus(outer, inner))}
    for place, other in ((1, 2), (2, 1)):
        cosines, sines = (fixed[0][place], fixed[0][other]), (fixed[1][place], fixed[1][other])
        along = n.plus(
            n.plus(zero, (n.product(outer[0], cosines[0]), n.product(outer[1], cosines[0]))),
            (n.product(inner[0], cosines[1]), n.product(inner[1], cosines[1])),
        )
        first = n.product(outer_apart[1], sines[0]), n.product(outer_apart[0], sines[0])
        second = n.product(inner_apart[1], sines[1]), n.product(inner_apart[0], sines[1])
        if place == 1:
            across = first[0] + second[0], -first[1] - second[1]
        else:
            across = first[0] - second[0], second[1] - first[1]
        across = n.fit(across[0]), n.fit(across[1])
        found[place], found[5 - place] = n.minus(along, across), n.plus(along, across)
    return [found[place] for place in range(5)]


_BUTTERFLIES: Mapping[int, Callable[[Numbers, list[Complex], Complex, int], list[Complex]]] = {
    2: _two,
    3: _three,
    4: _four,
    5: _five,
}


def spectrum(values: Array, numbers: Numbers) -> Array:
    """Of real numbers along the last axis; (real part, imaginary part) one after the other."""
    n, half = numbers, values.shape[-1] // 2
    real, imaginary = n.transform((values[..., ::2], values[..., 1::2]), 1)
    first = n.divided((real[..., :1], imaginary[..., :1]), 2)
    count = half // 2
    one = n.divided((real[..., 1 : count + 1], imaginary[..., 1 : count + 1]), 2)
    places = half - np.arange(1, count + 1)
    other = n.divided((real[..., places], n.fit(-imaginary[..., places])), 2)
    total, apart = n.plus(one, other), n.minus(one, other)
    turned = n.times(apart, n.turn(_HALF_TURN * (np.arange(1, count + 1) / half + 0.5)))
    found = np.zeros((*values.shape[:-1], half + 1, 2), values.dtype)
    found[..., 1 : count + 1, 0] = n.half_of_sum(total[0] + turned[0])
    found[..., 1 : count + 1, 1] = n.half_of_sum(total[1] + turned[1])
    found[..., places, 0] = n.half_of_sum(total[0] - turned[0])
    found[..., places, 1] = n.half_of_sum(turned[1] - total[1])
    found[..., 0, 0] = n.fit(first[0] + first[1])[..., 0]
    found[..., half, 0] = n.fit(first[0] - first[1])[..., 0]
    return found.reshape(*values.shape[:-1], -1)


def signal_of(values: Array, numbers: Numbers) -> Array:
    """The real numbers of a spectrum."""
    n, half = numbers, values.shape[-1] // 2 - 1
    bins = values.reshape(*values.shape[:-1], half + 1, 2)
    real, imaginary = bins[..., 0], bins[..., 1]
    count = half // 2
    one = n.divided((real[..., 1 : count + 1], imaginary[..., 1 : count + 1]), 2)
    places = half - np.arange(1, count + 1)
    other = n.divided((real[..., places], n.fit(-imaginary[..., places])), 2)
    total, apart = n.plus(one, other), n.minus(one, other)
    turned = n.times(apart, n.turn(-_HALF_TURN * (np.arange(1, count + 1) / half + 0.5)))
    pairs = np.zeros((2, *values.shape[:-1], half), values.dtype)
    first = n.divided(
        (n.fit(real[..., 0] + real[..., half]), n.fit(real[..., 0] - real[..., half])), 2
    )
    pairs[0][..., 0], pairs[1][..., 0] = first
    pairs[0][..., 1 : count + 1], pairs[1][..., 1 : count + 1] = n.plus(total, turned)
    lower = n.minus(total, turned)
    pairs[0][..., places], pairs[1][..., places] = lower[0], n.fit(-lower[1])
    found = n.transform((pairs[0], pairs[1]), -1)
    joined = np.stack(found, axis=-1).reshape(*values.shape[:-1], -1)
    return joined / np.float32(2 * half) if n.is_real else joined


def oracle_of(*, is_inverse: bool) -> Callable[[NodeView, Mapping[int, Array]], Array]:
    """Shaped like the output."""

    def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
        dtype = view["input"].dtype.numpy
        assert dtype is not None
        numbers, source = Numbers(dtype), values[view["input"].index]
        wide = source if numbers.is_real else source.astype(np.int64)
        if is_inverse:
            return signal_of(wide, numbers).astype(dtype)
        missing = view.node.attrs.fft_length - wide.shape[-1]
        padded = np.pad(wide, [(0, 0)] * (wide.ndim - 1) + [(0, missing)])
        return spectrum(padded, numbers).astype(dtype)

    return oracle
