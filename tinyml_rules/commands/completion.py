"""`completion`: what a shell has to know to complete our commands, options and files.

The scripts are made once, by `generate/completions.py`, and run nothing of ours: starting Python
takes longer than a key press.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tinyml_rules.commands.console import Console

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def script_file(shell: str) -> Path:
    """The path of a shell's completion script."""
    return Path(__file__).with_name("completions") / f"tinyml_rules.{shell}"


def run(options: argparse.Namespace, console: Console) -> None:
    """Print the script."""
    console.result(script_file(options.shell).read_text(encoding="utf-8").rstrip("\n"))
