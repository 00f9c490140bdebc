"""The wheel brings completions to where shells look for them: nothing is sourced by hand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.frontends.conftest import installed_python, wheel  # noqa: F401 - fixtures

BASH = """\
source /usr/share/bash-completion/bash_completion
_completion_loader tinyml_rules
COMP_WORDS=(tinyml_rules insp)
COMP_CWORD=1
COMP_LINE="${COMP_WORDS[*]}"
COMP_POINT=${#COMP_LINE}
function=$(complete -p tinyml_rules | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" tinyml_rules
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "complete -C 'tinyml_rules insp' | string split -f 1 \\t"
ZSH = """\
fpath=({share}/zsh/site-functions $fpath)
autoload -Uz compinit
compinit -u -D
[[ $_comps[tinyml_rules] == _tinyml_rules ]] || exit 1
autoload +X _tinyml_rules
[[ $functions[_tinyml_rules] == *inspect:* ]] && print inspect
"""
"""Zsh completes on a terminal alone, which another test does: this says that it finds the function,
and that it is the one."""


@pytest.mark.parametrize(
    "command",
    [("bash", "--norc", "-c", BASH), ("fish", "-c", FISH), ("zsh", "-f", "-c", ZSH)],
    ids=lambda command: command[0],
)
def test_found(command: tuple[str, ...], installed_python: Path, tmp_path: Path) -> None:  # noqa: F811
    """As from a package of the system: its folder is among those that shells search."""
    share = installed_python.parents[1] / "share"
    path = f"{installed_python.parent}:{os.environ['PATH']}"  # fish completes what can be run
    variables = {**os.environ, "PATH": path, "XDG_DATA_DIRS": str(share), "HOME": str(tmp_path)}
    done = subprocess.run(
        [word.replace("{share}", str(share)) for word in command],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "inspect\n", done.stderr
