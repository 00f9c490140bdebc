"""The verb `misra`: what cppcheck finds in the C of a model, by rule of MISRA C:2012."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tinyml_rules.frontends.scons.action import PackageAction


def show_misra(target: list[Any], source: list[Any], env: Any) -> None:  # noqa: ARG001
    """Print the table of a model's C file."""
    from benchmarks.misra import lines_of, rows_of  # noqa: PLC0415 - only when there is work
    from tinyml_rules.target.target import load_target  # noqa: PLC0415

    file, part = Path(source[0].abspath), load_target(env["TINYML_TARGET"])
    print("\n".join(lines_of(rows_of(file, part), model=file.stem, target=part.name)))


SHOW_MISRA = PackageAction(show_misra, None, variables=("TINYML_TARGET",))

__all__ = ["SHOW_MISRA"]
