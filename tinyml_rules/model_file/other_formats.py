"""Recognises files that are not .tflite by their first bytes, with the command that converts
them."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.model_file.protobuf import is_frozen_graph, is_onnx, is_saved_model

SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")
"""Files that identify the folder of a SavedModel."""
_OLD_PYTORCH = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
"""The pickled number that files of PyTorch before 1.6 begin with."""
_KERAS = (
    "`tf.lite.TFLiteConverter.from_keras_model(tf.keras.models.load_model({file})).convert()` "
    "gives the bytes of a .tflite file"
)
_SAVED_MODEL = (
    "`tf.lite.TFLiteConverter.from_saved_model({folder}).convert()` gives the bytes of a .tflite "
    "file"
)
_FROZEN_GRAPH = (
    "`tf.compat.v1.lite.TFLiteConverter.from_frozen_graph({file}, [INPUT], [OUTPUT]).convert()` "
    "gives the bytes of a .tflite file"
)
_PYTORCH = (
    "`litert_torch.convert(model, (example_input,)).export('{stem}.tflite')` with the model in "
    "PyTorch"
)
_ONNX = "`onnx2tf -i {word}` writes .tflite files"
_UNPACK = "unpack it, and name the model inside"


@dataclass(frozen=True)
class OtherFormat:
    """The kind of a file, with its article, and a hint with placeholders for its name."""

    what: str
    hint: str

    def hint_for(self, path: Path) -> str:
        """The hint about the file, or folder, at a path."""
        folder = path if path.is_dir() else path.parent
        return self.hint.format(
            file=repr(str(path)), folder=repr(str(folder)), stem=path.stem, word=path
        )


_EMPTY = OtherFormat("an empty file", "copy or download it again")
_SAVED_MODEL_FOLDER = OtherFormat("a SavedModel of TensorFlow", _SAVED_MODEL)
_BEGINNINGS = {
    b"version https://git-lfs": OtherFormat(
        "a pointer of Git LFS", "`git lfs pull` fetches the file"
    ),
    b"\x89HDF\r\n\x1a\n": OtherFormat("an HDF5 file, as Keras writes (.h5)", _KERAS),
    _OLD_PYTORCH: OtherFormat("a PyTorch file", _PYTORCH),
    b"\x1f\x8b": OtherFormat("compressed by gzip", "unpack it: `gunzip`, or `tar xf` for .tar.gz"),
}
_PAGE = OtherFormat(
    "a web page (HTML)", "download the file itself (`raw`), not the page that shows it"
)
_PICKLE = OtherFormat("a Python pickle", "load it where it was trained, and convert the model")
C_SOURCE = OtherFormat(
    "C source without an array of numbers", "name the file with `… g_model[] = {{0x1c, …}};`"
)


def other_folder(path: Path) -> OtherFormat | None:
    """The format of a folder, if it is known."""
    return _SAVED_MODEL_FOLDER if any((path / name).is_file() for name in SAVED_MODEL) else None


def other_format(data: bytes, path: Path) -> OtherFormat | None:
    """The format of a file; None if it is not known."""
    for recognize in (_by_beginning, _zip_archive, _protobuf):
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
    text = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return _PAGE
    is_pickle = data[:1] == b"\x80" and data[1:2] in (b"\2", b"\3", b"\4", b"\5")
    return _PICKLE if is_pickle and data.endswith(b".") else None


def _zip_archive(data: bytes, _: Path) -> OtherFormat | None:
    if not data.startswith((b"PK\3\4", b"PK\5\6")):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error):
        return OtherFormat("a broken zip archive", "copy or download it again")
    if {"config.json", "metadata.json"} <= names:
        return OtherFormat("a Keras model (.keras)", _KERAS)
    if any(name.rpartition("/")[2] == "data.pkl" for name in names):
        return OtherFormat("a PyTorch file", _PYTORCH)
    return OtherFormat("a zip archive", _UNPACK)


def _protobuf(data: bytes, path: Path) -> OtherFormat | None:
    if is_onnx(data) or (path.suffix == ".onnx" and data.startswith(b"\x08")):
        return OtherFormat("an ONNX model", _ONNX)
    known: dict[Callable[[bytes], bool], OtherFormat] = {
        is_saved_model: _SAVED_MODEL_FOLDER,
        is_frozen_graph: OtherFormat("a frozen graph of TensorFlow", _FROZEN_GRAPH),
    }
    return next((found for judge, found in known.items() if judge(data)), None)
