"""The target of an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tinyml_rules.target import Target, default_search, load_target


def current_target(env: Any) -> Target:
    """The target that TINYML_TARGET names; raises TargetError."""
    extra = [Path(env.Dir(folder).abspath) for folder in env["TINYML_TARGETS"]]
    return load_target(env["TINYML_TARGET"], search=(*extra, *default_search()))
