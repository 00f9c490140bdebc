"""The budgets of a program of the user's own, around any number of models."""

from __future__ import annotations

from typing import Any

from tinyml_rules.frontends.scons.settings import variable_of
from tinyml_rules.request.budgets import BUDGETS, OF_LINK
from tinyml_rules.request.option import parsed_by

LIMITS = tuple(map(variable_of, OF_LINK))
"""The construction variables of those that a link decides."""


def program_budgets(env: Any) -> dict[str, int]:
    """The budgets that the environment sets; the file next to a model is about that model's own
    firmware.  Raises UsageError."""
    return parsed_by(BUDGETS, {each: env[variable_of(each)] for each in OF_LINK})
