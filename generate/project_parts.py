"""What `init` writes and adds, as the pages show it: the templates with one model and target.

The part `lines_cmake_CMakeLists` of a page is what `init cmake` adds to a CMakeLists.txt, and
`files_scons_SConstruct` the SConstruct of a new project, each as a block of its language.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tinyml_rules.projects.kind import Kind, kinds
from tinyml_rules.projects.project import Order, words_for
from tinyml_rules.projects.render import VECTORS, commands_of, filled, words_of
from tinyml_rules.reporting.rows import Rows, markdown
from tinyml_rules.target.target import load_target

NAME = "sine"
TARGET = "atmega328"
SHOWN = {"cmsis-pack": "stm32f405", "esp-idf": "esp32c3", "rtthread": "lm3s6965", "zephyr": "host"}
"""The target of a kind's part, where it is another one."""
FILES = {"scons": "SConstruct", "rtthread": "SConscript"}
"""The file of a new project that is a part of a page, by its kind."""
_LANGUAGES = {
    **{"CMakeLists.txt": "cmake", "Makefile": "make", "meson.build": "meson"},
    **{"SConstruct": "python", "SConscript": "python", "tinyml.py": "python"},
    **{"platformio.ini": "ini", "BUILD.bazel": "starlark", "cproject.yml": "yaml"},
    **{f"{NAME}.ino": "cpp", "terminal": "sh"},
}


def project_parts() -> dict[str, str]:
    """{name of a part: its text}."""
    found = dict(part for kind in kinds().values() for part in _parts(kind))
    return {**found, "kinds_of_projects": markdown(_rows())}


def _rows() -> Rows:
    rows: Rows = []
    for kind in kinds().values():
        values = {**_values(kind, model=f"{NAME}.tflite", test=VECTORS), "folder": NAME}
        commands = (f"`{each}`" for each in commands_of(kind, values))
        rows.append(
            {
                "`KIND`": f"`{kind.word}`",
                "for": kind.title,
                "what builds and tests it": ", ".join(commands),
            }
        )
    return rows


def added_to(kind: Kind, *, model: str, target: str = "", program: str = "") -> dict[str, str]:
    """{file: what a firmware gets}, for the sine model and a program that is called `program`."""
    values = _values(kind, model=model, target=target)
    return filled(kind, "lines", {**values, **({"firmware": program} if program else {})})


def _values(kind: Kind, *, model: str, target: str = "", test: str = "") -> dict[str, Any]:
    word = target or SHOWN.get(kind.word, TARGET)
    order = Order(kind, load_target(word), word, NAME, Path(model), b"")
    return words_of(kind, order.target, words_for(order, model=model, test=test))


def _parts(kind: Kind) -> Iterator[tuple[str, str]]:
    found = {"lines": added_to(kind, model=f"models/{NAME}.tflite")}
    if kind.word in FILES:
        values = _values(kind, model=f"{NAME}.tflite")
        found["files"] = filled(kind, "files", values, only=FILES[kind.word])
    for part, texts in found.items():
        for file, text in texts.items():
            name = f"{part}_{kind.word}_{file.split('.')[0]}".replace("-", "_")
            yield name, f"```{_LANGUAGES.get(file, 'text')}\n{text}```"
