"""A .tflite file -> C, header and figures, as an action of the C file builder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml_rules.frontends.scons.action import HERE, FiguresAction
from tinyml_rules.frontends.scons.current import check_chosen, current_target, read_target
from tinyml_rules.frontends.scons.place import (
    add_header,
    check_own,
    chosen_folder,
    made_folder,
)
from tinyml_rules.frontends.scons.settings import MODEL_VARIABLES
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.system.sources import compiler_files

if TYPE_CHECKING:
    from tinyml_rules.request.request import Request


def model_name(source: Any, env: Any) -> str:
    """The prefix of the C symbols: TINYML_NAME, else the file's name made an identifier."""
    return str(env["TINYML_NAME"] or identifier(Path(source.name).stem))


def named_as(target: list[Any], source: list[Any], env: Any, for_signature: bool) -> str:  # noqa: ARG001 - as SCons calls it
    """For messages: the name of a model whose file is called otherwise."""
    name = Path(str(target[0])).stem if target else ""
    return f" as {name}" if source and name != Path(str(source[0])).stem else ""


def emit_outputs(target: list[Any], source: list[Any], env: Any) -> tuple[list[Any], list[Any]]:
    """<name>.c, .h, .model.json and .memory.svg side by side, whatever the first is called, and
    with external weights <name>.weights.bin."""
    check_chosen(env)
    name = model_name(source[0], env)
    folder = chosen_folder(target[0], source[0]) or made_folder(env, source[0], name)
    suffixes = [".c", ".h", ".model.json", ".memory.svg"]
    if env["TINYML_WEIGHTS"] == "external":
        suffixes.append(".weights.bin")
    outputs = [folder.File(f"{name}{suffix}") for suffix in suffixes]
    check_own(outputs)
    add_header(env, target[0], source[0], outputs[1])
    part = read_target(env)
    env.Depends(outputs, [env.File(str(folder / "target.toml")) for folder in part.folders])
    COMPILE.depend(env, outputs)
    return outputs, source


def _files() -> tuple[str, ...]:
    return compiler_files(f"{HERE}/model.py")


def compile_tflite(target: list[Any], source: list[Any], env: Any) -> str:
    """Compile one model; the outputs appear together or not at all.  Returns its figures."""
    from tinyml_rules.compile import compile_model  # noqa: PLC0415 - only when there is work
    from tinyml_rules.fit.ways import explained  # noqa: PLC0415
    from tinyml_rules.report.tables import model_figures  # noqa: PLC0415
    from tinyml_rules.system.files import write_files  # noqa: PLC0415

    name = Path(target[0].name).stem
    request = request_of(source[0], env, name=name)
    with explained(lambda: request):
        compiled = compile_model(request)
    files = compiled.outputs
    del files[f"{name}.report.json"]
    files[f"{name}.model.json"] = json.dumps(compiled.report, indent=2) + "\n"
    write_files(files, Path(target[0].dir.abspath))
    for warning in compiled.warnings:
        print(warning, file=sys.stderr)
    return model_figures(compiled.report)


def request_of(source: Any, env: Any, *, name: str) -> Request:
    """What the environment asks for of a .tflite file; raises UsageError for a wrong word."""
    from tinyml_rules.request.request import (  # noqa: PLC0415
        Request,
        parse_arena,
        parse_mode,
        parse_page,
        parse_places,
        parse_weights,
    )
    from tinyml_rules.system.files import read_file  # noqa: PLC0415 - only when there is work

    return Request(
        read_file(Path(source.abspath)),
        name,
        current_target(env),
        schedule=parse_mode(env["TINYML_SCHEDULE"]),
        push_rows=bool(env["TINYML_PUSH_ROWS"]),
        ram_bytes=env["TINYML_RAM"],
        arena=parse_arena(env["TINYML_ARENA"]),
        places=parse_places(_list(env["TINYML_PLACE"])),
        weights=parse_weights(env["TINYML_WEIGHTS"]),
        page_bytes=parse_page(str(env["TINYML_PAGE"])),
        checked=bool(env["TINYML_CHECKED"]),
    )


def _list(value: Any) -> list[str]:
    """A construction variable that may be one word or several."""
    return [value] if isinstance(value, str) else list(value)


COMPILE = FiguresAction(compile_tflite, "$TINYML_COMSTR", variables=MODEL_VARIABLES, files=_files)
