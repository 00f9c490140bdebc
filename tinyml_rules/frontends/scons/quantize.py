"""TinymlQuantize: a float model and samples of its inputs -> a full-integer model."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from SCons.Errors import UserError

from tinyml_rules.errors import UsageError
from tinyml_rules.frontends.scons.action import HERE, PackageAction
from tinyml_rules.frontends.scons.place import check_own, file_nodes, quantized_folder
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.request.option import Kind, checked_by, parsed_by
from tinyml_rules.system.sources import quantizer_files

REPORT = ".quantize.json"
_FILES = tuple(option.name for option in QUANTIZE.values() if option.kind is Kind.FILE)


def tinyml_quantize(env: Any, name: str, model: Any, folder: Any = None, **options: Any) -> Any:
    """Quantize the float .tflite file `model`: the node <name>.tflite, a source for every builder
    that takes such files; <name>.quantize.json is next to it.  `options`: rows of QUANTIZE."""
    try:
        checked_by(QUANTIZE, options, f"TinymlQuantize('{name}')")
    except UsageError as error:
        raise UserError(str(error)) from error
    place = quantized_folder(env, folder)
    outputs = [place.File(f"{name}.tflite"), place.File(f"{name}{REPORT}")]
    check_own(outputs[:1])
    sources = file_nodes(env, model)
    settings = {key: str(value) for key, value in options.items() if value is not None}
    for key in _FILES:
        if key in settings:
            (node,) = file_nodes(env, options[key])
            sources.append(node)
            settings[key] = f"${{SOURCES[{len(sources) - 1}]}}"
    words = " ".join(_word(key, settings[key]) for key in QUANTIZE if key in settings)
    return QUANTIZE_MODEL.command(env, outputs, sources, TINYML_QUANTIZE=words)[:1]


def _word(key: str, value: str) -> str:
    """An option; a text of any characters, quoted."""
    word = f"{key}={value}"
    return shlex.quote(word) if QUANTIZE[key].kind is Kind.TEXT else word


def quantize_model(target: list[Any], source: list[Any], env: Any) -> None:
    """[float .tflite, files of options] -> .tflite and report, together or not at all."""
    from tinyml_rules.api.quantize import quantize, write_quantized  # noqa: PLC0415 - when needed

    pairs = (word.split("=", 1) for word in shlex.split(env["TINYML_QUANTIZE"]))
    values = parsed_by(QUANTIZE, dict(pairs))
    files = iter(source[1:])
    for key in _FILES:
        if key in values:
            values[key] = Path(next(files).path)
    found = quantize(Path(source[0].path), name=Path(target[0].name).stem, **values)
    for note in found.notes:
        print(note, file=sys.stderr)
    write_quantized(found.quantized, Path(target[0].path), Path(target[1].path))


def _files() -> tuple[str, ...]:
    return quantizer_files("api/quantize.py", f"{HERE}/quantize.py")


QUANTIZE_MODEL = PackageAction(
    quantize_model, "$TINYML_QUANTIZECOMSTR", variables=("TINYML_QUANTIZE",), files=_files
)
