"""What the command prints of a budget: bytes, and what each layer costs and saves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinyml_rules.ir.text import operator_name
from tinyml_rules.reporting.rows import plain


def budget_lines(found: Mapping[str, Any]) -> list[str]:
    """The budget and its layers as text; nothing without one."""
    if not found:
        return []
    size = f"{found['bytes']:,} of at most {found['most_bytes']:,} bytes of {found['counted']}"
    where = f"for {found['target']}"
    layers = found["layers"]
    if not layers:
        return [f"int8 weights: {size} {where}, no int4 needed"]
    count = sum(each["is_int4"] for each in layers)
    return [
        f"int4 weights in {count} of {len(layers)} layers: {size} {where}, with int8 alone "
        f"{found['int8_bytes']:,}",
        f"  centred SQNR by which they are chosen: {found['db']:.1f} dB, with int8 alone "
        f"{found['int8_db']:.1f} dB; each layer alone in int4:",
        plain([_row(each) for each in layers]),
    ]


def _row(layer: Mapping[str, Any]) -> dict[str, object]:
    return {
        "node": layer["node"],
        "operator": operator_name(layer["op"]),
        "saves bytes": f"{layer['saved_bytes']:,}",
        "costs dB": f"{layer['loss_db']:.1f}",
        "weights": "int4" if layer["is_int4"] else "int8",
    }
