"""Files left over from a killed build are built again.

SCons records what it built when it ends.  After a kill its records may be of another file than the
one on disk, and it compares them with the sources only: a model that is changed, built, killed and
changed back would keep the wrong object.  So the file itself is compared with the records.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

from SCons.Scanner import Scanner
from SCons.Util import hash_file_signature  # type: ignore[attr-defined]  # not typed so far


def compare_with_record(builder: Any) -> None:
    """Let a builder build again what is not the file that it is said to be.

    A scanner of targets is asked for every node before SCons decides.
    """
    inner = builder.get() if hasattr(builder, "get") else builder  # of one that goes by suffixes
    scanner = inner.target_scanner
    if isinstance(getattr(scanner, "function", None), _CheckFirst):
        return  # of an environment that was cloned
    checked = copy(scanner) if scanner else Scanner(function=_find_nothing)
    checked.function = _CheckFirst(checked.function)
    inner.target_scanner = checked


def check_record(node: Any) -> None:
    """Let a node be built again that is not the file that SCons noted."""
    recorded = getattr(node.get_stored_info().ninfo, "csig", None)
    if recorded is None or not Path(node.abspath).is_file():
        return  # it is built anyway
    if hash_file_signature(node.abspath) != recorded:
        node.set_always_build()


class _CheckFirst:
    """The function of a scanner, after a look at the node."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, node: Any, env: Any, *path: Any) -> Any:
        check_record(node)
        return self.function(node, env, *path)


def _find_nothing(node: Any, env: Any, path: Any) -> list[Any]:  # noqa: ARG001
    return []
