"""Files that are too deep, too long, begin with a byte order mark, or lack what they need."""

from __future__ import annotations

import json
from typing import Any

BOM = b"\xef\xbb\xbf"
INPUT = {
    **{"tensor": "x", "accessor": "a", "shape": [1], "dtype": "int8", "element": "int8"},
    **{"scale": 1.0, "zero_point": 0},
}


def files() -> dict[str, bytes]:
    """By name."""
    found = {
        "long.toml": b"ram = " + b"9" * 5000,
        "deep.toml": b"ram = " + b"[" * 3000 + b"]" * 3000,
        "bom.toml": BOM + b'optimize = "size"\n',
        "sensor.toml": BOM + b'[input]\nraw = "int8"\nscale = 1\n',
        "deep.report.json": b"[" * 100_000,
    }
    without = {key: {k: v for k, v in INPUT.items() if k != key} for key in ("shape", "zero_point")}
    wrong: dict[str, Any] = {"number": 5, **without}
    for name, each in wrong.items():
        found[f"{name}.json"] = json.dumps(each).encode()
    return found
