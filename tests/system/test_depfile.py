"""The depfile and the stamp of `compile`, as Make and Ninja read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, Done, run, with_other_weight
from tinyml_rules.cli import main
from tinyml_rules.system.depfile import depfile_text
from tinyml_rules.system.sources import compiler_files
from tinyml_rules.target.target import load_target

NAMES = [
    "plain",
    "a blank",
    "two  blanks",
    "dollar$x",
    "hash#x",
    "back\\slash",
    "ends\\ so",
]
"""Names of dependencies that each mean something to Make."""

MAKEFILE = "made: ; touch made\ninclude made.d\n"
NINJA = "rule touch\n  command = touch made\n  depfile = made.d\nbuild made: touch\n"
BUILDS = {"make": ("Makefile", MAKEFILE), "ninja": ("build.ninja", NINJA)}


def build(folder: Path, program: str) -> Done:
    """Build `made`, which has to succeed."""
    done = run([program, "made"], folder, timeout_s=30)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("program", BUILDS)
def test_names(program: str, name: str, tmp_path: Path) -> None:
    """A newer file of any name is noticed, an older one leaves nothing to do, and one that has
    disappeared is no error."""
    file, text = BUILDS[program]
    (tmp_path / file).write_text(text)
    (tmp_path / name).touch()
    os.utime(tmp_path / name, (1, 1))
    (tmp_path / "made.d").write_text(depfile_text("made", [name, "other"]))
    (tmp_path / "other").touch()
    build(tmp_path, program)
    assert "touch made" not in build(tmp_path, program).stdout
    os.utime(tmp_path / name, (2**31, 2**31))
    assert "touch made" in build(tmp_path, program).stdout
    (tmp_path / name).unlink()
    build(tmp_path, program)


def test_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model, every file of the compiler and the target's chain; the target is NAME.c, or the
    stamp."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sine.tflite").write_bytes((SINE / "sine.tflite").read_bytes())
    words = ["compile", "sine.tflite", "--target", "atmega328", "--out", "out", "--quiet"]
    assert main([*words, "--depfile", "out/sine.d"]) == 0
    rule, *alone = (tmp_path / "out" / "sine.d").read_text().replace(" \\\n", "").splitlines()
    target, *names = rule.split()
    assert target == "out/sine.c:"
    assert alone == [f"{name}: " for name in names]
    chain = [str(folder / "target.toml") for folder in load_target("atmega328").folders]
    assert len(chain) == 2
    assert {"sine.tflite", *compiler_files("cli.py"), *chain} == set(names)
    assert main([*words, "--depfile", "out/sine.d", "--stamp", "deep/sine.stamp"]) == 0
    assert (tmp_path / "out" / "sine.d").read_text().startswith("deep/sine.stamp: \\\n")
    assert (tmp_path / "deep" / "sine.stamp").read_bytes() == b""


def test_dates(tmp_path: Path) -> None:
    """Equal files keep theirs, the stamp never does; a weight leaves header and picture alone."""
    model, out, stamp = tmp_path / "sine.tflite", tmp_path / "out", tmp_path / "stamp"
    words = ["compile", str(model), "--out", str(out), "--stamp", str(stamp), "--quiet"]

    def compile_and_age() -> set[str]:
        assert main(words) == 0
        new = {path.name for path in (*out.iterdir(), stamp) if path.stat().st_mtime != 1}
        for path in (*out.iterdir(), stamp):
            os.utime(path, (1, 1))
        return new

    model.write_bytes((SINE / "sine.tflite").read_bytes())
    everything = {"sine.c", "sine.h", "sine.memory.svg", "sine.report.json", "stamp"}
    assert compile_and_age() == everything
    assert compile_and_age() == {"stamp"}
    model.write_bytes(with_other_weight(model.read_bytes()))
    assert compile_and_age() == {"sine.c", "sine.report.json", "stamp"}


@pytest.mark.parametrize("option", ["--depfile", "--stamp"])
def test_cannot_be_written(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One error that names the file; a failure before it leaves no stamp."""
    (tmp_path / "file").touch()
    model, out = str(SINE / "sine.tflite"), str(tmp_path / "out")
    words = ["--out", out, "--quiet", option, str(tmp_path / "file" / "below")]
    assert main(["compile", model, *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"{tmp_path}/file/below: error: cannot be written (")
    stamp = tmp_path / "stamp"
    assert main(["compile", str(tmp_path / "file"), "--stamp", str(stamp)]) == 1
    assert not stamp.exists()
