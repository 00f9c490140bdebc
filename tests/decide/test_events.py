"""Decisions over time, over long sequences: TFLM's RecognizeCommands, microWakeWord's sliding
window, and what the page says of each key, in fractions."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.decide.known_events import MicroWakeWord, RecognizeCommands
from tests.decide.models import decided, requantizing
from tests.decide.probes import Probe, run_probes
from tests.emit.compiled import STRICT_C, write
from tests.raw_to_decision.events import Events, Keys
from tests.raw_to_decision.exact import Quantization
from tests.support.combined import SANITIZED, target_or_skip
from tests.support.tflm import AnyArray
from tinyml_rules.errors import UsageError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import Target, load_target

RESULTS = 3000
RESET_BEFORE = 1777
PROBABILITY = (1 / 256, -128)
ODD = (0.0235, 17)
LABELS = ["silence", "unknown", "yes", "no"]


@dataclass(frozen=True)
class Decider:
    """A table of a description, and what it means: given the values of a result, its event."""

    table: Keys
    count: int
    scale: tuple[float, int]
    make: Callable[[], Callable[[list[int]], int]]
    arena: ArenaMode = ArenaMode.STATIC
    dtype: str = "int8"
    """Of the output: uint8 has the same values, 128 higher."""


def meaning(
    table: Keys, scale: tuple[float, int], labels: Sequence[str]
) -> Callable[[], Callable[[list[int]], int]]:
    """By the page."""
    tensor = Quantization(float(np.float32(scale[0])), scale[1], (-128, 127))
    found = table["threshold"]
    thresholds = [str(each) for each in (found if isinstance(found, list) else [found])]
    return lambda: Events(table, thresholds, labels, tensor).take


def by_page(table: Keys, count: int, scale: tuple[float, int], arena: ArenaMode) -> Decider:
    labels = [f"c{place}" for place in range(count)]
    return Decider(table, count, scale, meaning(table, scale, labels), arena)


def of_one(decider: MicroWakeWord) -> Callable[[list[int]], int]:
    """Of results of one value."""
    return lambda values: decider.process(values[0])


RECOGNIZE = RecognizeCommands(period_ms=100)
WAKE = MicroWakeWord(cutoff=247, window=5)
LOW = MicroWakeWord(cutoff=131, window=10, stride=1)
STATIC, CALLER = ArenaMode.STATIC, ArenaMode.CALLER
DECIDERS = {
    "recognize": Decider(
        RECOGNIZE.table, 4, PROBABILITY, lambda: RecognizeCommands(period_ms=100).process
    ),
    "wake": Decider(
        WAKE.table,
        1,
        PROBABILITY,
        lambda: of_one(MicroWakeWord(cutoff=247, window=5)),
        CALLER,
    ),
    "low": Decider(
        LOW.table,
        1,
        PROBABILITY,
        lambda: of_one(MicroWakeWord(cutoff=131, window=10, stride=1)),
    ),
    "wake_uint8": Decider(
        WAKE.table,
        1,
        PROBABILITY,
        lambda: of_one(MicroWakeWord(cutoff=247, window=5)),
        dtype="uint8",
    ),
    "plain_uint8": Decider(
        {"threshold": "0.3", "off_threshold": "0.1"},
        3,
        ODD,
        meaning({"threshold": "0.3", "off_threshold": "0.1"}, ODD, ["c0", "c1", "c2"]),
        dtype="uint8",
    ),
    "plain": by_page({"threshold": "0.3"}, 3, ODD, STATIC),
    "hysteresis": by_page(
        {"threshold": ["0.9", "1.1", "0.7"], "off_threshold": "-0.2", "debounce": 3, "window": 4},
        3,
        ODD,
        CALLER,
    ),
    "votes": by_page(
        {
            "threshold": "0.55",
            "off_threshold": ["0.25", "0.5"],
            "votes": [3, 5],
            "refractory": 9,
            "window": 6,
            "minimum_count": 2,
            "background": ["c1"],
        },
        2,
        PROBABILITY,
        STATIC,
    ),
    "waits": by_page(
        {
            "threshold": ["0.4", "0.6"],
            "refractory_ms": "64.5",
            "suppression_ms": 512,
            "period_ms": "21.5",
            "warm_up": 4,
            "restart": True,
            "window": 3,
            "minimum_count": 1,
            "round_down": True,
        },
        2,
        PROBABILITY,
        STATIC,
    ),
}


def text_of(table: Keys, labels: Sequence[str]) -> str:
    """The description."""
    lines = ["[output]", 'head = "event"', f"labels = {list(labels)}"]
    for key, value in table.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        is_number = key in ("threshold", "off_threshold")
        lines.append(f"{key} = {text.replace(chr(39), '') if is_number else text}")
    return "\n".join([*lines, ""])


def labels_of(decider: Decider) -> list[str]:
    return LABELS if decider.count == 4 else [f"c{place}" for place in range(decider.count)]


def sequence(decider: Decider, seed: int) -> AnyArray:
    """Values that stay high for a while in one class, with noise, ties and ends of the range."""
    generator = np.random.default_rng(seed)
    values = np.zeros((RESULTS, decider.count), np.int64)
    place = 0
    while place < RESULTS:
        length = int(generator.integers(1, 40))
        rows = slice(place, place + length)
        shape = values[rows].shape
        kind = generator.integers(0, 4)
        values[rows] = generator.integers(-128, 128, shape) // (1 if kind else 64)
        if kind > 1:
            values[rows] = generator.integers(-128, 20, shape)
            winner = generator.integers(0, decider.count)
            values[rows, winner] = generator.integers(60, 160, shape[0])
        place += length
    return np.clip(values, -128, 127).astype(np.int8)


def expected(decider: Decider, values: AnyArray) -> list[int]:
    """With a reset before one of the results."""
    events = []
    for rows in (values[:RESET_BEFORE], values[RESET_BEFORE:]):
        take = decider.make()
        events += [take(row.tolist()) for row in rows]
    return events


def probe_of(name: str, target: Target, folder: Path) -> Probe:
    decider = DECIDERS[name]
    model = requantizing(decider.count, decider.scale, decider.scale, dtype=decider.dtype)
    text = text_of(decider.table, labels_of(decider))
    made = decided(model, text, folder, name=name, target=target, arena=decider.arena)
    again = f"if (turn == 0 || turn == {RESET_BEFORE}) {{ {name}_reset(@); }}"
    return Probe(made, (f"{name}_event(@)",), f"static int turn; {again} turn++;")


@pytest.mark.parametrize("part", [SANITIZED, "nrf52840", "atmega328"])
def test_sequences(part: str, tmp_path: Path) -> None:
    target = target_or_skip(part)
    probes = [probe_of(name, target, tmp_path) for name in DECIDERS]
    samples = [sequence(each, seed) for seed, each in enumerate(DECIDERS.values())]
    found = run_probes(target, probes, samples, tmp_path)
    for name, values, events in zip(DECIDERS, samples, found, strict=True):
        wanted = expected(DECIDERS[name], values)
        assert events[:, 0].tolist() == wanted, name
        assert 8 < sum(event >= 0 for event in wanted) < RESULTS // 2, name


def test_memory(tmp_path: Path) -> None:
    """What is kept is in the plan, and told."""
    text = text_of(RECOGNIZE.table, LABELS)
    model = requantizing(4, PROBABILITY, PROBABILITY)
    made = decided(model, text, tmp_path, target=load_target("atmega328"))
    kept = 11 * 4 + 1 + 3 * 2
    assert made.report.event_bytes == -(-kept // 4) * 4 == made.report.state_bytes == 52
    assert made.report.interface == made.interface
    assert "void model_reset(void);" in made.files["model.h"]
    with pytest.raises(UsageError, match="the events of output 'made' have to be kept"):
        decided(model, text, tmp_path, arena=ArenaMode.SHARED)


@pytest.mark.parametrize(
    ("part", "compiler"),
    [
        ("host", ("gcc", "-std=c11", *STRICT_C)),
        ("host", ("clang", "-std=c11", *STRICT_C)),
        ("atmega328", ("avr-gcc", "-mmcu=atmega328p", "-std=gnu99", *STRICT_C)),
    ],
)
def test_no_warnings(part: str, compiler: tuple[str, ...], tmp_path: Path) -> None:
    target = target_or_skip(part)
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is missing")
    for name in DECIDERS:
        write(probe_of(name, target, tmp_path).compiled, tmp_path)
    files = [str(tmp_path / f"{name}.c") for name in DECIDERS]
    run_tool([*compiler, "-fsyntax-only", *files], where=part)
