"""Bazel in copies of this project and of the workspace that uses it, and what it says it did."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import PROJECT
from tests.frontends.builds import Done, run

RULES_PARTS = (
    "BUILD.bazel",
    "MODULE.bazel",
    "WORKSPACE",
    "requirements",
    "targets",
    "tinyml_rules",
)
"""What another repository's build reads of this one."""

STARTUP = (
    *("--nohome_rc", "--host_jvm_args=-Xmx512m"),
    *("--host_jvm_args=-XX:TieredStopAtLevel=1", "--host_jvm_args=-XX:+UseSerialGC"),
)
"""A Java that lives for a build or two: it takes a third less time where it optimizes less."""

_LATER_BAZELS = (
    *("--incompatible_always_check_depset_elements", "--incompatible_applicable_licenses"),
    *("--incompatible_default_to_explicit_init_py", "--incompatible_disallow_empty_glob"),
    *("--incompatible_disable_target_provider_fields", "--incompatible_new_actions_api"),
    *("--incompatible_disallow_struct_provider_syntax", "--incompatible_no_implicit_file_export"),
    *("--incompatible_require_linker_input_cc_api", "--incompatible_run_shell_command_string"),
    *("--incompatible_restrict_string_escapes", "--incompatible_use_cc_configure_from_rules_cc"),
    "--incompatible_visibility_private_attributes_at_definition",
)
"""What newer ones do without being asked."""

BUILD_OPTIONS = (
    *("--jobs=8", "--color=no", "--curses=no", "--nosandbox_debug", *_LATER_BAZELS),
    f"--repo_env=TINYML_PYTHON={sys.executable}",
)

_SUMMARY = re.compile(r"^INFO: \d+ process(?:es)?: (.*)\.$", re.M)
_COUNT = re.compile(r"(\d+) ([\w -]+)")


@dataclass(frozen=True)
class Bazel:
    """Bazel with all that it keeps in `root`."""

    root: Path

    def run(self, workspace: Path, command: str, *arguments: str) -> Done:
        """Run one command in a workspace, whatever comes of it."""
        program = ["bazel", f"--output_user_root={self.root}", "--max_idle_secs=60", *STARTUP]
        return run([*program, command, *arguments], workspace)

    def build(self, workspace: Path, *arguments: str, command: str = "build") -> str:
        """The same where nothing may go wrong; returns what was printed."""
        done = self.run(workspace, command, *BUILD_OPTIONS, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def stop(self, workspace: Path) -> None:
        """End the server of a workspace."""
        self.run(workspace, "shutdown")


def copy_rules(folder: Path) -> Path:
    """A copy of the rules, with the workspace that uses them; returns that one."""
    ignore = shutil.ignore_patterns("__pycache__", "bazel-*")
    for part in RULES_PARTS:
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, folder / part, ignore=ignore)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / part, folder / part)
    return Path(shutil.copytree(PROJECT / "e2e" / "smoke", folder / "e2e" / "smoke", ignore=ignore))


def processes(printed: str) -> dict[str, int]:
    """How many actions were run where: {'internal': 3, 'disk cache hit': 2}."""
    (summary,) = _SUMMARY.findall(printed)
    return {where: int(count) for count, where in _COUNT.findall(summary)}


def worked(printed: str) -> int:
    """How many actions a build really ran."""
    return sum(
        count
        for where, count in processes(printed).items()
        if where != "internal" and not where.endswith("cache hit")
    )


def compile_through_bazel(folder: Path) -> Path:
    """The folder in which sine.c and sine.h lie, compiled for the atmega328."""
    workspace = copy_rules(folder / "rules")
    bazel = Bazel(folder / "bazel")
    try:
        bazel.build(workspace, "--config=atmega328", "//:sine")
    finally:
        bazel.stop(workspace)
    return workspace / "bazel-bin"
