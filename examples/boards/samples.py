"""Raw values of a sensor -> an array in C for a firmware.

python samples.py RAW.npz COUNT samples.h
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

HEADER = """\
/* {count} of the {total} samples of {source}, with their labels.  Generated; do not edit. */
#include <stdint.h>

#include "board.h"

#define SAMPLES {count}

static const uint8_t labels[SAMPLES] BOARD_FLASH = {{{labels}}};

static const uint8_t samples[SAMPLES][{size}] BOARD_FLASH = {{
{rows}
}};
"""


def header(source: str, count: str, output: str) -> None:
    """`count` samples, evenly spaced, so that every class is among them."""
    with np.load(source) as arrays:
        (name,) = arrays.keys() - {"labels", "names"}
        values, labels = arrays[name], arrays["labels"]
    chosen = np.linspace(0, len(values) - 1, int(count)).round().astype(int)
    rows = [values[place].astype(values.dtype.newbyteorder("<")).tobytes() for place in chosen]
    text = HEADER.format(
        count=count,
        total=len(values),
        source=Path(source).name,
        labels=", ".join(map(str, labels[chosen])),
        size=len(rows[0]),
        rows=",\n".join("{" + ", ".join(map(str, row)) + "}" for row in rows),
    )
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    header(*sys.argv[1:])
