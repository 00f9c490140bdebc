"""A crate of Rust as a whole: its declarations next to the header, its documentation, what it
follows, and models that it is not for."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.docs.steps import tools
from tests.frontends.builds import SINE
from tests.package.package_builds import Answers, answers_of, expected_answers, printed_by
from tests.package.rust_builds import Package, cargo, workspace
from tests.package.rust_models import packages_of
from tests.partition.models import MODELS
from tinyml_rules.cli import main

MODEL = SINE / "sine.tflite"
_C_TYPES = {
    "*mut c_void": "void *",
    "*const c_void": "const void *",
    "c_int": "int",
    "bool": "_Bool",
    "": "void",
    "f32": "float",
    **{
        f"{letter}{bits}": f"{sign}int{bits}_t"
        for letter, sign in (("i", ""), ("u", "u"))
        for bits in (8, 16, 32, 64)
    },
}


@pytest.fixture(scope="module")
def crates(zoo_model: ZooModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of many packages, none of which is built."""
    made = packages_of(tmp_path_factory.mktemp("models"), zoo_model("kws"))
    sine = Package("sine", MODEL, "nrf51")
    return workspace(tmp_path_factory.mktemp("rust"), [sine, *made.values()], {})


@pytest.mark.parametrize("header", ["include", "host"])
def test_declarations(header: str, crates: Path, tmp_path: Path) -> None:
    """A C compiler takes the declarations of Rust, in C, next to the header: another type of a
    function, size or scale would be an error."""
    for file in crates.glob("*/src/model.rs"):
        name, folder = file.parts[-3], file.parents[1] / header
        if folder.is_dir():
            text = file.read_text(encoding="utf-8")
            lines = [*in_c(text), *constants(text, name.upper())]
            source = tmp_path / f"{name}.c"
            source.write_text("\n".join((f'#include "{name}.h"', *lines, "")))
            flags = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{folder}")
            printed_by(["gcc", *flags, source], tmp_path)


def in_c(text: str) -> list[str]:
    """The functions that the file declares, in C."""
    found = re.findall(r"^ {8}pub fn (\w+)\((.*)\)(?: -> (.*))?;$", text, re.M)
    assert len(found) >= 3
    lines = []
    for name, parameters, result in found:
        types = [c_type(each.split(": ")[1]) for each in parameters.split(", ")]
        lines.append(f"{c_type(result)} {name}({', '.join(types)});")
    return lines


def c_type(word: str) -> str:
    """A type of Rust in C."""
    if word in _C_TYPES:
        return _C_TYPES[word]
    sort, _, name = word.removeprefix("*").partition(" ")
    return f"{'const ' if sort == 'const' else ''}{_C_TYPES[name]} *"


def constants(text: str, macro: str) -> list[str]:
    """Assertions of what the modules of tensors say, and of a size that some arena has."""
    sizes = re.findall(r"pub const ARENA_BYTES: usize = (\d+);", text)
    of_arena = " || ".join(f"{macro}_ARENA_BYTES == {size}" for size in sizes)
    wanted = [of_arena]
    for module, body in re.findall(r"^pub mod (\w+) \{\n(.*?)^\}", text, re.M | re.S):
        for what, value in re.findall(r"pub const (COUNT|SCALE|ZERO_POINT): \w+ = (\S+);", body):
            number = value.replace("_f32", "f")
            wanted.append(f"{macro}_{module.upper()}_{what} == {number}")
        shape = re.search(r"SHAPE: \[usize; \d+\] = \[(.*)\];", body)
        assert shape is not None
        count = " * ".join(shape[1].split(", ")) or "1"
        wanted.append(f"{macro}_{module.upper()}_COUNT == {count}")
    assert len(wanted) > 3
    return [f'_Static_assert({each}, "{macro}");' for each in wanted]


@pytest.mark.parametrize(
    ("options", "where"),
    [
        (("--arena=shared",), "arena"),
        (("--weights=external",), "weights"),
        (("--weights=partition",), "weights"),
        (("--hooks",), "hooks"),
        (("--dump",), "dump"),
        (("--partition",), "partition"),
        (("--target=atmega328",), "target"),
        (("--name=match",), "name"),
        (("--name=core",), "name"),
    ],
    ids=str,
)
def test_refused(
    options: tuple[str, ...], where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By one line that names the option; nothing is written."""
    words = ["package", "rust", str(MODEL), "--target=nrf51", "--out", str(tmp_path / "out")]
    assert main([*words, *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{where}: error: ")
    assert len(error.splitlines()) == 2
    assert not (tmp_path / "out").exists()


def test_tensors_in_another_region(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are not in the arena."""
    out = tmp_path / "out"
    words = ["--target=stm32f405", "--optimize=layers", "--place=sine/dense_0/relu=fast"]
    assert main(["package", "rust", str(MODEL), *words, "--out", str(out)]) == 2
    assert capsys.readouterr().err.startswith("place: error: tensors in another region")


def test_tests_of_the_crate(crates: Path) -> None:
    """The example of its documentation, and the documentation itself, without a warning."""
    printed = cargo(crates, "test", "--doc", "-p", "several", "-p", "spotter")
    assert printed.count("test result: ok. 1 passed") == 2
    cargo(crates, "doc", "--no-deps", "-p", "decides")


def test_a_model_that_changes(crates: Path, tmp_path: Path) -> None:
    """With `regenerate` the crate follows the file in it; without, the C of the package stays."""
    found = tools(tmp_path)
    variables = {name: found[name] for name in ("PATH", "PYTHONPATH")}
    model = crates / "sine" / "model" / "sine.tflite"

    def answers(*words: str) -> Answers:
        run = ("run", "-q", "-p", "sine", "--example", "run", *words)
        return answers_of(cargo(crates, *run, variables=variables))

    before = expected_answers(model)
    assert answers("--features=regenerate") == before
    model.write_bytes(MODELS["int8"].file)
    os.utime(model, (2**31, 2**31))
    assert answers("--features=regenerate") == expected_answers(model) != before
    assert answers() == before
