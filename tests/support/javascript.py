"""A second opinion on test images: avr8js for AVR, the core of rp2040js for Cortex-M0 and M0+.

They share no code with simavr and QEMU.  Outputs, and what is counted of each inference, have to be
the same: avr8js's cycles are simavr's, rp2040js's instructions QEMU's, and its cycles the estimate.
"""

from __future__ import annotations

import base64
import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT
from tinyml_rules.firmware.image import Image
from tinyml_rules.runners import RunResult, run_image
from tinyml_rules.runners.job import read_addresses
from tinyml_rules.target.target import Target
from tinyml_rules.web.bundle import MODULES, Emulators, find_emulators
from tinyml_rules.web.image import read_image

NPM = PROJECT / ".venv" / "npm"
SECOND_OPINIONS = ("atmega1284p", "nrf51")
"""Where a second emulator has to see the same outputs and counts."""
_DRIVER = Path(__file__).with_name("emulate.js")
_MOST_CYCLES = 2_000_000_000
"""Of one inference; more is a firmware that hangs."""
_EMULATORS = {"avr": "avr8js", "arm": "rp2040js"}


@dataclass(frozen=True)
class Emulated:
    """What an image did; for each inference cycles, instructions, and bytes of stack."""

    output: bytes
    cycles: tuple[int, ...]
    instructions: tuple[int, ...]
    stack_bytes: int


@cache
def emulators() -> Emulators:
    """What `./tinyml check full` installs."""
    return find_emulators(NPM)


@cache
def _driver(emulator: str) -> str:
    return emulators().bundle(str(_DRIVER), emulator, "--platform=node")


def emulate(target: Target, image: Image, samples: bytes, *, invoke_symbol: str) -> Emulated:
    """Run a test image of an AVR, or of a Cortex-M0 or M0+, on all samples."""
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
        script.write_text(_driver(_EMULATORS[target.architecture]), encoding="utf-8")
        command = ["node", str(script)]
        text = json.dumps(job).encode()
        done = subprocess.run(command, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["status"] == 0
    cycles, instructions, stacks = zip(*found["inferences"], strict=True)
    return Emulated(base64.b64decode(found["output"]), cycles, instructions, max(stacks))


def runner_for(target_name: str) -> Callable[..., RunResult]:
    """`run_twice` on the parts of SECOND_OPINIONS, else `run_image`, and so there too where the
    packages are not installed: the quick tests do without, and of all tests
    tests/runners/test_second_emulators.py then fails."""
    is_twice = target_name in SECOND_OPINIONS and (NPM / MODULES).is_dir()
    return run_twice if is_twice else run_image


def run_twice(
    target: Target, image: Image, samples: bytes, *, invoke_symbol: str | None = None
) -> RunResult:
    """`run_image`, and a failure where the second emulator sees anything else."""
    result = run_image(target, image, samples, invoke_symbol=invoke_symbol)
    seen = emulate(target, image, samples, invoke_symbol=invoke_symbol or image.invoke_symbol)
    what = f"{image.name} on {target.name}: other"
    assert seen.output == result.output, f"{what} outputs"
    counted = seen.cycles if result.count_unit == "cycles" else seen.instructions
    assert counted == result.counts, f"{what} {result.count_unit}"
    if result.count_unit == "cycles":
        assert seen.stack_bytes == result.stack_bytes, f"{what} stack"
    if target.cycles and target.cycles.core == "cortex_m0plus":
        assert seen.cycles == result.estimated_cycles, f"{what} estimated cycles"
    return result
