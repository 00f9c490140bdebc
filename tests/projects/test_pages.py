"""What `init` writes is what examples show: each has the lines, in their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from generate.project_parts import NAME, added_to
from tests.conftest import PROJECT
from tinyml_rules.projects.kind import kinds

EXAMPLES = PROJECT / "examples"
BUILD_FILES = {
    ("cmake", "CMakeLists.txt"): "cmake/CMakeLists.txt",
    ("make", "Makefile"): "make/Makefile",
    ("meson", "meson.build"): "meson/meson.build",
    ("scons", "SConstruct"): "scons/SConstruct",
    ("platformio", "platformio.ini"): "platformio/platformio.ini",
    ("platformio", "tinyml.py"): "platformio/tinyml.py",
}
"""(kind, file with lines): the example that has them."""
TUTORIAL = PROJECT / "docs" / "tutorials" / "own_firmware.md"


def missing(lines: str, text: str) -> list[str]:
    """The lines that are not in the text, each after the one before."""
    rest = iter(_bare(text))
    return [line for line in _bare(lines) if line not in rest]


def _bare(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize(("kind", "file"), BUILD_FILES)
def test_examples(kind: str, file: str) -> None:
    """With the example's own model and program."""
    model = f"../node/{NAME}.tflite"
    lines = added_to(kinds()[kind], model=model, program="node")[file]
    if kind == "scons":  # its program has more sources
        lines = lines.replace('env.Program("node", ["main.c", sine])\n', "")
    assert missing(lines, (EXAMPLES / BUILD_FILES[kind, file]).read_text(encoding="utf-8")) == []


def test_tutorial() -> None:
    """The Makefile of the tutorial."""
    lines = added_to(kinds()["make"], model=f"{NAME}.tflite")["Makefile"]
    assert missing(lines, TUTORIAL.read_text(encoding="utf-8")) == []


def test_a_line_that_is_missing_is_found() -> None:
    """Or one that is in another order."""
    assert missing("a\nb\n", "b\na\n") == ["b"]
    assert missing("a\n", "a b\n") == ["a"]


@pytest.mark.parametrize(
    "word", [each.word for each in kinds().values() if each.templates("lines")]
)
def test_projects(word: str) -> None:
    """A new project's build file has what a firmware gets that exists: by the same templates, or
    in the same order."""
    kind = kinds()[word]
    files = kind.templates("files")
    for name, file in kind.templates("lines").items():
        if name not in files or word in ("bazel", "scons"):  # their projects have rules of more
            continue
        text = files[name].read_text(encoding="utf-8")
        include = f'include "{file.relative_to(Path(kind.folder).parents[2]).as_posix()}"'
        assert include in text or missing(file.read_text(encoding="utf-8"), text) == []
