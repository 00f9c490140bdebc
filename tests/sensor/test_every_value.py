"""Random descriptions, every raw value, as C: the values are those of other arithmetic."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.sensor.descriptions import Drawn, draw
from tests.sensor.images import Case, compiled, described, identity, run_cases
from tests.sensor.meaning import expected, packed
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.target.target import Target

COUNT = 45


def case_of(
    drawn: Drawn,
    name: str,
    target: Target,
    folder: Path,
    *,
    samples: int,
    optimize: Optimize = Optimize.BALANCED,
) -> tuple[Case, AnyArray]:
    """A case with raw values of the whole range in `samples` at a time, and what it has to give."""
    shape = (1, samples, drawn.channels)
    model = identity(shape, scale=drawn.scale, zero_point=drawn.zero_point)
    sensor = described(drawn.table, folder, name=name)
    turns = -(-drawn.raw.size // samples)
    # each channel from another one on, the last values once more where a call needs them
    raw = np.stack([np.roll(drawn.raw, 7 * channel) for channel in range(drawn.channels)], axis=1)
    raw = np.resize(raw, (turns * samples, drawn.channels))
    rng = np.random.default_rng(1)
    calls = raw.reshape(turns, samples, drawn.channels)
    data = b"".join(packed(drawn.table, call, rng) for call in calls)
    case = Case(name, compiled(name, model, target, sensor, optimize=optimize), data)
    values = expected(drawn.table, raw, scale=drawn.scale, zero_point=drawn.zero_point)
    return case, values


@pytest.mark.parametrize("reference", ["float32", "exact"])
def test_all_on_the_host(reference: str, tmp_path: Path) -> None:
    """8 to 16 bits, all layouts, all forms; where code is to be small too."""
    target, rng = target_or_skip(SANITIZED), random.Random(reference)  # noqa: S311 - not for secrets
    cases, wanted = [], {}
    for number in range(COUNT):
        bits, channels = 8 + number % 9, rng.choice([1, 1, 2, 3])
        drawn = draw(rng, bits=bits, reference=reference, channels=channels)
        optimize = rng.choice([Optimize.BALANCED, Optimize.SIZE])
        name, samples = f"m{number}", min(drawn.raw.size, 4096)
        case, values = case_of(drawn, name, target, tmp_path, samples=samples, optimize=optimize)
        cases.append(case)
        wanted[name] = values
    found = run_cases(target, cases, tmp_path)
    for case in cases:
        assert np.array_equal(found[case.name].of("int8"), wanted[case.name].reshape(-1)), case.name
    assert set(Counter(case.form for case in cases)) >= {"line", "steps", "table"}
