"""A target of somebody's own whose flags the compiler refuses."""

from __future__ import annotations

TARGET = """\
description = "A part with a flag that no compiler knows"
parent = "cortex_m"
core = "cortex_m0"
clock_hz = 16_000_000

[memory]
flash = { origin = 0, bytes = 65_536 }
ram = { origin = 0x2000_0000, bytes = 8_192 }

[toolchain]
compile_flags = ["-mcpu=cortex-none"]

[runner]
machine = "microbit"
"""


def files() -> dict[str, bytes]:
    """Its description."""
    return {"target.toml": TARGET.encode()}
