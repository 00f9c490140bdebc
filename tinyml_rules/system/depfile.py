"""The dependencies of a file, in the syntax that Make, Ninja and CMake read.

Names are escaped as GCC does it.  Each dependency is a target without a rule too, so that Make goes
on if one disappeared with an older version of this package.  CMake 3.20 needs a blank after the
colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FIRST_LINE = r"[^\n]+: \\\n"
"""The expression that the beginning of a depfile matches."""


def depfile_text(target: str, dependencies: Sequence[str]) -> str:
    """`target: dependencies`, one to a line, then a line for each dependency alone."""
    names = [_escaped(name) for name in dependencies]
    rule = " \\\n  ".join([f"{_escaped(target)}:", *names])
    return "\n".join([rule, *(f"{name}: " for name in names)]) + "\n"


def _escaped(name: str) -> str:
    """Backslashes count only before a blank, where each of them is doubled."""
    blanks = re.sub(r"(\\*) ", r"\1\1\\ ", name)
    return blanks.replace("$", "$$").replace("#", r"\#")
