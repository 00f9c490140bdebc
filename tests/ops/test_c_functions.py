"""Operators whose kernel is a C function of the firmware's own: declared, called, and linked."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.ops.user_operators import gain_model, options_bytes, write_gain
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

WHOLE = 'c_function("board_gain")'
POINTWISE = 'c_function("board_gain", form=Form.POINTWISE, is_in_place=True)'
NO_PARAMS = {"op.py": ("Params(view.node.attrs.factor, view.output.count)", "Nothing()")}
FLAGS = ("-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")
FUNCTION = """\
#include "model.h"

void board_gain(const struct board_gain_params TINYML_FLASH *params, const int8_t *input,
    int8_t *output{parameter})
{{
    for (int i = 0; i < {count}; i++) {{
        output[i] = (int8_t)(input[i] * params->factor);
    }}
}}
"""
MAIN = """\
#include <stdio.h>
#include "model.h"

int main(void)
{
    for (int i = 0; i < 4; i++) {
        model_input()[i] = (int8_t)(10 * i);
    }
    model_invoke();
    for (int i = 0; i < 4; i++) {
        printf("%d ", model_output()[i]);
    }
    return 0;
}
"""


def compile_gain(
    folder: Path, *, kernel: str = WHOLE, target: str = "host", model: bytes | None = None
) -> Compiled:
    """The model with the function, written to the folder too."""
    if not (folder / "gain").exists():
        write_gain(folder / "gain", kernel=kernel)
    part = load_target(target)
    options = {"operators": (folder / "gain",)}
    compiled = compile_model(Request.of(model or gain_model(), "model", part, options))
    for name, text in compiled.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return compiled


def run(*command: str | Path, folder: Path) -> str:
    """What a program prints; it has to end well and say nothing else."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_header(tmp_path: Path) -> None:
    """The struct, once for all models that have it, and a prototype whose inputs are const."""
    header = compile_gain(tmp_path).files["model.h"]
    assert re.search(
        r"#ifndef (BOARD_GAIN_PARAMS_[0-9A-F]{8})\n#define \1\nstruct board_gain_params \{\n"
        r"    int8_t factor;\n    int count;\n\};\n#endif\n"
        r"void board_gain\(const struct board_gain_params TINYML_FLASH \*params, "
        r"const int8_t \*input, int8_t \*output\);\n",
        header,
    )


@pytest.mark.parametrize(
    ("kernel", "parameter", "count"),
    [(WHOLE, "", "params->count"), (POINTWISE, ", int count", "count")],
)
def test_firmware(kernel: str, parameter: str, count: str, tmp_path: Path) -> None:
    """Compiled without a warning, linked, and run; the header is for C++ too."""
    compile_gain(tmp_path, kernel=kernel)
    (tmp_path / "gain.c").write_text(FUNCTION.format(parameter=parameter, count=count))
    (tmp_path / "main.c").write_text(MAIN)
    run("gcc", *FLAGS, "main.c", "gain.c", "model.c", "-o", "program", folder=tmp_path)
    assert run("./program", folder=tmp_path) == "0 30 60 90 "
    run("g++", "-x", "c++", "-Wall", "-Werror", "-fsyntax-only", "model.h", folder=tmp_path)


@pytest.mark.parametrize("kernel", [WHOLE, POINTWISE])
def test_avr(kernel: str, tmp_path: Path) -> None:
    """The params lie in flash; the same function, word for word, reads them there."""
    target_or_skip("atmega328")
    compile_gain(tmp_path, kernel=kernel, target="atmega328")
    parameter = ", int count" if kernel == POINTWISE else ""
    text = FUNCTION.format(parameter=parameter, count="count" if parameter else "params->count")
    (tmp_path / "gain.c").write_text(text)
    (tmp_path / "main.c").write_text('#include "model.h"\nint main(void) { model_invoke(); }\n')
    flags = ("-mmcu=atmega328p", "-Os", *(flag for flag in FLAGS if flag != "-Wpedantic"))
    run("avr-gcc", *flags, "main.c", "gain.c", "model.c", "-o", "program", folder=tmp_path)
    assert "board_gain" in run("avr-nm", "program", folder=tmp_path)


def test_without_params(tmp_path: Path) -> None:
    """Nothing is declared for a struct without members, nor handed over."""
    nothing = "@dataclass(frozen=True)\nclass Nothing:\n    pass\n\n\ndef prepare"
    folder = write_gain(tmp_path / "gain", kernel=WHOLE, changes=NO_PARAMS)
    file = folder / "op.py"
    file.write_text(file.read_text().replace("def prepare", nothing))
    files = compile_gain(tmp_path).files
    assert "void board_gain(const int8_t *input, int8_t *output);\n" in files["model.h"]
    assert "board_gain_params" not in files["model.h"] + files["model.c"]
    assert re.search(r"\n    board_gain\(model_arena, &model_arena\[\d\]\);\n", files["model.c"])


def test_types_of_tensors(tmp_path: Path) -> None:
    """Pointers are of the tensors' own types."""
    header = compile_gain(tmp_path, model=gain_model(dtype="int16")).files["model.h"]
    assert "const int16_t *input, int16_t *output);" in header


def test_two_nodes_with_other_types(tmp_path: Path) -> None:
    """C has one prototype for a function."""
    pairs = (("int8", (0, 1)), ("int16", (2, 3)))
    tensors = tuple(
        TensorSpec(f"t{index}", (1, 4), dtype, (0.5,), (0,))
        for dtype, pair in pairs
        for index in pair
    )
    options = options_bytes(factor=2)
    nodes = tuple(
        OperatorSpec("CUSTOM", pair[:1], pair[1:], custom_code="Gain", custom_options=options)
        for _, pair in pairs
    )
    model = build_model(ModelSpec(tensors, nodes, inputs=(0, 2), outputs=(1, 3)))
    with pytest.raises(UsageError) as caught:
        compile_gain(tmp_path, model=model)
    assert str(caught.value) == (
        "model: node 1 (gain): error: calls the C function 'board_gain' with other types than "
        "node 0, expected a function of its own"
    )


def test_two_models(tmp_path: Path) -> None:
    """Both headers in one file, and both models in one program."""
    compile_gain(tmp_path)
    part, options = load_target("host"), {"operators": (tmp_path / "gain",)}
    other = compile_model(Request.of(gain_model(options_bytes(factor=5)), "other", part, options))
    for name, text in other.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    function = FUNCTION.format(parameter="", count="params->count")
    (tmp_path / "gain.c").write_text('#include "other.h"\n' + function)
    (tmp_path / "main.c").write_text(
        MAIN.replace("model_invoke()", "other_invoke(), model_invoke()")
    )
    (tmp_path / "main.c").write_text('#include "other.h"\n' + (tmp_path / "main.c").read_text())
    sources = ("main.c", "gain.c", "model.c", "other.c")
    run("gcc", *FLAGS, *sources, "-o", "program", folder=tmp_path)
    assert run("./program", folder=tmp_path) == "0 30 60 90 "


def test_commands_that_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have no such function: one error says it, before the linker does."""
    monkeypatch.chdir(tmp_path)
    write_gain(tmp_path / "gain", kernel=WHOLE)
    (tmp_path / "model.tflite").write_bytes(gain_model())
    assert main(["size", "model.tflite", "--target=host", "--operators=gain"]) == 2
    assert capsys.readouterr().err == (
        "model: error: calls C functions of your own firmware: board_gain\n"
        "  hint: compile it, and link it into that firmware\n"
    )


def test_form_that_a_function_cannot_have(tmp_path: Path) -> None:
    """As any mistake of a folder."""
    write_gain(tmp_path / "gain", kernel='c_function("board_gain", form=Form.WINDOW)')
    with pytest.raises(
        UsageError, match=r"ValueError: a C function has Form\.WHOLE or Form\.POINT"
    ):
        compile_gain(tmp_path)
