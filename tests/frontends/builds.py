"""Copies of this project and a stranger's folder, scons run in them, and what it printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import tflite
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.conftest import PROJECT
from tests.support.warm_python import run_module, without_path

SINE = PROJECT / "models" / "sine"

BUILD_PARTS = ("SConstruct", "site_scons", "tinyml_rules", "targets", "models", "benchmarks")
"""What a build of the project reads."""
PACKAGE_PARTS = (
    *("tinyml_rules", "targets"),
    *("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"),
)
"""What the wheel is made from."""

_WORK = re.compile(r"^(TINYML|CC|MAIN|LINK|OBJCOPY|REPORT|INPUTS|RUN|TEST)  +([^\s:]+)", re.M)
_ANY_WORK = re.compile(r"^(?:(?:TINYML|MAIN|LINK|OBJCOPY|REPORT|RUN|TEST)  |\S*gcc )", re.M)

_DRAFTS = shutil.ignore_patterns("*.pyc.*")
"""What another process of the tests is just writing."""

Done = subprocess.CompletedProcess[str]
HANGS_S = 1200.0
"""A command that has not ended by then hangs; what takes long on a busy machine does not."""


def copy_project(folder: Path, *, parts: tuple[str, ...] = BUILD_PARTS) -> Path:
    """A copy of this checkout without anything built, but with the bytecode of what it is, which
    Python takes by date and size of the source; `folder` is made."""
    folder.mkdir(parents=True)
    for part in parts:
        source = PROJECT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=_DRAFTS)
        else:
            shutil.copy2(source, folder / part)
    return folder


def run(
    command: Sequence[str | Path],
    folder: Path,
    *,
    variables: Mapping[str, str] | None = None,
    timeout_s: float = HANGS_S,
) -> Done:
    """Run a command in `folder` to its end, whatever comes of it."""
    environment = without_path(os.environ) | {**(variables or {})}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def scons(
    folder: Path, *arguments: str, python: str | Path = sys.executable, path: str = ""
) -> Done:
    """Run scons in `folder`; `path`, if given, is all that it is told of where programs are."""
    variables = {"PATH": path} if path else {}
    return run_module(python, "SCons", ["-Q", *arguments], folder=folder, variables=variables)


def build(folder: Path, *arguments: str, python: str | Path = sys.executable) -> str:
    """The same where nothing may go wrong, nor be warned of; returns what was printed."""
    done = scons(folder, *arguments, python=python)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def work(output: str) -> list[str]:
    """The steps that a build of the project took, sorted: `CC sine.o`."""
    return sorted(f"{word} {Path(file).name}" for word, file in _WORK.findall(output))


def has_worked(output: str) -> bool:
    """Whether a build ran a compiler, a linker or a step of ours."""
    return _ANY_WORK.search(output) is not None


def files_under(folder: Path) -> dict[str, bytes]:
    """{relative path: contents} of every file, SCons's own notes left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".sconsign")
    }


def symbols(elf_file: Path) -> set[str]:
    """The names in the symbol table of an ELF file."""
    with elf_file.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {symbol.name for symbol in table.iter_symbols()}


def architecture(elf_file: Path) -> str:
    """What an ELF file is for, as pyelftools calls it."""
    with elf_file.open("rb") as file:
        return str(ELFFile(file).get_machine_arch())


def with_other_weight(model: bytes, *, mask: int = 0x40) -> bytes:
    """A .tflite file in which bits of the first weight are turned over."""
    parsed = tflite.Model.GetRootAs(model)
    graph = parsed.Subgraphs(0)
    tensors = (graph.Tensors(index) for index in range(graph.TensorsLength()))
    weights = next(each for each in tensors if each.Name().endswith(b"weights"))
    values = parsed.Buffers(weights.Buffer()).DataAsNumpy().tobytes()
    assert model.count(values) == 1
    place = model.index(values)
    return model[:place] + bytes([model[place] ^ mask]) + model[place + 1 :]


def programs_without_avr_gcc(folder: Path) -> Path:
    """A folder to stand for the path, with what a build needs but avr-gcc; it is made."""
    folder.mkdir()
    for name in ("sh", "gcc", "as", "ld", "objdump", "avr-objdump"):
        path = shutil.which(name)
        assert path is not None
        (folder / name).symlink_to(path)
    return folder
