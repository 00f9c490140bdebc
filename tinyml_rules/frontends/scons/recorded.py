"""Files that a killed build left behind are built again.

SCons writes down what it built when it ends.  After a kill its notes may be of another file than
the one that lies there, and it compares them with the sources only: a model that is changed, built,
killed and changed back would keep the wrong object.  A scanner of targets is asked for every node
before SCons decides, so there the file itself is compared with the notes.
"""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

from SCons.Builder import Builder
from SCons.Scanner import Scanner
from SCons.Util import hash_file_signature  # type: ignore[attr-defined]  # not typed so far

from tinyml_rules.frontends.scons.action import PackageAction


def compare_with_record(builder: Any) -> None:
    """Let a builder build again what is not the file that it is said to be."""
    inner = builder.get() if hasattr(builder, "get") else builder  # of one that goes by suffixes
    scanner = inner.target_scanner
    if isinstance(getattr(scanner, "function", None), _CheckFirst):
        return  # of an environment that was cloned
    checked = copy(scanner) if scanner else Scanner(function=_find_nothing)
    checked.function = _CheckFirst(checked.function)
    inner.target_scanner = checked


def command(env: Any, target: Any, source: Any, action: PackageAction, **settings: Any) -> Any:
    """env.Command for an action of ours; its targets are compared likewise."""
    builder = Builder(action=action, source_factory=env.fs.Entry, target_factory=env.fs.File)
    compare_with_record(builder)
    nodes = builder(env, target, source, **settings)
    action.depend(env, nodes)
    return nodes


class _CheckFirst:
    """The function of a scanner, after a look at the node."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, node: Any, env: Any, *path: Any) -> Any:
        if not _is_as_recorded(node):
            node.set_always_build()
        return self.function(node, env, *path)


def _find_nothing(node: Any, env: Any, path: Any) -> list[Any]:  # noqa: ARG001
    return []


def _is_as_recorded(node: Any) -> bool:
    """True as well where there is no file or no record: such a node is built anyway."""
    recorded = getattr(node.get_stored_info().ninfo, "csig", None)
    if recorded is None or not Path(node.abspath).is_file():
        return True
    return bool(hash_file_signature(node.abspath) == recorded)
