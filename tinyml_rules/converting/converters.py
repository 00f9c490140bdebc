"""The converters of other frameworks: what each is called with, and errors for its failures.

Each runs in a Python of the user's choice, where its packages are installed; this package needs
none of them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.errors import TinymlError, ToolError
from tinyml_rules.system.computer import shell_word
from tinyml_rules.system.files import write_files
from tinyml_rules.system.process import run_program

_SCRIPTS = Path(__file__).parent / "scripts"
_OUT = "model.tflite"
_MISSING = re.compile(r"No module named '?([\w.]+)")
_FAILURE = re.compile(r"^(?:\w+\.)*\w*(?:Error|Exception)\b: ?.*|^.*\bERROR: .*", re.MULTILINE)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MOST_CHARACTERS = 200
"""Of the converter's own message, which may be a graph of a thousand lines."""


@dataclass(frozen=True)
class Converter:
    """`name`, `packages` for pip, and the words after `python` for a model and the folder that gets
    the .tflite file; the pattern `made` is that of the file there."""

    name: str
    packages: str
    words: Callable[[Path, Path], list[str]]
    made: str = _OUT


def _tensorflow(kind: str) -> Converter:
    script = str(_SCRIPTS / "tensorflow_model.py")
    return Converter(
        "TensorFlow",
        "tensorflow",
        lambda model, folder: [script, kind, str(model), str(folder / _OUT)],
    )


CONVERTERS: Mapping[str, Converter] = {
    "keras": _tensorflow("keras"),
    "saved_model": _tensorflow("saved_model"),
    "onnx": Converter(
        "onnx2tf",
        "onnx2tf tensorflow tf_keras onnx onnxruntime onnx-graphsurgeon sng4onnx sne4onnx psutil "
        "ai-edge-litert",
        lambda model, folder: ["-m", "onnx2tf", "-i", str(model), "-o", str(folder), "-b", "1"],
        "*_float32.tflite",
    ),
    "exported_program": Converter(
        "litert_torch",
        "litert-torch",
        lambda model, folder: [
            str(_SCRIPTS / "exported_program.py"),
            str(model),
            str(folder / _OUT),
        ],
    ),
}
"""By the `converter` of the format."""


def convert(
    converter: Converter, model: Path, *, python: str, timeout_s: float, log: Path | None = None
) -> bytes:
    """The .tflite file that a converter makes of the file or folder `model`; nothing else is left
    of what it writes, and what it prints is in the file `log`.

    Raises ToolError, with the converter's last words, if a package is missing, if it fails, makes
    no file, or takes longer."""
    with tempfile.TemporaryDirectory(prefix="tinyml-") as folder:
        out = Path(folder) / "out"
        out.mkdir()
        words = [python, *converter.words(model.resolve(), out)]
        done = run_program(words, where=str(model), timeout_s=timeout_s, folder=Path(folder))
        printed = _COLOUR.sub("", (done.stdout + done.stderr).decode(errors="replace"))
        if log is not None:
            write_files({log.name: printed}, log.parent)
        made = sorted(out.glob(converter.made))
        if done.returncode or not made:
            raise _failure(converter, str(model), python, done.returncode, printed)
        return made[0].read_bytes()


def _failure(
    converter: Converter, where: str, python: str, status: int, printed: str
) -> TinymlError:
    missing = _MISSING.findall(printed)
    if missing:
        package = missing[-1].partition(".")[0]
        what = f"{converter.name} needs the package '{package}', which '{python}' does not have"
        install = f"`{shell_word(python)} -m pip install {converter.packages}`"
        return ToolError.at(where, what, hint=f"{install}, or name another with --python PYTHON")
    said = [each.strip() for each in _FAILURE.findall(printed)]
    reason = (said or [f"status {status}" if status else "it wrote no .tflite file"])[-1]
    shown = reason[:_MOST_CHARACTERS] + "…" * (len(reason) > _MOST_CHARACTERS)
    hint = "--log FILE keeps all that it prints"
    return ToolError.at(where, f"{converter.name} failed: {shown}", hint=hint)
