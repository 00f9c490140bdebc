"""The keys that a table of a target.toml has to have.  Standard library only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tinyml_rules.errors import TargetError


def require(table: Mapping[str, Any], keys: Iterable[str], *, where: str, prefix: str = "") -> None:
    """Raise one error that names every key of `keys` which `table` lacks."""
    missing = [prefix + key for key in keys if key not in table]
    if missing:
        names = ", ".join(f"'{key}'" for key in missing)
        raise TargetError.at(
            where, f"missing {names}", hint=f"add {missing[0]} here or in the target's parent"
        )
