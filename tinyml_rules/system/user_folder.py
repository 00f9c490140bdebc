"""The user's cache folder, for files that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """The folder for what is ours, which need not be there, as the XDG specification has it."""
    told = Path(os.environ.get("XDG_CACHE_HOME", ""))
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - which raises nothing without a home
    return (told if told.is_absolute() else home / ".cache") / "tinyml_rules"
