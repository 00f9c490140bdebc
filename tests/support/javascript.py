"""A second opinion on test images: avr8js for AVR, the core of rp2040js for Cortex-M0 and M0+.

They share no code with simavr and QEMU.  Outputs, and what is counted of each inference, have to be
the same: avr8js's cycles are simavr's, rp2040js's instructions QEMU's, and its cycles the estimate.
"""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT
from tinyml_rules.firmware.image import Image
from tinyml_rules.runners import RunResult
from tinyml_rules.runners.job import read_addresses
from tinyml_rules.target.target import Target
from tinyml_rules.web.bundle import Emulators, find_emulators
from tinyml_rules.web.image import read_image

NPM = PROJECT / ".venv" / "npm"
_DRIVER = Path(__file__).with_name("emulate.js")
_MOST_CYCLES = 2_000_000_000
"""Of one inference; more is a firmware that hangs."""
_FEATURES = {"avr": "avr8js", "arm": "rp2040js"}
_BEYOND_M0 = {"multiply_64", "dsp", "mve"}
"""Features of a Cortex-M that the core of rp2040js does not have."""


@dataclass(frozen=True)
class Emulated:
    """What an image did; for each inference cycles, instructions, and bytes of stack."""

    output: bytes
    cycles: tuple[int, ...]
    instructions: tuple[int, ...]
    stack_bytes: int


def emulator_for(target: Target) -> str:
    """The emulator in JavaScript that knows the part's instructions, or nothing."""
    return "" if target.features & _BEYOND_M0 else _FEATURES.get(target.architecture, "")


@cache
def emulators() -> Emulators:
    """What `./tinyml check` installs."""
    return find_emulators(NPM)


@cache
def _driver(emulator: str) -> str:
    return emulators().bundle(str(_DRIVER), emulator, "--platform=node")


def emulate(target: Target, image: Image, samples: bytes, *, invoke_symbol: str) -> Emulated:
    """Run a test image on all samples."""
    assert target.test_memory is not None
    flashed = read_image(image.elf, target.test_memory)
    addresses = read_addresses(image.elf, invoke_symbol)
    bit = 1 if target.architecture == "arm" else 0
    memory = target.test_memory
    job: dict[str, Any] = {
        "part": {"flash": vars(memory.flash), "ram": vars(memory.ram)},
        "code": base64.b64encode(flashed.code).decode(),
        "vectors": flashed.symbols.get("vectors", 0),
        "input": base64.b64encode(samples).decode(),
        "invoke": addresses.invoke & ~bit,
        "mark": addresses.mark & ~bit,
        "limit": _MOST_CYCLES,
    }
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "emulate.cjs"
        script.write_text(_driver(emulator_for(target)), encoding="utf-8")
        done = subprocess.run(
            ["node", str(script)], input=json.dumps(job).encode(), capture_output=True, check=False
        )
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["status"] == 0
    cycles, instructions, stacks = zip(*found["inferences"], strict=True)
    return Emulated(base64.b64decode(found["output"]), cycles, instructions, max(stacks))


def check_with_javascript(
    target: Target, image: Image, samples: bytes, result: RunResult, *, invoke_symbol: str
) -> None:
    """Fail where the second emulator sees anything else than the runner did."""
    if not emulator_for(target):
        return
    seen = emulate(target, image, samples, invoke_symbol=invoke_symbol)
    assert seen.output == result.output, f"{image.name} on {target.name}: other outputs"
    counted = seen.cycles if result.count_unit == "cycles" else seen.instructions
    assert counted == result.counts, f"{image.name} on {target.name}: other {result.count_unit}"
    if result.count_unit == "cycles":
        assert seen.stack_bytes == result.stack_bytes
    if target.cycles and target.cycles.core == "cortex_m0plus":
        assert seen.cycles == result.estimated_cycles
