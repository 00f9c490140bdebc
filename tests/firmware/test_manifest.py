"""The manifest of a build: what is in it, that it is the same anywhere, and what is found by it."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, scons
from tests.frontends.stranger import write_main, write_sconstruct
from tests.support.combined import target_or_skip
from tinyml_rules import __version__
from tinyml_rules.cli import main

SCONS = """
model = env.TinymlModel("sine.tflite")
program = env.Program("fw", ["main.c", "sine.tflite"])
env.TinymlManifest("fw.manifest.json", [model, program, "sine.tflite"])
"""


def built(folder: Path) -> Path:
    """A folder with a model, its C, and a file that stands for an object."""
    folder.mkdir(parents=True)
    shutil.copy2(SINE / "sine.tflite", folder)
    words = ["--target", "atmega328", "--optimize", "layers", "--quiet", "--out"]
    assert main(["compile", str(folder / "sine.tflite"), *words, str(folder / "gen")]) == 0
    (folder / "link.ld").write_text("/* memory */\n")
    return folder


def written(folder: Path, *more: str, out: str = "manifest.json") -> int:
    """The status of the command."""
    report, model = str(folder / "gen" / "sine.report.json"), str(folder / "sine.tflite")
    return main(["manifest", report, model, *more, "-o", str(folder / out)])


def test_what_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Model, options, compiler, files; the same bytes from two folders, and no path of either."""
    target_or_skip("host")
    texts = []
    for name in ("one", "another/place"):
        folder = built(tmp_path / name)
        flags = f"-Os -I{folder}/gen -Wl,--script={folder}/link.ld -DX=y"
        script = str(folder / "link.ld")
        assert written(folder, script, "--compiler", "gcc", f"--flags={flags}") == 0
        texts.append((folder / "manifest.json").read_text())
    monkeypatch.chdir(folder)
    assert main(["manifest", "gen/sine.report.json", "-o", "short.json"]) == 0
    assert texts[0] == texts[1] and str(tmp_path) not in texts[0]
    found = json.loads(texts[0])
    assert found["tinyml_rules"]["version"] == __version__
    assert all(found["tinyml_rules"]["libraries"].values())
    (model,) = found["models"]
    assert model["options"] == {"optimize": "layers"} and model["target"] == "atmega328"
    assert model["sha256"] == found["files"]["sine.tflite"]["sha256"]
    assert found["flags"] == ["-Os", "-Igen", "-Wl,--script=link.ld", "-DX=y"]
    assert {"gcc", "cc1", "as"} <= found["compiler"]["sha256"].keys()
    files = ["gen/sine.c", "gen/sine.h", "gen/sine.memory.svg", "gen/sine.report.json"]
    assert sorted(found["files"]) == [*files, "link.ld", "sine.tflite"]
    for name, each in found["files"].items():
        data = (folder / name).read_bytes()
        assert each == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert sorted(json.loads((folder / "short.json").read_text())["files"]) == files


def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each file that is gone or another one has a line of its own."""
    folder = built(tmp_path / "firmware")
    assert written(folder) == 0
    manifest = folder / "manifest.json"
    capsys.readouterr()
    assert main(["manifest", "--verify", str(manifest)]) == 0
    assert capsys.readouterr().out == f"{manifest}: every file is the one that was built\n"
    source = folder / "gen" / "sine.c"
    source.write_bytes(source.read_bytes().replace(b"int8_t", b"int16_t", 1))
    (folder / "gen" / "sine.h").unlink()
    assert main(["manifest", "--verify", str(manifest)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{source}: error: is not the file of the manifest",
        f"{folder}/gen/sine.h: error: is not there, expected the file of the manifest",
    ]


def test_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not of one build, is no manifest, or is in the way."""
    folder = built(tmp_path / "firmware")
    (folder / "other.tflite").write_bytes((folder / "sine.tflite").read_bytes() + b"\0")
    (folder / "mine.json").write_text("{}\n")
    broken = folder / "broken.elf"
    broken.write_bytes(b"\x7fELF and no more")
    for words, status, message in (
        ([str(folder / "other.tflite")], 2, "is not what the reports were made of"),
        ([str(folder / "none.elf")], 2, "none.elf: error: cannot be read"),
        ([str(broken)], 2, "cannot be read as an ELF file"),
        (["--flags='"], 2, "which no shell reads"),
        (["--compiler", "no-such-gcc"], 3, "'no-such-gcc' is not installed"),
        (["--verify", str(folder / "mine.json")], 2, "expected either --out to write one or"),
    ):
        assert written(folder, *words) == status, words
        assert message in capsys.readouterr().err
    assert not (folder / "manifest.json").exists()
    assert written(folder, out="mine.json") == 2
    assert (folder / "mine.json").read_text() == "{}\n"
    assert main(["manifest", "--verify", str(folder / "mine.json")]) == 2
    assert "is not a manifest of a build" in capsys.readouterr().err


def test_scons(tmp_path: Path) -> None:
    """The nodes of a build, with the environment's compiler; a program says who made it."""
    target_or_skip("host")
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy2(SINE / "sine.tflite", folder)
        write_main(folder, "sine")
        write_sconstruct(folder, SCONS)
        done = scons(folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert "MANIFEST fw.manifest.json" in done.stdout
        texts.append((folder / "fw.manifest.json").read_text())
    assert texts[0] == texts[1] and str(tmp_path) not in texts[0]
    found = json.loads(texts[0])
    assert found["files"]["fw"]["made_by"] and found["compiler"]["program"] == "gcc"
    assert "build/host/sine/sine.c" in found["files"] and "-Os" not in found["flags"]
    assert main(["manifest", "--verify", str(folder / "fw.manifest.json")]) == 0
