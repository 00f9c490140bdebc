"""Sums rounded to the nearest integer: the multiplier that is found, and C with it, give what C's
`round` makes of the product with a double, for the sums around every tie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.emit.test_requantize import MAIN
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.pieces import build_around_pieces
from tests.support.stages import passed
from tinyml_rules.arithmetic.nearest_multiplier import nearest_multiplier
from tinyml_rules.errors import UnsupportedError
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.rounding import Rounding
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.cases.case import with_tensor
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.sum.cases import CASES as SUMS
from tinyml_rules.runners import run_image

MOST_SUM = 2**24
FACTORS = 60
CLAMPS = ((0, -128, 127), (-128, -128, 127), (127, -5, 100))
"""Zero point, and what is clamped to."""


def factors() -> list[float]:
    """Quotients of float32 scales, dyadic ones and their neighbours, from 2^-20 to 16."""
    generator = np.random.default_rng(4)
    scales = (10 ** generator.uniform(-3, 0, (FACTORS, 3))).astype(np.float32).astype(float)
    found = [one * other / third for one, other, third in scales]
    dyadic = [2.0**power for power in range(-20, 5)]
    return [*found, *dyadic, *(each * (1 + 2.0**-23) for each in dyadic)]


def around_ties(factor: float) -> npt.NDArray[np.int64]:
    """Sums of either sign near those that come halfway between two results."""
    halves = np.round((np.arange(0, 300, 7) + 0.5) / factor)
    sums = np.concatenate([halves + more for more in (-1, 0, 1)])
    sums = np.concatenate([sums, -sums, [0, MOST_SUM, -MOST_SUM]])
    return np.asarray(np.clip(sums, -MOST_SUM, MOST_SUM), np.int64)


def rounded(value: float) -> int:
    """C's `round`, by Python's own numbers."""
    whole = int(abs(value))
    size = whole + (abs(value) - whole >= 0.5)
    return -size if value < 0 else size


@pytest.mark.parametrize("target_name", [SANITIZED, "atmega1284p", "nrf52840"])
def test_requantize_nearest(target_name: str, tmp_path: Path) -> None:
    """On processors of 64, 8 and 32 bits, one and four at a time."""
    target = target_or_skip(target_name)
    four = Feature.REGISTERS_32 in target.features
    pieces = [f"requantize{ending}_nearest" for ending in ("", *(["_four"] if four else []))]
    image = build_around_pieces(
        target,
        tmp_path,
        main=MAIN,
        pieces=pieces,
        four=four,
        shifts=(-31, 30),
        rounding=Rounding.NEAREST,
    )
    records, expected = [], []
    for number, factor in enumerate(factors()):
        found = nearest_multiplier(factor, most_sum=MOST_SUM)
        assert found is not None
        zero_point, low, high = CLAMPS[number % 3]
        for acc in around_ties(factor).tolist()[:: 1 if target_name == SANITIZED else 5]:
            records.append((acc, *found, zero_point, low, high))
            expected.append(min(max(rounded(float(acc) * factor) + zero_point, low), high))
    data = np.array(records, "<i4").tobytes()
    output = run_image(target, image, data, invoke_symbol="apply").output
    np.testing.assert_array_equal(
        np.frombuffer(output, np.int8), np.repeat(expected, 5 if four else 1)
    )


def test_no_multiplier() -> None:
    """Sums of 3 are ties that the double rounds up, sums of 15 others that it rounds down."""
    assert nearest_multiplier(7.0 * 3.5 / 3.0) is None
    model = dense()
    for place, scale in enumerate((7.0, 3.5, 24.5, 3.0)):
        model = with_tensor(model, place, scales=(scale,))
    with pytest.raises(UnsupportedError, match="no multiplier of 31 bits rounds as LiteRT does"):
        passed(model, reference=RoundingReference.LITERT)


def test_sum_of_bytes() -> None:
    """LiteRT takes int8 for uint8, and int16 is wrong there too; uint8 is as ever."""
    with pytest.raises(UnsupportedError, match="which LiteRT's reference kernel takes for uint8"):
        passed(SUMS["image"].model, reference=RoundingReference.LITERT)
    with pytest.raises(UnsupportedError, match="kernel gives other numbers than sums, supported"):
        passed(SUMS["int16_image"].model, reference=RoundingReference.LITERT)
    assert passed(SUMS["uint8_image"].model, reference=RoundingReference.LITERT).nodes
