"""One pair with a part made for the test: what does not fit, by how much, and the energy."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.matrix import Result, Row, measure_request
from benchmarks.results import progress, row_data, row_of
from tests.conftest import MODELS_FOLDER
from tests.support.hand_written import target_or_skip
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.target.equipment import Power
from tinyml_rules.target.target import Target

SINE = MODELS_FOLDER / "sine"


def sine_on(target: Target) -> Row:
    """The row of the sine's layers."""
    vectors: dict[str, Any] = dict(np.load(SINE / "vectors.npz"))
    model = (SINE / "sine.tflite").read_bytes()
    request = Request(model, "sine", target, optimize=Optimize.LAYERS)
    return measure_request(request, vectors, compiler="some gcc")


def with_memory(target: Target, *, flash_bytes: int, ram_bytes: int) -> Target:
    """The same part, and the machine for its tests, with other sizes."""
    assert target.memory
    memory = replace(
        target.memory,
        flash=replace(target.memory.flash, bytes=flash_bytes),
        ram=replace(target.memory.ram, bytes=ram_bytes),
    )
    return replace(target, memory=memory, test_memory=memory)


def test_the_closest_attempt_is_told() -> None:
    """With the figures of the linked firmware, of which the weights lie elsewhere."""
    fitting = sine_on(target_or_skip("nrf52840"))
    row = sine_on(with_memory(target_or_skip("nrf52840"), flash_bytes=512, ram_bytes=8_192))
    assert (row.result, row.settings) == (Result.DOES_NOT_FIT, "optimize=layers weights=external")
    needed = re.fullmatch(r"needs ([\d,]+) B of flash, has 512 B", row.detail)
    assert needed
    assert fitting.flash_bytes
    assert 512 < int(needed[1].replace(",", "")) < fitting.flash_bytes
    assert (
        progress(row)
        == f"sine on nrf52840 (optimize=layers weights=external): does not fit: {row.detail}"
    )


def test_every_memory_that_is_too_small_is_told() -> None:
    """With the weights elsewhere flash would do, but RAM would lack more than it does now."""
    fitting = sine_on(target_or_skip("atmega328"))
    flash, ram = fitting.flash_bytes, fitting.ram_bytes
    assert flash
    assert ram
    part = with_memory(target_or_skip("atmega328"), flash_bytes=flash - 1, ram_bytes=ram - 1)
    row = sine_on(part)
    assert (row.result, row.settings) == (Result.DOES_NOT_FIT, "optimize=layers")
    assert row.detail == (
        f"needs {flash:,} B of flash, has {flash - 1:,} B, "
        f"needs {ram:,} B of RAM, has {ram - 1:,} B"
    )


def test_a_test_image_that_does_not_fit_is_no_misfit() -> None:
    """The firmware fits, but nothing was compared."""
    fitting = sine_on(target_or_skip("nrf52840"))
    assert fitting.flash_bytes
    flash_bytes = fitting.flash_bytes + 64
    row = sine_on(with_memory(target_or_skip("nrf52840"), flash_bytes=flash_bytes, ram_bytes=8_192))
    assert row.result is Result.ERROR
    assert row.detail.startswith("sine: the firmware fits, but not the test image: needs ")


def test_energy_is_power_by_time() -> None:
    """Milliwatts by milliseconds; both of them are estimates on an emulator without cycles."""
    part = target_or_skip("nrf52840")
    row = sine_on(replace(part, power=Power(2.0, 10.0, "this test")))
    assert row.milliseconds
    assert row.microjoules == round(20 * row.milliseconds, 8)
    assert row.estimated_cycles
    assert f" instructions, ~{row.estimated_cycles:,} cycles, ~0.0" in progress(row)
    assert progress(row).endswith(" µJ")
    assert row_of(row_data(row)) == row


def test_cycles_are_no_estimate() -> None:
    """simavr knows them; the energy is one all the same."""
    part = replace(target_or_skip("atmega328"), power=Power(5.0, 9.0, "this test"))
    row = sine_on(part)
    assert row.cycles
    assert row.milliseconds == round(row.cycles / 20_000, 8)
    assert f"{row.cycles:,} cycles, 0." in progress(row)
    assert " ms, ~" in progress(row)
