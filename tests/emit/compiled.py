"""Compiles models to C for the tests of this folder, and hands the C to the host's compilers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops.add.cases import add
from tinyml_rules.request.request import Request
from tinyml_rules.system.process import run_tool
from tinyml_rules.target.target import load_target

STRICT = (
    *("-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion"),
    *("-Wshadow", "-Wundef", "-Wcast-qual"),
)
STRICT_C = (*STRICT, "-Wmissing-prototypes", "-Wstrict-prototypes")
STRICT_CPP = (*STRICT, "-Wold-style-cast")


def compile_c(model: ModelSpec | bytes, *, name: str = "model", target: str = "host") -> Compiled:
    """The generated files of a model, each layer with its own kernel."""
    data = model if isinstance(model, bytes) else build_model(model)
    request = Request(data, name, load_target(target), optimize=Optimize.LAYERS)
    return compile_model(request)


def write(compiled: Compiled, folder: Path) -> Path:
    """Write the files; returns the folder."""
    folder.mkdir(exist_ok=True)
    for name, text in compiled.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def build_program(main: str, *compiled: Compiled, folder: Path, suffix: str = "c") -> Path:
    """A program of `main` in C or C++ (by its suffix) and the models, without any warning."""
    source, program = folder / f"program.{suffix}", folder / "program"
    source.write_text(main, encoding="utf-8")
    for each in compiled:
        write(each, folder)
    compilers = {
        "c": ("gcc", "-std=c11", *STRICT_C),
        "cpp": ("g++", "-std=c++98", *STRICT_CPP),
    }
    objects = []
    for file in (source, *(folder / f"{each.interface.name}.c" for each in compiled)):
        compiler = compilers[file.suffix[1:]]
        objects.append(str(file.with_suffix(".o")))
        run_tool([*compiler, "-c", str(file), "-o", objects[-1]], where=file.name)
    run_tool([compilers[suffix][0], *objects, "-o", str(program)], where="program")
    return program


def named_model(first: str, second: str) -> ModelSpec:
    """Two inputs and two outputs, both pairs with these names."""
    model = add((1, 3), (1, 3))
    names = (first, second, first)
    tensors = [
        replace(tensor, name=name) for tensor, name in zip(model.tensors, names, strict=True)
    ]
    return replace(
        model,
        tensors=(*tensors, quantized(second, (1, 3))),
        operators=(*model.operators, OperatorSpec("RELU", (2,), (3,))),
        outputs=(2, 3),
    )
