"""Recognises files that are not .tflite by their first bytes, with the command that converts
them."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.model_file.protobuf import (
    is_core_ml,
    is_frozen_graph,
    is_onnx,
    is_saved_model,
)
from tinyml_rules.system.computer import shell_word

SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")
"""Files that identify the folder of a SavedModel."""
_OLD_PYTORCH = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
"""The pickled number that files of PyTorch before 1.6 begin with."""
_CONVERT = "`tinyml_rules convert {word} --out {stem}.tflite` converts it"
_CONVERT_FOLDER = "`tinyml_rules convert {folder_word} --out model.tflite` converts it"
_FROZEN_GRAPH = (
    "`tf.compat.v1.lite.TFLiteConverter.from_frozen_graph({file}, [INPUT], [OUTPUT]).convert()` "
    "gives the bytes of a .tflite file"
)
_PYTORCH = (
    "`litert_torch.convert(model, (example_input,)).export('{stem}.tflite')` with the model in "
    "PyTorch"
)
_ITS_TRAINING = "convert the model that it was made of, from the framework that trained it"
_WEIGHTS = "weights alone are no model: load them into the model in Python, and convert that"
_ARRAYS = "an array is an input: `--input`, `--calibration` and `--vectors` take it"
_UNPACK = "unpack it, and name the model inside"
_GZIP = 64 * 1024
"""Most bytes of a compressed file that are looked at."""


@dataclass(frozen=True)
class OtherFormat:
    """The kind of a file, with its article, and a hint with placeholders for its name."""

    what: str
    hint: str
    converter: str = ""
    """What `convert` makes a .tflite file with; empty where it cannot."""

    def hint_for(self, path: Path) -> str:
        """The hint about the file, or folder, at a path."""
        folder = path if path.is_dir() else path.parent
        return self.hint.format(
            file=repr(str(path)),
            stem=path.stem,
            word=shell_word(str(path)),
            folder_word=shell_word(str(folder)),
        )


_EMPTY = OtherFormat("an empty file", "copy or download it again")
_SAVED_MODEL_FOLDER = OtherFormat("a SavedModel of TensorFlow", _CONVERT_FOLDER, "saved_model")
_KERAS = OtherFormat("a Keras model (.keras)", _CONVERT, "keras")
_GZIPPED = OtherFormat("compressed by gzip", "unpack it: `gunzip`, or `tar xf` for .tar.gz")
_CORE_ML = OtherFormat("a Core ML model", _ITS_TRAINING)
_BEGINNINGS = {
    b"version https://git-lfs": OtherFormat(
        "a pointer of Git LFS", "`git lfs pull` fetches the file"
    ),
    b"\x89HDF\r\n\x1a\n": OtherFormat("an HDF5 file, as Keras writes (.h5)", _CONVERT, "keras"),
    _OLD_PYTORCH: OtherFormat("a PyTorch file", _PYTORCH),
    b"GGUF": OtherFormat("a GGUF file, the weights of a language model", _ITS_TRAINING),
    b"\x93NUMPY": OtherFormat("an array of NumPy (.npy)", _ARRAYS),
}
_IDENTIFIERS = {b"ET": OtherFormat("an ExecuTorch program (.pte)", _PYTORCH)}
"""At byte 4 of a flatbuffer."""
_PAGE = OtherFormat(
    "a web page (HTML)", "download the file itself (`raw`), not the page that shows it"
)
_PICKLE = OtherFormat(
    "a Python pickle, as joblib writes",
    "load it where it was trained; models of scikit-learn have no .tflite form",
)
_OF_EDGE_IMPULSE = OtherFormat(
    "a zip archive of Edge Impulse",
    "unpack it, and name tflite-model/*.h; of an EON library, download 'TensorFlow Lite' instead",
)
C_SOURCE = OtherFormat(
    "C source without an array of numbers", "name the file with `… g_model[] = {{0x1c, …}};`"
)


def other_folder(path: Path) -> OtherFormat | None:
    """The format of a folder, if it is known."""
    if (path / "Manifest.json").is_file() and path.suffix == ".mlpackage":
        return _CORE_ML
    return _SAVED_MODEL_FOLDER if any((path / name).is_file() for name in SAVED_MODEL) else None


def other_format(data: bytes, path: Path) -> OtherFormat | None:
    """The format of a file; None if it is not known."""
    for recognize in (_by_beginning, _by_text, _gzipped, _zip_archive, _protobuf):
        found = recognize(data, path)
        if found:
            return found
    return None


def _by_beginning(data: bytes, _: Path) -> OtherFormat | None:
    if not data:
        return _EMPTY
    for beginning, found in _BEGINNINGS.items():
        if data.startswith(beginning):
            return found
    for identifier, found in _IDENTIFIERS.items():
        if data[4:].startswith(identifier) and data[6:8].isdigit():
            return found
    return None


def _by_text(data: bytes, _: Path) -> OtherFormat | None:
    text = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return _PAGE
    if text.startswith(b"{") and b'"format"' in text and b"layers-model" in text:
        return OtherFormat("a model of TensorFlow.js", _ITS_TRAINING)
    if data[8:10] == b'{"' and int.from_bytes(data[:8], "little") < len(data):
        return OtherFormat("a safetensors file", _WEIGHTS)
    is_pickle = data[:1] == b"\x80" and data[1:2] in (b"\2", b"\3", b"\4", b"\5")
    return _PICKLE if is_pickle and data.endswith(b".") else None


def _gzipped(data: bytes, _: Path) -> OtherFormat | None:
    if not data.startswith(b"\x1f\x8b"):
        return None
    try:
        inside = zlib.decompressobj(wbits=31).decompress(data[:_GZIP], _GZIP)
    except zlib.error:
        return _GZIPPED
    if any(name.encode() in inside for name in SAVED_MODEL) and inside[257:262] == b"ustar":
        hint = "unpack it (`mkdir saved_model; tar xf {word} -C saved_model`), and convert that"
        return OtherFormat("a SavedModel of TensorFlow in an archive, as of TF Hub", hint)
    return _GZIPPED


def _zip_archive(data: bytes, _: Path) -> OtherFormat | None:
    if not data.startswith((b"PK\3\4", b"PK\5\6")):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error):
        return OtherFormat("a broken zip archive", "copy or download it again")
    return next((found for judge, found in _ARCHIVES if judge(names)), _ZIP)


def _has_file(names: set[str], *files: str) -> bool:
    return any(name.rpartition("/")[2] in files for name in names)


_ZIP = OtherFormat("a zip archive", _UNPACK)
_ARCHIVES: tuple[tuple[Callable[[set[str]], bool], OtherFormat], ...] = (
    (lambda names: {"config.json", "metadata.json"} <= names, _KERAS),
    (
        lambda names: _has_file(names, "serialized_exported_program.json", "archive_format"),
        OtherFormat("a file of torch.export (.pt2)", _CONVERT, "exported_program"),
    ),
    (
        lambda names: _has_file(names, "constants.pkl") and any("/code/" in each for each in names),
        OtherFormat("a TorchScript file", _PYTORCH),
    ),
    (lambda names: _has_file(names, "data.pkl"), OtherFormat("a PyTorch file", _PYTORCH)),
    (
        lambda names: bool(names) and all(name.endswith(".npy") for name in names),
        OtherFormat("arrays of NumPy (.npz)", _ARRAYS),
    ),
    (lambda names: any("edge-impulse-sdk/" in each for each in names), _OF_EDGE_IMPULSE),
    (lambda names: _has_file(names, "model.mlmodel"), _CORE_ML),
    (
        lambda names: _has_file(names, *SAVED_MODEL),
        OtherFormat("a SavedModel of TensorFlow in a zip archive", "unpack it, and convert that"),
    ),
)
"""What tells by the names in an archive."""


def _protobuf(data: bytes, path: Path) -> OtherFormat | None:
    if is_onnx(data) or (path.suffix == ".onnx" and data.startswith(b"\x08")):
        return OtherFormat("an ONNX model", _CONVERT, "onnx")
    known: dict[Callable[[bytes], bool], OtherFormat] = {
        is_saved_model: _SAVED_MODEL_FOLDER,
        is_frozen_graph: OtherFormat("a frozen graph of TensorFlow", _FROZEN_GRAPH),
        is_core_ml: _CORE_ML,
    }
    return next((found for judge, found in known.items() if judge(data)), None)
