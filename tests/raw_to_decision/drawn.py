"""Random descriptions over all that the file format knows, each with a small model."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from tests.raw_to_decision.exact import Meaning, Quantization, interesting
from tests.raw_to_decision.heads import Heads
from tests.raw_to_decision.random_heads import draw_heads
from tests.raw_to_decision.random_inputs import (
    Converter,
    Toml,
    random_converter,
    random_layout,
    random_numbers,
    random_quantization,
)
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model

VALUES = 40
"""Raw values of a channel from all over its range, before those where the result changes."""
WIDE = 0.4
"""Of sensors that see a little more than the model."""


@dataclass(frozen=True)
class Drawn:
    """A description with its model, and what both mean.

    `raws`: of each channel the raw values to try, all of the range; `wild`: any of the type.
    """

    name: str
    model: bytes
    input_table: Toml
    heads: Heads
    meanings: tuple[Meaning, ...]
    made: Quantization
    dtype: str
    samples: int
    rows: int
    raws: tuple[tuple[int, ...], ...]
    wild: tuple[int, ...]
    optimize: Optimize
    arena: ArenaMode
    is_identity: bool
    """The output has the input's bytes."""

    @property
    def channels(self) -> int:
        """How many there are."""
        return len(self.meanings)


def draw(seed: int, number: int) -> Drawn:
    """The description of that number."""
    rng = random.Random(f"{seed}/{number}")  # noqa: S311 - not for secrets
    is_wide = rng.random() < WIDE
    converter, table = random_converter(rng, is_wide=is_wide)
    dtype = "int8" if is_wide else rng.choice(["int8"] * 6 + ["uint8", "int16", "int16"])
    sizes = channels, samples, rows = _sizes(rng, dtype, is_wide=is_wide)
    numbers, more = random_numbers(rng, converter, channels, is_wide=is_wide)
    is_variance, is_exact = "variance" in more, rng.random() < 0.4
    reference: Toml = {"reference": "exact"} if is_exact else {}
    table |= more | reference | random_layout(rng, table, channels, samples)
    words = {"is_variance": is_variance, "is_wide": is_wide}
    given = random_quantization(rng, converter, numbers, dtype, **words)
    is_identity = dtype != "int8" or (not rows and rng.random() < 0.4)
    made = given if is_identity else _other(rng, given, is_shifted=rows > 0)
    is_flat = is_identity and dtype == "int8" and rng.random() < 0.9
    if is_flat and channels > 1 and rng.random() < 0.3:
        table["channels"] = channels
    meanings = tuple(Meaning(each, is_variance, is_exact, given) for each in numbers)
    count = channels * samples * max(rows, 1)
    is_said = "channels" in table
    heads = _heads(rng, (given, made), sizes, dtype, is_identity=is_identity)
    return Drawn(
        name=f"m{number}",
        model=_model((given, made), sizes, dtype, is_identity=is_identity, is_flat=is_said),
        input_table=table,
        heads=heads,
        meanings=meanings,
        made=made,
        dtype=dtype,
        samples=samples,
        rows=rows,
        raws=tuple(_raws(rng, each, converter) for each in meanings),
        wild=tuple(rng.randint(*converter.of_type) for _ in range(count)),
        optimize=rng.choice([Optimize.BALANCED, Optimize.SIZE, Optimize.LAYERS]),
        arena=rng.choice([ArenaMode.STATIC, ArenaMode.STATIC, ArenaMode.CALLER]),
        is_identity=is_identity,
    )


def _sizes(rng: random.Random, dtype: str, *, is_wide: bool) -> tuple[int, int, int]:
    """Channels, samples, and rows that are pushed; 0 of them: the input is filled as a whole."""
    channels = 1 if is_wide else rng.choice([1, 1, 2, 3, 5])
    samples = rng.randint(1, 8)
    is_pushed = dtype == "int8" and rng.random() < 0.15
    return channels, samples, rng.randint(2, 4) if is_pushed else 0


def _heads(
    rng: random.Random,
    quantized: tuple[Quantization, Quantization],
    sizes: tuple[int, int, int],
    dtype: str,
    *,
    is_identity: bool,
) -> Heads:
    """For an output of these sizes, mostly some."""
    if dtype != "int8" or rng.random() >= 0.85:
        return Heads()
    channels, samples, rows = sizes
    count = channels * samples * max(rows, 1)
    is_vector = is_identity or count == max(sizes)
    has_whole = not (rows or is_identity)
    return draw_heads(rng, count, *quantized, is_vector=is_vector, has_whole=has_whole)


def _other(rng: random.Random, given: Quantization, *, is_shifted: bool) -> Quantization:
    """`is_shifted`: with the same scale, so that the values are those of the input, moved."""
    factor = 1 if is_shifted else rng.choice([1, 0.5, 1.7, 0.9])
    scale = float(np.float32(given.scale * factor))
    return Quantization(scale, rng.randint(-128, 127), given.limits)


def _model(
    quantized: tuple[Quantization, Quantization],
    sizes: tuple[int, int, int],
    dtype: str,
    *,
    is_identity: bool,
    is_flat: bool,
) -> bytes:
    """RESHAPE to a vector, or QUANTIZE to another quantization; `is_flat`: the last dimension is
    not the channels."""
    channels, samples, rows = sizes
    shape: tuple[int, ...] = (1, rows, samples, channels) if rows else (1, samples, channels)
    shape = (1, samples * channels) if is_flat else shape
    flat = (channels * samples,)
    tensors = [
        TensorSpec(name, form, dtype, scales=(each.scale,), zero_points=(each.zero_point,))
        for name, form, each in zip(
            ("given", "made"), (shape, flat if is_identity else shape), quantized, strict=True
        )
    ]
    if not is_identity:
        operator = OperatorSpec("QUANTIZE", (0,), (1,))
        return build_model(ModelSpec(tuple(tensors), (operator,), (0,), (1,)))
    tensors.append(TensorSpec("shape", (1,), "int32", data=np.array(flat, np.int32)))
    operator = OperatorSpec("RESHAPE", (0, 2), (1,))
    return build_model(ModelSpec(tuple(tensors), (operator,), (0,), (1,)))


def _raws(rng: random.Random, meaning: Meaning, converter: Converter) -> tuple[int, ...]:
    """Some of the range, its ends, and where the value changes."""
    first, last = converter.span
    if last - first < 2 * VALUES:
        found = list(range(first, last + 1))
    else:
        some = {first, last, *(rng.randint(first, last) for _ in range(VALUES))}
        found = interesting(meaning, sorted(some))
    rng.shuffle(found)
    return tuple(found)
