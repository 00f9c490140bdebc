"""`python -m tinyml_rules completion`: what bash, zsh and fish make of the scripts."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tinyml_rules.cli import main
from tinyml_rules.commands.completion import SHELLS, script_file
from tinyml_rules.commands.table import command_parser
from tinyml_rules.target.target import target_names

BASH = """\
source {script}
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
COMP_LINE="${{COMP_WORDS[*]}}"
COMP_POINT=${{#COMP_LINE}}
function=$(complete -p tinyml_rules | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" tinyml_rules
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """\
autoload -Uz compinit
compinit -u -D
eval "$(cat {script})"
completed() {{ print -r -- "$BUFFER" > {result} }}
zle -N completed
bindkey '^X' completed
print ready
"""
ZSH_LINES = {
    "tinyml_rules insp": "tinyml_rules inspect",
    "tinyml_rules package zeph": "tinyml_rules package zephyr",
    "tinyml_rules compile --target atmega12": "tinyml_rules compile --target atmega1284p",
    "tinyml_rules compile --max-f": "tinyml_rules compile --max-flash",
    "tinyml_rules compile --schedule la": "tinyml_rules compile --schedule layer",
    "tinyml_rules run n": "tinyml_rules run net.tflite",
}
"""What is typed, and what a tab makes of it."""
PATIENCE_S = 30


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One for each shell, in a folder with files."""
    folder = tmp_path_factory.mktemp("shell")
    for name in ("net.tflite", "nothing.txt", "old.report.json"):
        (folder / name).write_text("")
    made = {}
    for shell in SHELLS:
        if shutil.which(shell) is None:
            pytest.skip(f"needs {shell} (package {shell})")
        command = [sys.executable, "-m", "tinyml_rules", "completion", shell]
        made[shell] = folder / f"completion.{shell}"
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        made[shell].write_text(text)
    return made


def in_bash(script: Path, *words: str) -> set[str]:
    """What the last of the words may become."""
    quoted = " ".join(shlex.quote(word) for word in ("tinyml_rules", *words))
    program = BASH.format(script=script, words=quoted)
    command = ["bash", "--norc", "-c", program]
    done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def in_fish(script: Path, *words: str) -> set[str]:
    """The same; fish tells what each means behind a tab."""
    line = shlex.quote(" ".join(("tinyml_rules", *words)))
    command = ["fish", "--no-config", "-c", f"source {script}; complete -C {line}"]
    done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {each.partition("\t")[0] for each in done.stdout.splitlines()}


@pytest.mark.parametrize("ask", [in_bash, in_fish])
def test_words(ask: Callable[..., set[str]], scripts: dict[str, Path]) -> None:
    """Commands, options, choices, targets and files; nothing that is hidden."""
    script = scripts["bash" if ask is in_bash else "fish"]
    commands: Any = command_parser(is_whole=True)._subparsers
    (names,) = (each.choices for each in commands._group_actions)
    assert set(names) <= ask(script, "")
    assert ask(script, "comp") == {"compile", "completion", "compare"}
    assert {"--target", "--max-flash", "--no-push-rows"} <= ask(script, "compile", "--")
    assert "--spelling" not in ask(script, "compile", "--")
    assert ask(script, "compile", "--target", "") >= set(target_names())
    assert ask(script, "compile", "--schedule", "") == {"auto", "layer", "stream"}
    assert ask(script, "package", "") >= {"arduino", "zephyr"}
    assert ask(script, "run", "n") == {"net.tflite"}
    assert ask(script, "run", "net.tflite", "--target", "atmega3") == {"atmega328", "atmega32u4"}
    assert ask(script, "diff", "o") == {"old.report.json"}


def test_line_of_zsh(scripts: dict[str, Path]) -> None:
    """Which completes on a terminal alone: the line that a person then has."""
    script = scripts["zsh"]
    result, start = script.parent / "line", script.parent / "start"
    start.write_text(ZSH.format(script=script, result=result))
    process, terminal = pty.fork()
    if not process:
        os.chdir(script.parent)
        command = ["env", "TERM=xterm", "zsh", "-f", "-i"]
        os.execvp(command[0], command)  # noqa: S606 - zsh completes on a terminal of its own alone
    try:
        os.write(terminal, f"source {start}\n".encode())
        _read_until(terminal, b"\nready")
        for typed, expected in ZSH_LINES.items():
            result.unlink(missing_ok=True)
            os.write(terminal, f"{typed}\t\x18".encode())
            assert _line_in(result, terminal) == expected, typed
            os.write(terminal, b"\x15")  # an empty line
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def _read_until(terminal: int, end: bytes) -> None:
    found = b""
    while end not in found.replace(b"\r", b""):
        found += os.read(terminal, 4096)


def _line_in(file: Path, terminal: int) -> str:
    os.set_blocking(terminal, False)
    for _ in range(PATIENCE_S * 50):
        with suppress(BlockingIOError):
            os.read(terminal, 65536)
        if file.exists() and (line := file.read_text().strip()):
            os.set_blocking(terminal, True)
            return line
        time.sleep(0.02)
    return ""


def test_without_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scripts are there without what made them."""
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == script_file("bash").read_text(encoding="utf-8")
