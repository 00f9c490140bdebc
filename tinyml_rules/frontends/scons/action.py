"""SCons actions that call this package, signed by what they depend on and not by bytecode.

A function action of SCons is signed by its own bytecode: an edit to a module that it calls would
rebuild nothing, and another version of Python would miss the cache.  Here the signature is a fixed
word and the construction variables, and our own files are ordinary dependencies.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from SCons.Action import FunctionAction

from tinyml_rules.errors import TinymlError
from tinyml_rules.sources import compiler_files, package_files

_HERE = "frontends/scons"

Function = Callable[[list[Any], list[Any], Any], None]
"""target nodes, source nodes, environment."""


class PackageAction(FunctionAction):
    """Runs `function`; a TinymlError is printed as it is and fails the build.

    `message` is what is shown for it, None for nothing.
    """

    def __init__(
        self, function: Function, message: str | None, *, variables: Sequence[str]
    ) -> None:
        self._word = function.__name__.encode()

        def execute(target: list[Any], source: list[Any], env: Any) -> int:
            try:
                function(target, source, env)
            except TinymlError as error:
                print(error, file=sys.stderr)
                return error.exit_status
            return 0

        super().__init__(execute, {"cmdstr": message, "varlist": tuple(variables)})

    def get_presig(self, *_arguments: Any, **_keywords: Any) -> bytes:
        """The part of the signature that stands for the function."""
        return self._word


def firmware_files() -> tuple[str, ...]:
    """The files that decide how an image is linked and measured."""
    own = ("build.py", "figures.py", "process.py", "toolchain.py")
    return package_files("firmware", *own, f"{_HERE}/stages.py", f"{_HERE}/program.py")


def runner_files() -> tuple[str, ...]:
    """The files that decide how an image is run on samples, and what is told of the run."""
    own = ("arrays.py", "figures.py", "process.py", "quantize.py", f"{_HERE}/stages.py")
    return package_files("runners", *own)


def matrix_files() -> tuple[str, ...]:
    """The files that decide what is told of a model on a target, and what is tried."""
    own = compiler_files("matrix.py", "run.py", f"{_HERE}/model.py")
    return tuple(sorted({*firmware_files(), *runner_files(), *own}))
