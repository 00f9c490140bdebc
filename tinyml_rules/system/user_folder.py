"""The user's cache folder, for files that can be made again."""

from __future__ import annotations

import os
from pathlib import Path

from tinyml_rules.system.computer import cache_folder, this_system


def user_cache() -> Path:
    """The folder for what is ours, which need not be there, where the system has such folders."""
    home = os.path.expanduser("~")  # noqa: PTH111 - which raises nothing without a home
    return Path(cache_folder(this_system(), os.environ, home))
