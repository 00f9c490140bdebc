"""Wrong words on the command line, and its help."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tinyml_rules.cli import main
from tinyml_rules.commands.table import COMMANDS, command_parser
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.wording import command

TINYML = f"{command()}"
USAGE = {
    "compil": "tinyml_rules: error: unknown command 'compil'\n"
    f"  hint: did you mean 'compile'? `{TINYML} --help` lists all commands",
    "frobnicate": "tinyml_rules: error: unknown command 'frobnicate'\n"
    f"  hint: `{TINYML} --help` lists all commands",
    "--target x compile": "tinyml_rules: error: found '--target' before the command, expected "
    "COMMAND first\n"
    f"  hint: options follow the command; `{TINYML} --help` lists all commands",
    "--versoin": "tinyml_rules: error: found '--versoin' before the command, expected COMMAND "
    f"first\n  hint: did you mean '--version'? `{TINYML} --help` lists all commands",
    "compile": "tinyml_rules compile: error: missing MODEL.tflite\n"
    f"  hint: `{TINYML} compile --help` lists its options",
    "test sound.tflite": "tinyml_rules test: error: missing --vectors FILE\n"
    f"  hint: `{TINYML} test --help` lists its options",
    "compile sound.tflite --optimise size": "tinyml_rules compile: error: unknown option "
    f"'--optimise'\n  hint: did you mean '--optimize'? `{TINYML} compile --help` lists its options",
    "compile sound.tflite more": "tinyml_rules compile: error: found 'more', expected no more than "
    f"its arguments\n  hint: `{TINYML} compile --help` lists its options",
    "compile sound.tflite --out": "tinyml_rules compile: error: --out has no value, expected DIR\n"
    f"  hint: `{TINYML} compile --help` lists its options",
    "compile sound.tflite --json --line": "tinyml_rules compile: error: --json and --line exclude "
    f"each other, expected one of them\n  hint: `{TINYML} compile --help` lists its options",
    "compile sound.tflite --json=1": "tinyml_rules compile: error: --json takes no value, found "
    f"'1'\n  hint: `{TINYML} compile --help` lists its options",
    "compile sound.tflite --max-s 1 --max 2": "tinyml_rules compile: error: '--max' is short for "
    "several options, expected one of --max-flash, --max-ram, --max-arena, --max-stack, "
    "--max-cycles, --max-instructions, --max-energy\n"
    f"  hint: `{TINYML} compile --help` lists its options",
    "where cmaek": "tinyml_rules where: error: found 'cmaek', expected one of bazel, cmake, "
    "make, platformio, scons, schemas\n"
    f"  hint: did you mean 'cmake'? `{TINYML} where --help` lists its options",
    "compare sound.tflite --target host --reference tf": "tinyml_rules compare: error: --reference "
    "is 'tf', expected one of tflm, numpy\n"
    f"  hint: did you mean 'tflm'? `{TINYML} compare --help` lists its options",
}
"""What is typed, and the whole of what is printed."""


@pytest.mark.parametrize("words", USAGE)
def test_wrong_usage(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One error in the form of all others, with what was meant and where the help is."""
    assert main(words.split()) == 2
    assert capsys.readouterr() == ("", f"{USAGE[words]}\n")


def test_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The help: every command once, below a heading, and where the pages are."""
    with pytest.raises(SystemExit) as caught:
        main([])
    assert caught.value.code == 2
    printed, told = capsys.readouterr()
    assert told == ""
    for heading, group in COMMANDS.items():
        assert f"\n{heading}:\n" in printed
        for name in group:
            assert len(re.findall(rf"^  {name} ", printed, re.M)) == 1, name
    assert printed.endswith(f"documentation: {PROJECT / 'docs' / 'README.md'}\n")


def test_help_of_a_copy(tmp_path: Path) -> None:
    """A package that is neither installed nor in a checkout, as in Bazel, names no address."""
    shutil.copytree(PROJECT / "tinyml_rules", tmp_path / "tinyml_rules")
    command = [sys.executable, "-m", "tinyml_rules", "--help"]
    variables = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert str(PROJECT) not in done.stdout


def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Options below headings, and a line that can be typed."""
    for group in COMMANDS.values():
        for name, each in group.items():
            with pytest.raises(SystemExit) as caught:
                main([name, "--help"])
            assert caught.value.code == 0
            printed = capsys.readouterr().out
            assert printed.startswith(f"usage: tinyml_rules {name}")
            pages = f"documentation: {PROJECT / 'docs' / 'README.md'}"
            assert printed.endswith(f"example:\n  tinyml_rules {each.example}\n\n{pages}\n")
            words = shlex.split(each.example.partition(" > ")[0])
            assert command_parser().parse_args(words).command == name
    main_options = {option.group for option in OPTIONS.values()}
    with pytest.raises(SystemExit):
        main(["compile", "--help"])
    printed = capsys.readouterr().out
    assert all(f"\n{heading}:\n" in printed for heading in main_options)
