"""Packages of Debian and Ubuntu, where this user may install them; and commands of the set-up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def can_install_packages() -> bool:
    """Whether apt is here, and this user may use it; on a terminal sudo may ask for a password."""
    if shutil.which("apt-get") is None:
        return False
    if os.geteuid() == 0:
        return True
    if shutil.which("sudo") is None:
        return False
    may = run(["sudo", "-n", "true"], quiet=True) == 0
    return may or (sys.stdin.isatty() and run(["sudo", "-v"]) == 0)


def install_packages(packages: Sequence[str]) -> bool:
    """apt-get install, through sudo where this user is not root; returns whether it did."""
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    print(f"installing packages: {' '.join(packages)}", flush=True)
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    apt = [*prefix, *environment, "apt-get", "--quiet=2", "--option", "Dpkg::Use-Pty=0"]
    install = [*apt, "install", "--yes", "--no-install-recommends", *packages]
    return run([*apt, "update"]) == 0 and run(install) == 0


def run(command: Sequence[str | Path], *, quiet: bool = False) -> int:
    """Run a command to its end; a program that is not there counts as a failure."""
    output = subprocess.DEVNULL if quiet else None
    try:
        return subprocess.run(command, check=False, stdout=output, stderr=output).returncode
    except FileNotFoundError:
        return fail(f"'{command[0]}' is not installed")


def must(command: Sequence[str | Path]) -> None:
    """Run a set-up command; end here if it fails."""
    if run(command):
        sys.exit(fail(f"failed: {' '.join(map(str, command))}"))


def fail(text: str) -> int:
    """Print an error; returns the exit status for a missing or failed tool."""
    print(f"tinyml: error: {text}", file=sys.stderr)
    return 3
