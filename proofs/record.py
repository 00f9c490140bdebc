"""The goals that are known to be open, each with its reason, and what a run adds to them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from proofs.kernels import Proved

FILE = Path(__file__).parent / "open.toml"


def known() -> Mapping[str, Mapping[str, str]]:
    """{kernel: {goal: reason}}."""
    found: Mapping[str, Mapping[str, str]] = tomllib.loads(FILE.read_text())
    return found


def unknown(proved: Iterable[Proved]) -> list[str]:
    """`kernel: goal` of each goal that is open and not recorded."""
    recorded = known()
    return [
        f"{each.name}: {goal}"
        for each in proved
        for goal in each.proof.opened
        if goal not in recorded.get(each.name, {})
    ]
