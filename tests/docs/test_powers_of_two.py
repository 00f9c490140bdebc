"""The table of optimize.md: what models take less where all scales are powers of two."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import PROJECT, ZooModel
from tests.support.combined import Job, Ran, measure_combined, target_or_skip
from tests.support.power_of_two import with_powers_of_two
from tests.support.stages import passed

PAGE = PROJECT / "docs" / "how-to" / "optimize.md"
PARTS = ("lm3s6965", "nrf51", "nrf52840", "riscv32imc", "esp8266")
SMALLEST = {"sine": "atmega328", "speech": "atmega1284p", "kws": "atmega1284p"}


def row(name: str, part: str, plain: Ran, shifted: Ran) -> str:
    """The line of the table."""
    figures = [
        f"{before:,} | {after:,} | {100 * (after - before) / before:.1f} %"
        for before, after in (
            (max(plain.counts), max(shifted.counts)),
            (plain.flash_bytes, shifted.flash_bytes),
        )
    ]
    return f"| {name} | {part} | {' | '.join(figures)} |"


@pytest.mark.parametrize("name", SMALLEST)
def test_table(
    name: str, zoo_model: ZooModel, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every line is what the emulators count, and what the object file of the model takes;
    `--write-pages` writes them."""
    model = zoo_model(name).read_bytes()
    graph = passed(model)
    shapes = [graph.tensors[index].shape for index in graph.inputs]
    random = np.random.default_rng(1)
    sample = b"".join(
        random.integers(-128, 128, shape).astype(np.int8).tobytes() for shape in shapes
    )
    rows = []
    for part in (SMALLEST[name], *PARTS):
        target = target_or_skip(part)
        ran: list[Ran] = []
        for kind, data in (("plain", model), ("shifted", with_powers_of_two(model))):
            folder = tmp_path / part / kind
            folder.mkdir(parents=True)
            job = Job(name, data, sample)
            ran += measure_combined(target, [job], folder=folder, models_of_a_unit=1).values()
        rows.append(row(name, part, *ran))
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("--write-pages"):
        for line in rows:
            begin = re.escape(line[: line.index("|", line.index("|", 1) + 1) + 1])
            text = re.sub(rf"^{begin}(?: [\d,]+ \|){{2}} -?[\d.]+ %.*$", line, text, flags=re.M)
        PAGE.write_text(text, encoding="utf-8")
    assert "\n".join(rows) in text
