"""One cache for a team: other clones, versions of Python and of SCons retrieve everything; and the
same bytes come out on every path, with debug information too."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, build, files_under, has_worked, run
from tests.frontends.conftest import pip
from tests.frontends.stranger import BARE_MAIN, write_sconstruct
from tests.support.hand_written import target_or_skip

OLDEST_SCONS = "4.4.0"
LINES = (
    'CacheDir("../cache")',
    'env.Program("fw", ["main.c", "sine.tflite"])',
    'env.TinymlFirmware("sine.tflite")',
    'env.TinymlTest("sine_test", "sine.tflite", vectors="vectors.npz")',
)


def other_python() -> str:
    """A newer Python that is installed beside the one that runs this; where there is none, the
    same one, in a virtual environment of its own."""
    beside = Path(sys.base_prefix).parent.glob("3.*/bin/python3")
    names = [f"python3.{minor}" for minor in range(14, sys.version_info.minor, -1)]
    for candidate in (*names, *map(str, sorted(beside, reverse=True))):
        if shutil.which(candidate):
            script = "import sys; sys.exit(sys.version_info[:2] <= (3, int(sys.argv[1])))"
            words = [candidate, "-c", script, str(sys.version_info.minor)]
            if run(words, Path.cwd()).returncode == 0:
                return candidate
    return sys.executable


@pytest.fixture(scope="module")
def pythons(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel in virtual environments of both Pythons, with the oldest SCons in the second and
    the newest in the third."""
    found = []
    for base, scons in (
        (sys.executable, "scons"),
        (sys.executable, f"scons=={OLDEST_SCONS}"),
        (other_python(), "scons"),
    ):
        folder = tmp_path_factory.mktemp("installed")
        done = run([base, "-m", "venv", "--without-pip", folder], folder)
        assert done.returncode == 0, done.stderr
        python = folder / "bin" / "python"
        pip([sys.executable, "-m", "pip", "--python", python, "install", wheel, scons], folder)
        found.append(python)
    return found


def clone(folder: Path) -> Path:
    """A firmware with a model, its measured image and its test."""
    folder.mkdir(parents=True)
    for file in ("sine.tflite", "vectors.npz"):
        shutil.copy2(SINE / file, folder)
    (folder / "main.c").write_text(BARE_MAIN)
    write_sconstruct(folder, *LINES, settings='CCFLAGS=["-g"],')
    return folder


@pytest.mark.parametrize("target", ["atmega328", "nrf52840"])
def test_cache(target: str, pythons: list[Path], tmp_path: Path) -> None:
    """Everything is retrieved, nothing built, and each file has the bytes that were built."""
    target_or_skip(target)
    first = clone(tmp_path / "first")
    assert has_worked(build(first, f"target={target}", python=pythons[0]))
    built = files_under(first)
    for number, python in enumerate(pythons):
        folder = clone(tmp_path / f"clone {number}")
        printed = build(folder, f"target={target}", python=python)
        assert not has_worked(printed), f"{python}: {printed}"
        assert "Retrieved `fw.elf' from cache" in printed
        found = files_under(folder)
        assert {name: built[name] for name in found} == found
        assert {"fw.elf", "main.su", f"build/{target}/sine/sine_test.passed"} <= found.keys()
        assert not has_worked(build(folder, f"target={target}", python=python))


@pytest.mark.parametrize("target", ["atmega328", "nrf52840"])
def test_paths(target: str, pythons: list[Path], tmp_path: Path) -> None:
    """Built twice, at paths of other lengths, by other versions, one of them with many jobs and
    both with -g: every object and ELF file is the same."""
    target_or_skip(target)
    built = []
    for folder, python, jobs in (("a", pythons[0], "-j1"), ("b/longer path", pythons[2], "-j8")):
        where = clone(tmp_path / folder)
        write_sconstruct(where, *LINES[1:], settings='CCFLAGS=["-g"],')
        build(where, f"target={target}", jobs, python=python)
        kinds = (".o", ".elf", ".c", ".h", ".json", ".passed")
        files = files_under(where).items()
        built.append({name: data for name, data in files if name.endswith(kinds)})
    assert built[0].keys() == built[1].keys()
    assert [name for name in built[0] if built[0][name] != built[1][name]] == []
    assert any(section in built[0]["fw.elf"] for section in (b".debug_info", b".stab"))
