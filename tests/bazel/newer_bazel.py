"""Loads .bzl and BUILD files as Bazel 9 would: with its names alone, in a Starlark of its own.

Debian has Bazel 4, which still has built in what newer ones have not, and none can be had here that
is newer.  Loading is what can be checked without one: every name in every function is resolved,
every rule is declared, every macro that a BUILD file calls is run.  No rule is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import starlark

from tests.conftest import PROJECT

_HERE = Path(__file__).parent
_MODULE = _HERE / "bazel_9_module.bzl"
_NAMES = _HERE / "bazel_9.bzl"
_RULES = _HERE / "bazel_9_rules.bzl"

LOADS = {
    "@rules_cc//cc:action_names.bzl": ("ACTION_NAMES",),
    "@rules_cc//cc:cc_binary.bzl": ("cc_binary",),
    "@rules_cc//cc:cc_test.bzl": ("cc_test",),
    "@rules_cc//cc:cc_toolchain_config_lib.bzl": ("feature", "flag_group", "flag_set", "tool_path"),
    "@rules_cc//cc:find_cc_toolchain.bzl": ("find_cc_toolchain", "use_cc_toolchain"),
    "@rules_cc//cc/common:cc_common.bzl": ("cc_common",),
    "@rules_cc//cc/common:cc_info.bzl": ("CcInfo",),
    "@rules_cc//cc/toolchains:cc_toolchain.bzl": ("cc_toolchain",),
    "@rules_cc//cc/toolchains:cc_toolchain_config_info.bzl": ("CcToolchainConfigInfo",),
    "@rules_python//python:py_binary.bzl": ("py_binary",),
    "@rules_python//python:py_library.bzl": ("py_library",),
}
"""What may be loaded from other repositories."""


_IN_BUILD_FILES = (
    *("alias", "config_setting", "constraint_setting", "constraint_value", "exports_files"),
    *("filegroup", "genrule", "glob", "platform", "test_suite", "toolchain", "toolchain_type"),
)
"""What `native` has and a BUILD file may call without it."""

_PUBLIC = re.compile(r"^(?:def )?([A-Za-z]\w*)(?:\(| =)", re.M)


def load_file(file: Path) -> starlark.FrozenModule:
    """Load a file of the project; raises StarlarkError for what Bazel 9 would not take."""
    return load_text(file.read_text(encoding="utf-8"), file)


def load_text(text: str, file: Path) -> starlark.FrozenModule:
    """The same for a text that stands for the file."""
    if file.name == "MODULE.bazel":
        lines = [_load_statement(_MODULE, _public_names(_MODULE))]
    elif file.suffix == ".bazel":
        lines = [_load_statement(_NAMES, ["Label", "build_file", "native", "select"])]
        lines += [f"{name} = native.{name}" for name in _IN_BUILD_FILES]
        lines += ["package = build_file.package"]
    else:
        lines = [_load_statement(_NAMES, sorted({*_public_names(_NAMES)} - {"build_file"}))]
    return _evaluate("; ".join([*lines, text]), file)


def _public_names(file: Path) -> list[str]:
    return _PUBLIC.findall(file.read_text(encoding="utf-8"))


def _load_statement(file: Path, names: Sequence[str]) -> str:
    return f"load('{file.name}', {', '.join(map(repr, names))})"


def _evaluate(text: str, file: Path, *, exports_loads: bool = False) -> starlark.FrozenModule:
    dialect = starlark.Dialect.standard()
    dialect.enable_keyword_only_arguments = True
    dialect.enable_load_reexport = exports_loads
    globals_ = starlark.Globals.extended_by([starlark.LibraryExtension.StructType])
    module = starlark.Module()
    tree = starlark.parse(str(file), text, dialect)
    starlark.eval(module, tree, globals_, starlark.FileLoader(lambda label: _load(label, file)))
    return module.freeze()


def _load(label: str, file: Path) -> starlark.FrozenModule:
    if label in (_MODULE.name, _NAMES.name, _RULES.name):
        return _evaluate((_HERE / label).read_text(encoding="utf-8"), _HERE / label)
    if label in LOADS:
        return _evaluate(_load_statement(_RULES, LOADS[label]), _RULES, exports_loads=True)
    package, _, name = label.removeprefix("@tinyml_rules").partition(":")
    folder = PROJECT / package.removeprefix("//") if package else file.parent
    return load_file(folder / name)
