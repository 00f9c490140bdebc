"""What int16 brings and costs: figures of a model, and those of the model with int8 alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import TinymlError
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import HOST, Target, default_search, load_target


@dataclass(frozen=True)
class Figures:
    """SQNR of the outputs, RAM for tensors and flash for constants, as far as they are known."""

    sqnr_db: float | None
    arena_bytes: int | None
    constant_bytes: int | None


def figures(model: bytes, sqnr_db: float | None, target: Target | None) -> Figures:
    """Those of a model's file; without a target, for this computer."""
    try:
        chosen = target or load_target(HOST, search=default_search())
        report = compile_model(Request(model, "model", chosen)).report
    except TinymlError:  # the compiler says why when the model is compiled
        return Figures(sqnr_db, None, None)
    return Figures(sqnr_db, report.arena_bytes, report.constant_bytes)


def comparison(found: Figures, of_int8: Figures, target: Target | None) -> dict[str, Any]:
    """Both for the report."""
    return {
        "target": HOST if target is None else target.name,
        "int16": asdict(found),
        "int8": asdict(of_int8),
    }


def comparison_lines(found: Mapping[str, Any]) -> list[str]:
    """Both as text, what is not known left out; nothing for a model of int8."""
    if not found:
        return []
    wide, narrow = found["int16"], found["int8"]
    lines = []
    if wide["sqnr_db"] is not None and narrow["sqnr_db"] is not None:
        more = wide["sqnr_db"] - narrow["sqnr_db"]
        lines.append(f"  {narrow['sqnr_db']:.1f} dB with int8 alone: int16 brings {more:.1f} dB")
    if wide["arena_bytes"] is not None and narrow["arena_bytes"] is not None:
        lines.append(
            f"  arena {wide['arena_bytes']:,} bytes, with int8 alone {narrow['arena_bytes']:,}; "
            f"constants {wide['constant_bytes']:,} bytes, with int8 alone "
            f"{narrow['constant_bytes']:,} (for {found['target']})"
        )
    return lines
