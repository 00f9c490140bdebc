"""A firmware's limits: less than the part has, so that growth is noticed before it is full."""

from __future__ import annotations

from typing import Any

from tinyml_rules.errors import DoesNotFitError, Problem, Shortage

LIMITS = ("TINYML_MAX_FLASH", "TINYML_MAX_RAM")


def check_limits(env: Any, flash_bytes: int, ram_bytes: int, *, where: str) -> None:
    """Raise DoesNotFitError for a firmware that takes more than the environment allows it."""
    demands = (("flash", flash_bytes), ("RAM", ram_bytes))
    problems = [
        Problem(
            where,
            f"needs {needed:,} bytes of {word}, {variable} is {int(env[variable]):,}",
            shortage=Shortage(word, needed, int(env[variable])),
        )
        for variable, (word, needed) in zip(LIMITS, demands, strict=True)
        if env[variable] is not None and needed > int(env[variable])
    ]
    if problems:
        raise DoesNotFitError(problems)
