"""Models written by hand: `pair`, with its meaning in Python, and small ones that misbehave."""

from __future__ import annotations

from pathlib import Path

import pytest

from tinyml_rules.firmware.build import build_image
from tinyml_rules.firmware.image import Image, Kind
from tinyml_rules.ir.interface import Interface, Port
from tinyml_rules.target.missing import install_command, missing_tools
from tinyml_rules.target.target import Target, load_target

DATA = Path(__file__).with_name("data")
PROJECT = Path(__file__).parents[2]
CACHE = PROJECT / "build" / ".runners"
SAMPLE_BYTES = 20

WEIGHTS = (
    (1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16),
    (127, 126, 125, 124, 123, 122, 121, 120, -128, -99, -98, -97, -96, -95, -94, -93),
    (0,) * 15 + (100,),
    (-5, 15, -25, 35, -45, 55, -65, 75, -85, 95, -15, 25, -35, -105, -115, -125),
)


def interface(name: str, inputs: dict[str, int], outputs: dict[str, int]) -> Interface:
    """An interface with the given accessors and their number of values."""

    def ports(counts: dict[str, int]) -> tuple[Port, ...]:
        return tuple(Port(each, each, (count,), 1.0, 0, False) for each, count in counts.items())

    return Interface(name, ports(inputs), ports(outputs))


PAIR = interface(
    "pair",
    {"pair_input_left": 16, "pair_input_right": 4},
    {"pair_output_sums": 4, "pair_output_last": 1},
)


def expected_output(samples: bytes) -> bytes:
    """What the model gives for `samples`, 20 bytes each."""
    output, last = bytearray(), 0
    for start in range(0, len(samples), SAMPLE_BYTES):
        values = [byte - 256 if byte > 127 else byte for byte in samples[start:][:SAMPLE_BYTES]]
        left, right = values[:16], values[16:]
        sums = []
        for row, weights in enumerate(WEIGHTS):
            acc = last + sum(w * x for w, x in zip(weights, left, strict=True))
            mixed = acc + right[0] - right[1] + right[2] - right[3] + 12345 * row + (acc >> 3)
            sums.append(max(-128, min(127, mixed * 1518500250 >> 40)))
        last = sums[3] ^ right[0]
        output += bytes(value & 0xFF for value in (*sums, last))
    return bytes(output)


def target_or_skip(name: str) -> Target:
    """The target, or a skip that says what to install."""
    target = load_target(name)
    missing = missing_tools(target)
    if missing:
        pytest.skip(f"{name} needs: {install_command(missing)}")
    return target


def build_pair(target: Target, folder: Path, *, kind: Kind = "test") -> Image:
    """An image of the model `pair`."""
    return build_image(target, sources=DATA, interface=PAIR, kind=kind, folder=folder)


def build_snippet(
    target: Target, folder: Path, *, invoke: str, before: str = "", kind: Kind = "test"
) -> Image:
    """An image of a model `bad` of one byte, with the given C text as the body of bad_invoke."""
    header = "#include <stdint.h>\nint8_t *bad_io(void);\nvoid bad_invoke(void);\n"
    source = f"""
#include "bad.h"
#if defined(__AVR_HAVE_ELPM__)
#define BAD_FLASH __memx
#elif defined(__AVR__)
#define BAD_FLASH __flash
#else
#define BAD_FLASH
#endif
static int8_t bad_value;
int8_t *bad_io(void) {{ return &bad_value; }}
{before}
void bad_invoke(void) {{ {invoke} }}
"""
    return build_image(
        target,
        sources={"bad.h": header, "bad.c": source},
        interface=interface("bad", {"bad_io": 1}, {"bad_io": 1}),
        kind=kind,
        folder=folder,
    )
