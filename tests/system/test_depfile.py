"""The depfile and the stamp of `compile`, as Make and Ninja read them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import SINE, Done, run, with_other_weight
from tests.frontends.float_model import calibration, float_model, write_labels
from tinyml_rules.cli import main
from tinyml_rules.system.depfile import depfile_text
from tinyml_rules.system.sources import accuracy_files, compiler_files, quantizer_files
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
OF_WINDOWS = ["C:\\x\\y.h", "C:\\a b\\y.h", "\\\\host\\share\\a b.h"]
"""Paths of Windows, as files of such names here: with Ninja, which reads them on every system."""

MAKEFILE = "made: ; touch made\ninclude made.d\n"
NINJA = "rule touch\n  command = touch made\n  depfile = made.d\nbuild made: touch\n"
BUILDS = {"make": ("Makefile", MAKEFILE), "ninja": ("build.ninja", NINJA)}


def build(folder: Path, program: str) -> Done:
    """Build `made`, which has to succeed."""
    done = run([program, "made"], folder, timeout_s=30)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.parametrize(
    ("program", "name"),
    [
        *((program, name) for program in BUILDS for name in NAMES),
        *(("ninja", n) for n in OF_WINDOWS),
    ],
)
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


def test_contents_of_other_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quantized model names the samples and the files of the quantizer; a judged one its vectors,
    and what builds and runs a firmware on this computer."""
    monkeypatch.chdir(tmp_path)
    Path("float.tflite").write_bytes(float_model())
    np.save("cal.npy", calibration())
    words = ["quantize", "float.tflite", "--calibration", "cal.npy", "--validate", "cal.npy"]
    assert main([*words, "--out", "a/small.tflite", "--depfile", "a/d", "--quiet"]) == 0
    target, *names = rule_of(Path("a/d"))
    assert target == "a/small.tflite:"
    sources = quantizer_files("cli.py", "api/quantize.py", "commands/quantize.py")
    assert {"float.tflite", "cal.npy", *sources} == set(names)
    write_labels(tmp_path, Path("a/small.tflite").read_bytes())
    words = ["accuracy", "a/small.tflite", "--vectors", "labelled.npz", "--depfile", "a/d"]
    assert main([*words, "--out", "a/small.accuracy.json"]) == 0
    target, *names = rule_of(Path("a/d"))
    assert target == "a/small.accuracy.json:"
    host = [str(file) for file in load_target("host").files]
    sources = accuracy_files("cli.py", "commands/accuracy.py")
    assert {"a/small.tflite", "labelled.npz", *sources, *host} == set(names)


def rule_of(depfile: Path) -> list[str]:
    """The words of its first rule."""
    return depfile.read_text().replace(" \\\n", "").splitlines()[0].split()


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
