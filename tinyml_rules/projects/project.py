"""A new project: its files, by path, from a model, a kind and a target.

What is written: the model, its file of options, vectors for its test, a main program, the kind's
own files, the part's startup code where the kind needs it, and a README with the commands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tinyml_rules.compare.reference import CHOICES, TFLM
from tinyml_rules.compiler import Compiled
from tinyml_rules.editors.vscode import FOLDER as EDITOR_FOLDER
from tinyml_rules.editors.vscode import vscode_files
from tinyml_rules.emit.decisions import event_functions
from tinyml_rules.errors import UsageError, did_you_mean
from tinyml_rules.package.kinds import KINDS as PACKAGES
from tinyml_rules.package.model_files import example
from tinyml_rules.package.order import Label
from tinyml_rules.package.order import Order as PackageOrder
from tinyml_rules.projects.kind import Kind
from tinyml_rules.projects.options import options_files
from tinyml_rules.projects.part import FOLDER as PART_FOLDER
from tinyml_rules.projects.part import Part, part_of
from tinyml_rules.projects.render import (
    VECTORS,
    Words,
    commands_of,
    filled,
    filled_text,
    shared,
    words_of,
)
from tinyml_rules.projects.vectors import Vectors, recorded_vectors
from tinyml_rules.request.options_file import OPTIONS_SUFFIX
from tinyml_rules.target.target import Target

Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Project:
    """A new project: `files` by path, `commands` that build and test it, from `where`, and the
    `vectors` of the test."""

    files: Files
    commands: tuple[str, ...]
    where: str
    vectors: Vectors


@dataclass(frozen=True)
class Order:
    """What is asked for.  `word`: the target as the user calls it; `model`: the user's file, whose
    bytes are `data`."""

    kind: Kind
    target: Target
    word: str
    name: str
    model: Path
    data: bytes
    folder: str = ""
    """The name of the project's folder."""


def words_for(order: Order, *, model: str, test: str = VECTORS, is_new: bool = True) -> Words:
    """What the templates speak of; a firmware that is not new has startup code of its own."""
    kind, core = order.kind, _core(order)
    board = kind.boards.get(core) or kind.boards.get("", "")
    words = Words(order.name, model, order.word, test=test, board=board, core=core)
    has_part = kind.has_startup and is_new
    return replace(words, part=part_of(order.target) if has_part else Part())


def _core(order: Order) -> str:
    """The target with a folder of its own, whose C the part or the board runs."""
    part = order.target.part
    return part.target if part else order.target.name


def check_order(order: Order) -> None:
    """Raise UsageError for a name or a target that the kind does not take."""
    kind, name = order.kind, order.name
    if name in kind.taken:
        what = f"'{name}' is taken in a project of {kind.title}, expected another name"
        raise UsageError.at("name", what, hint="choose another one with --name")
    if kind.boards and not {_core(order), ""} & set(kind.boards):
        known = [each for each in kind.boards if each]
        what = f"no board of {kind.title} is known for '{order.word}', expected one of "
        hint = did_you_mean(order.word, known)
        raise UsageError.at("target", what + ", ".join(known), hint=hint)
    if kind.architectures and order.target.architecture not in kind.architectures:
        what = f"'{order.word}' is of {order.target.architecture}, expected a target of "
        raise UsageError.at("target", what + ", ".join(kind.architectures))
    if kind.library:
        PACKAGES[kind.word].check(_package(order))
    if kind.has_startup:
        part_of(order.target)


def new_project(order: Order, compiled: Compiled) -> Project:
    """The files of a project.  Raises UsageError for what `check_order` refuses, and for the files
    that the file of options names."""
    kind = order.kind
    vectors = recorded_vectors(compiled)
    words = words_for(order, model=f"{order.name}.tflite", test=VECTORS if vectors.arrays else "")
    values = {
        **words_of(kind, order.target, words),
        **_of_model(compiled),
        "reference_words": reference_words(vectors.reference),
        "folder": order.folder or order.name,
        "description": order.target.description,
    }
    values |= {each: filled_text(getattr(kind, each), values) for each in ("where", "needs")}
    commands = commands_of(kind, values)
    files: Files = {words.model: order.data, **options_files(order.model, order.name)}
    files.update(_main(order, compiled, values))
    files.update(words.part.files)
    files.update(vscode_files(words.model, order.word, vectors=words.test))
    if vectors.arrays:
        files[VECTORS] = vectors.file
    files.update(filled(kind, "files", values))
    if kind.library:
        package = PACKAGES[kind.word].files(_package(order), compiled)
        folder = filled_text(kind.library, values)
        files.update({f"{folder}/{path}": each for path, each in package.items()})
    values = {**values, "commands": commands, "described": _described(order, files, values)}
    files["README.md"] = shared("readme.md.j2", values)
    return Project(files, commands, str(values["where"]), vectors)


def _main(order: Order, compiled: Compiled, values: dict[str, Any]) -> Files:
    """The main program: one that prints where there is something to print with."""
    kind = order.kind
    if not kind.main:
        return {}
    if kind.prints or order.target.memory is None:
        text = example(_package(order), compiled, main=kind.main_function)
    else:
        text = shared("part_main.c.j2", values)
    return {filled_text(kind.main, values): text}


def reference_words(reference: str) -> str:
    """How a sentence calls what the outputs of the vectors are from."""
    if reference == CHOICES[TFLM]:
        return "TensorFlow Lite for Microcontrollers (TFLM)"
    return (
        "tinyml_rules' own definitions of the operators in numpy, because TFLM (the Python package "
        "tflite-micro) was not installed or does not take the model"
    )


def _described(order: Order, files: Files, values: dict[str, Any]) -> list[tuple[str, str]]:
    """(path, what it is) of the files, those of a folder once."""
    main, library = (filled_text(each, values) for each in (order.kind.main, order.kind.library))
    words = {
        f"{order.name}.tflite": "the model",
        f"{order.name}{OPTIONS_SUFFIX}": "options of the model, for every build system",
        VECTORS: "inputs and expected outputs of the test",
        main: "the main program",
        f"{EDITOR_FOLDER}/": "tasks for VS Code, and schemas of the TOML files for any editor",
        f"{PART_FOLDER}/": "startup code and linker script of the part",
        f"{library}/": f"the model as a {PACKAGES[order.kind.word].title}" if library else "",
    }
    folders = [each for each in words if each.endswith("/") and each != "/"]
    found = {}
    for path in files:
        folder = next((each for each in folders if path.startswith(each)), path)
        other = "the main program" if path.endswith((".c", ".ino")) else "the build"
        found[folder] = words.get(folder, other)
    return list(found.items())


def _package(order: Order) -> PackageOrder:
    return PackageOrder(order.kind.word, order.name, order.target, Label(), Path(order.name))


def _of_model(compiled: Compiled) -> dict[str, Any]:
    return {
        "interface": compiled.interface,
        "microphone": compiled.report.microphone,
        "events": event_functions(compiled.interface, compiled.decisions),
        "report": compiled.report,
    }
