"""A source tree that is read-only, behind a symbolic link, dated in the future, with lines that end
as on Windows, on a file system without locks: all at once, and nothing is different."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

from tests.frontends.builds import SINE, files_under, run, scons
from tests.frontends.conftest import Build
from tests.frontends.stranger import ENVIRONMENT, write_main, write_sconstruct
from tinyml_rules.compiler import compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

SCONSTRUCT = """\
Import("env")
env.Program("fw", ["main.c", "sine.tflite"])
"""
WITHOUT_LOCKS = """\
import errno, fcntl, os

def flock(descriptor, operation):
    open(os.environ["ASKED"], "a").write("flock\\n")
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

fcntl.flock = flock
"""
OPTIONS = '# of this model\noptimize = "layers"\n'
YEAR_S = 365 * 24 * 3600


def windows(file: Path) -> None:
    """Lines that end with CR and LF."""
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))


def expected() -> bytes:
    """The C with the options of the file."""
    model = (SINE / "sine.tflite").read_bytes()
    request = Request(model, "sine", load_target("host"), optimize=Optimize.LAYERS)
    return compile_model(request).files["sine.c"].encode()


def odd_tree(folder: Path) -> Path:
    """The tree, by a link."""
    tree = folder / "tree"
    tree.mkdir()
    shutil.copy2(SINE / "sine.tflite", tree)
    (tree / "sine.tinyml.toml").write_text(OPTIONS)
    write_main(tree, "sine")
    (tree / "SConscript").write_text(SCONSTRUCT)
    later = time.time() + YEAR_S
    for file in tree.iterdir():
        if file.suffix != ".tflite":
            windows(file)
        file.chmod(0o444)
        os.utime(file, (later, later))
    tree.chmod(0o555)
    (folder / "link").symlink_to(tree, target_is_directory=True)
    return folder / "link"


def test_scons(tmp_path: Path, installed_python: Path, build_: Build) -> None:
    """Built in a folder of its own, twice; nothing comes into the tree."""
    link = odd_tree(tmp_path)
    before = files_under(tmp_path / "tree")
    (tmp_path / "build").mkdir()
    places = f'SConscript("{link}/SConscript", variant_dir="out", duplicate=0, exports="env")\n'
    (tmp_path / "build" / "SConstruct").write_text(ENVIRONMENT.format(settings="") + places)
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "sitecustomize.py").write_text(WITHOUT_LOCKS)
    asked = tmp_path / "asked"
    variables = {"PYTHONPATH": str(tmp_path / "python"), "ASKED": str(asked)}
    words = [str(installed_python), "-m", "SCons", "-Q"]
    done = run(words, tmp_path / "build", variables=variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert asked.read_text() == "flock\n", "the build went on without a lock"
    (source,) = (tmp_path / "build").rglob("sine.c")
    assert source.read_bytes() == expected()
    assert files_under(tmp_path / "tree") == before
    assert build_(tmp_path / "build") == "scons: `.' is up to date.\n"


def test_command_line(tmp_path: Path, installed_python: Path) -> None:
    """The same files through Make and the command line, twice."""
    link = odd_tree(tmp_path)
    before = files_under(tmp_path / "tree")
    makefile = (
        f"include $(shell tinyml_rules where make)/tinyml.mk\n$(call tinyml_model,sine,{link}/"
    )
    (tmp_path / "Makefile").write_text(f"{makefile}sine.tflite,host)\nall: $(TINYML_SOURCES)\n")
    path = f"{installed_python.parent}{os.pathsep}{os.environ['PATH']}"
    outputs = [run(["make"], tmp_path, variables={"PATH": path}) for _ in range(2)]
    assert [each.returncode for each in outputs] == [0, 0], outputs
    assert (tmp_path / "tinyml" / "sine" / "sine.c").read_bytes() == expected()
    assert files_under(tmp_path / "tree") == before


CACHED = ('CacheDir("../cache")', 'env.Program("fw", ["main.c", "sine.tflite"])')


def test_damaged_cache(tmp_path: Path) -> None:
    """Entries that were cut are an error, not a firmware; without the cache, all is well again."""
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copy2(SINE / "sine.tflite", folder)
        write_main(folder, "sine")
        write_sconstruct(folder, *CACHED)
    first = scons(tmp_path / "first")
    assert (first.returncode, first.stderr) == (0, "")
    entries = [each for each in (tmp_path / "cache").glob("*/*") if each.is_file()]
    assert len(entries) >= 6
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])
    second = scons(tmp_path / "second")
    assert second.returncode == 2 and "error: unterminated" in second.stderr
    assert not (tmp_path / "second" / "fw").exists()
    shutil.rmtree(tmp_path / "cache")
    assert scons(tmp_path / "second", "-c").returncode == 0
    again = scons(tmp_path / "second")
    assert (again.returncode, again.stderr) == (0, "")
    good, found = (files_under(tmp_path / name) for name in ("first", "second"))
    assert found == good
