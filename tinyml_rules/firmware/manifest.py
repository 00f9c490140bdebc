"""The manifest of a build: hashes of what went in and of what came out, and who made it.

No date, no user, no path outside of the build: two builds of the same are the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from tinyml_rules import __version__
from tinyml_rules.errors import Problem, UsageError
from tinyml_rules.firmware.linked_code import a_users
from tinyml_rules.reporting.read import read_report
from tinyml_rules.system.files import read_file
from tinyml_rules.system.ours import is_ours
from tinyml_rules.system.process import run_program, run_tool
from tinyml_rules.system.programs import find_program
from tinyml_rules.system.sources import compiler_files, digests_of
from tinyml_rules.system.tables import read_json

COMMENT = "tinyml_rules: the manifest of a build"
FORMAT = 1
LIBRARIES = ("numpy", "jinja2", "flatbuffers", "tflite", "pyelftools")
"""By which a model is read and its C is written."""
REPORTS = (".report.json", ".model.json")
_BESIDE = (".c", ".h", ".memory.svg", ".weights.bin")
"""What the compiler writes next to a report."""
_STEPS = ("cc1", "as", "collect2", "ld")
"""The programs that GCC's driver runs."""
_ANSWERS_S = 60.0
"""A driver that takes longer to name one hangs."""
_FOLDERS = re.compile(r"(?:(?<=^-[ILB])|(?<![\w./]))/(?:[^/\s\"']+/)*")


def manifest_text(
    files: Sequence[Path], folder: Path, *, compiler: str = "", flags: Sequence[str] = ()
) -> str:
    """The manifest, for a file in `folder`.  `files`: the compiler's reports, with which all files
    next to them that it wrote are taken, the linked firmware, and what else went in.

    Raises UsageError for a file that cannot be read, and where files are not of one build.
    """
    reports = [file for file in files if file.name.endswith(REPORTS) and is_ours(file)]
    models = [_model(file) for file in reports]
    every = dict.fromkeys([*files, *(each for report in reports for each in _beside(report))])
    _check_models(files, models)
    found = {
        "comment": COMMENT,
        "format": FORMAT,
        "tinyml_rules": {
            "version": __version__,
            "sources_sha256": _sha256("\n".join(digests_of(compiler_files()).values()).encode()),
            "python": ".".join(map(str, sys.version_info[:3])),
            "libraries": dict(_libraries()),
        },
        "models": models,
        "compiler": _compiler(compiler) if compiler else None,
        "flags": [_FOLDERS.sub("", flag) for flag in flags],
        "files": {_name(file, folder): _file(file) for file in sorted(every)},
    }
    return json.dumps(found, indent=2) + "\n"


def problems_of(manifest: Path) -> list[Problem]:
    """A problem for each file that is not as the manifest has it.  Raises UsageError for a file
    that is none."""
    found = read_json(manifest)
    if not isinstance(found, dict) or found.get("comment") != COMMENT:
        raise UsageError.at(str(manifest), "is not a manifest of a build")
    if found.get("format") != FORMAT or not isinstance(found.get("files"), dict):
        what = f"has format {found.get('format')}, expected {FORMAT}"
        raise UsageError.at(str(manifest), what, hint="verify it with the version that wrote it")
    problems = []
    for name, expected in found["files"].items():
        file = manifest.parent / name
        if not file.is_file():
            problems.append(Problem(str(file), "is not there, expected the file of the manifest"))
        elif not isinstance(expected, dict) or _digest(file) != expected.get("sha256"):
            problems.append(Problem(str(file), "is not the file of the manifest"))
    return problems


def _model(report: Path) -> Mapping[str, object]:
    found = read_report(report)
    return {
        "name": found.model,
        "sha256": found.model_sha256,
        "target": found.target,
        "version": found.version,
        "options": dict(found.options),
    }


def _check_models(files: Sequence[Path], models: Sequence[Mapping[str, object]]) -> None:
    """A model's file is one that a report is of."""
    hashes = {each["sha256"] for each in models}
    for file in files:
        if file.suffix == ".tflite" and _digest(file) not in hashes:
            what = "is not what the reports were made of, expected the file that was compiled"
            raise UsageError.at(str(file), what, hint="build again")


def _beside(report: Path) -> Iterator[Path]:
    (end,) = (each for each in REPORTS if report.name.endswith(each))
    for suffix in _BESIDE:
        file = report.with_name(report.name.removesuffix(end) + suffix)
        if is_ours(file):
            yield file


def _libraries() -> Iterator[tuple[str, str]]:
    for name in LIBRARIES:
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:  # on a path of its own, as Bazel has it
            yield name, ""


def _compiler(program: str) -> dict[str, object]:
    """Its version and the hashes of the programs that it runs; a part of it that is not there has
    none."""
    where = find_program(program)
    version = run_tool([program, "--version"], where=program).splitlines()[:1]
    assert where is not None, "it was just run"
    hashes = {Path(program).name: _digest(Path(where).resolve())}
    for step in _STEPS:
        asked = [program, f"-print-prog-name={step}"]
        done = run_program(asked, where=program, timeout_s=_ANSWERS_S)
        path = find_program(done.stdout.decode(errors="replace").strip())
        if done.returncode == 0 and path is not None:
            hashes[step] = _digest(Path(path).resolve())
    return {"program": Path(program).name, "version": "".join(version), "sha256": hashes}


def _name(file: Path, folder: Path) -> str:
    return Path(os.path.relpath(file.absolute(), folder.absolute())).as_posix()


def _file(file: Path) -> dict[str, Any]:
    data = read_file(file)
    found: dict[str, Any] = {"bytes": len(data), "sha256": _sha256(data)}
    if data.startswith(b"\x7fELF"):
        found["made_by"] = _producers(file)
    return found


def _producers(elf: Path) -> list[str]:
    """The compilers that an ELF file names, each once."""
    with a_users(elf), elf.open("rb") as opened:
        section = ELFFile(opened).get_section_by_name(".comment")
        data = b"" if section is None else section.data()
    return sorted({each.decode(errors="replace") for each in data.split(b"\0") if each})


def _digest(file: Path) -> str:
    return _sha256(read_file(file))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
