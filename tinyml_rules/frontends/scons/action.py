"""SCons actions that call this package, signed by what they depend on and not by bytecode.

A function action of SCons is signed by its own bytecode: an edit to a module that it calls would
rebuild nothing, and another version of Python would miss the cache.  Here the signature is a fixed
word, the construction variables, and what our own files hold; or they are ordinary dependencies.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import SCons.Action
from SCons.Action import FunctionAction
from SCons.Node.Python import ValueWithMemo

from tinyml_rules.errors import TinymlError
from tinyml_rules.frontends.scons.place import with_names
from tinyml_rules.frontends.scons.recorded import check_record
from tinyml_rules.frontends.scons.settings import in_words_of
from tinyml_rules.request.wording import INTERNAL_ERROR_STATUS, full_disk, internal_error
from tinyml_rules.system.sources import compiler_files, digests_of, package_files

HERE = "frontends/scons"

Function = Callable[[list[Any], list[Any], Any], str | None]
"""target nodes, source nodes, environment -> figures to show, if any."""


class PackageAction(FunctionAction):
    """Runs `function`; a TinymlError is printed as it is and fails the build.

    `message` is what is shown before, None for nothing.  `files` names those of the package whose
    contents are part of the signature.
    """

    def __init__(
        self,
        function: Function,
        message: str | None,
        *,
        variables: Sequence[str],
        files: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._function = function
        self._files = files
        # a method: of what a function has around it SCons would write down everything
        super().__init__(self._run, {"cmdstr": message, "varlist": tuple(variables)})

    def _run(self, target: list[Any], source: list[Any], env: Any) -> int:
        try:
            self._done(self._function(target, source, env), target, source, env)
        except TinymlError as error:
            print(in_words_of(env, error), file=sys.stderr)
            return error.exit_status
        except Exception as error:  # no message of ours: say so, instead of a bare traceback
            full = full_disk(error)
            print(full or internal_error(error), file=sys.stderr)
            return full.exit_status if full else INTERNAL_ERROR_STATUS
        return 0

    def get_presig(self, *_arguments: Any, **_keywords: Any) -> bytes:
        """The part of the signature for the function."""
        return f"{self._function.__name__} {' '.join(digests_of(self._files()).values())}".encode()

    def get_implicit_deps(self, target: list[Any], *_arguments: Any, **_keywords: Any) -> list[Any]:
        """None; SCons asks for them before it decides what to build, so that here is the place to
        look at what a killed build left."""
        for node in target:
            check_record(node)
        return []

    def command(self, env: Any, target: Any, source: Any, **settings: Any) -> list[Any]:
        """The nodes of env.Command for this action."""
        own = env.Override(settings) if settings else env
        target, source = with_names(env, target), with_names(env, source)
        self.share(own, env.arg2nodes(target, env.fs.File), env.arg2nodes(source, env.fs.Entry))
        nodes: list[Any] = env.Command(target, source, self, **settings)
        self.depend(env, nodes)
        return nodes

    def share(self, env: Any, target: list[Any], source: list[Any]) -> None:
        """Take outputs for this environment's that another one makes in the same way: SCons would
        warn of each of them.  For those that differ it has an error."""
        action: Any = self
        for node in target:
            if not node.has_explicit_builder() or node.env is None or node.env is env:
                continue
            former = node.builder.action.get_contents(target, source, node.env)
            if former == action.get_contents(target, source, env):
                node.env = env

    def depend(self, env: Any, target: list[Any]) -> None:
        """Let the first output depend on the rooms, so that `--debug=explain` names the one with
        an edit.  That suffices, with the signature, and all outputs would be slow to compare; so
        would a node of each file."""
        env.Depends(target[0], [_room(*each) for each in digests_of(self._files()).items()])

    def _done(self, result: str | None, target: Any, source: Any, env: Any) -> None:
        """The steps after the function."""


class FiguresAction(PackageAction):
    """Shows its message at the end, with the figures that `function` returns as $TINYML_FIGURES."""

    def strfunction(self, target: Any, source: Any, env: Any, executor: Any = None) -> str | None:
        """The text shown before: none, or, in a dry run, the message without figures."""
        if not env.GetOption("no_exec"):
            return None
        return self._text(target, source, env.Override({"TINYML_FIGURES": ""}), executor)

    def _done(self, result: str | None, target: Any, source: Any, env: Any) -> None:
        figures = f": {result}" if result else ""
        text = self._text(target, source, env.Override({"TINYML_FIGURES": figures}))
        if text and SCons.Action.print_actions:
            self.print_cmd_line(text, target, source, env)

    def _text(self, target: Any, source: Any, env: Any, executor: Any = None) -> str | None:
        text: str | None = super().strfunction(target, source, env, executor)
        return text


_FIGURES = tuple(
    f"reporting/{name}.py"
    for name in ("energy", "firmware", "known", "parts", "record", "report", "sizes")
)
"""How the figures of a build and of a run are written and read."""
_TEMPLATES = "system/templates.py"


def _room(name: str, digest: str) -> Any:
    """A node of SCons for a value, which has the name of the room and changes with its files."""
    node: Any = ValueWithMemo(name)

    def get_csig() -> str:
        node.get_ninfo().csig = digest
        return digest

    node.get_csig = get_csig
    return node


def firmware_files() -> tuple[str, ...]:
    """The files that decide how an image is linked and measured."""
    own = ("system/process.py", "target/toolchain.py", "reporting/budgets.py", *_FIGURES)
    here = (f"{HERE}/stages.py", f"{HERE}/program.py")
    return package_files("firmware", _TEMPLATES, *own, *here)


def runner_files() -> tuple[str, ...]:
    """The files that decide how an image is run on samples, what is reported of the run, and by
    what its budgets are judged."""
    own = ("arithmetic/fixed_point.py", "system/process.py", "reporting/budgets.py", *_FIGURES)
    return package_files("runners", "worst_case", *own, f"{HERE}/stages.py")


def profile_files() -> tuple[str, ...]:
    """The files that decide what is reported of each node of a run."""
    compiler = compiler_files(f"{HERE}/model.py")
    return tuple(sorted({*compiler, *firmware_files(), *runner_files()}))


def format_files() -> tuple[str, ...]:
    """The files that decide what is written for a programmer, in a format that objcopy lacks."""
    return package_files("firmware/formats")


def report_files() -> tuple[str, ...]:
    """The files that decide what is said of flash in a report of several figures."""
    return package_files("reporting/flash.py", *_FIGURES, f"{HERE}/reports.py")


def table_files() -> tuple[str, ...]:
    """The files that decide how a table or a page of reports looks."""
    return package_files("reporting", "report_page", _TEMPLATES, f"{HERE}/reports.py")
