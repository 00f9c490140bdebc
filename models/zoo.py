"""The models folder: what each model.toml says, and the files that it names, checked.

Knows manifests, hashes and where a file may come from; never what is inside a file.
"""

from __future__ import annotations

import hashlib
import math
import tempfile
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tinyml_rules.errors import ModelError, ToolError, UsageError, did_you_mean
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.system.tables import read_toml

MANIFEST_NAME = "model.toml"
DOWNLOAD_TIMEOUT_S = 30
SCHEMES = ("https", "file")

_REMOTE_KEYS = ("url", "sha256")
_KEYS = ("description", "licence", "file", *_REMOTE_KEYS, "matrix", "demo", "sample")
_DEMO_KEYS = ("labels", "values", "reference")
_SAMPLE_KEYS = (*_REMOTE_KEYS, "label")

Value = TypeVar("Value", str, bool, float, dict[str, Any])
Table = Mapping[str, Any]


@dataclass(frozen=True)
class OwnFile:
    """A file that lies beside its model.toml."""

    path: Path


@dataclass(frozen=True)
class RemoteFile:
    """A file somewhere else; `name` is what a mirror and the cache call it."""

    name: str
    url: str
    sha256: str


@dataclass(frozen=True)
class Sample:
    """A file to feed to the model, and the label that the model should give it."""

    file: RemoteFile
    label: str


@dataclass(frozen=True)
class Demo:
    """What to feed to the model and how to name what comes out; any part may be empty.

    `labels` names the output's values in order.  `values` are real inputs of a model with one
    input value; `reference` is the function that it imitates, by its name in Python's `math`.
    """

    labels: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    reference: str = ""
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True)
class Manifest:
    """One model.toml."""

    name: str
    description: str
    licence: str
    model: OwnFile | RemoteFile
    demo: Demo
    is_in_matrix: bool = True
    """Whether `matrix` and `bench` measure it, on every target."""


def model_names(models_folder: Path) -> tuple[str, ...]:
    """The models in the folder, sorted: every subfolder with a model.toml."""
    return tuple(sorted(file.parent.name for file in models_folder.glob(f"*/{MANIFEST_NAME}")))


def matrix_models(models_folder: Path) -> tuple[str, ...]:
    """Those of them without `matrix = false`."""
    names = model_names(models_folder)
    return tuple(name for name in names if load_manifest(models_folder, name).is_in_matrix)


def load_manifest(models_folder: Path, name: str) -> Manifest:
    """The manifest of model `name`.

    Raises UsageError for an unknown name, ModelError for a model.toml that is wrong.
    """
    names = model_names(models_folder)
    if name not in names:
        known = ", ".join(names) or f"(none found in {models_folder})"
        what = f"unknown model '{name}', expected one of {known}, or the path of a .tflite file"
        raise UsageError.at("models", what, hint=did_you_mean(name, names))
    path = models_folder / name / MANIFEST_NAME
    table = read_toml(path, wrong=ModelError)
    _check_keys(table, _KEYS, where=str(path))
    return Manifest(
        name=name,
        description=_required(table, "description", str, where=str(path)),
        licence=_required(table, "licence", str, where=str(path)),
        model=_model_file(table, path),
        demo=_demo(table, where=str(path)),
        is_in_matrix=_required({"matrix": True, **table}, "matrix", bool, where=str(path)),
    )


def own_manifest(path: Path) -> Manifest:
    """The manifest of a model file that no folder describes, named after the file."""
    return Manifest(identifier(path.stem), "", "", OwnFile(path), Demo())


def obtain(file: OwnFile | RemoteFile, *, mirror: Path | None, cache: Path) -> Path:
    """Where the file lies on this machine, its SHA-256 checked.

    Looks in `mirror` alone when one is given; otherwise in `cache`, into which it downloads what
    is missing or is not what the manifest asks for.  Raises UsageError for a file that the mirror
    lacks, ToolError for a failed download, ModelError for contents that are not as expected.
    """
    if isinstance(file, OwnFile):
        if not file.path.is_file():
            raise ModelError.at(str(file.path), f"no such file, but its {MANIFEST_NAME} names it")
        return file.path
    if mirror is not None:
        path = mirror / file.name
        if not path.is_file():
            what = f"no such file, expected '{file.name}' in the folder of models"
            raise UsageError.at(str(path), what, hint=f"it is at {file.url}")
        _check_hash(path.read_bytes(), file.sha256, where=str(path))
        return path
    path = cache / file.name
    if not (path.is_file() and _sha256(path.read_bytes()) == file.sha256):
        data = _download(file, instead=path)
        _check_hash(data, file.sha256, where=file.url)
        _write_whole(path, data)
    return path


def _model_file(table: Table, path: Path) -> OwnFile | RemoteFile:
    if "file" not in table:
        return _remote_file(table, where=str(path), name=f"{path.parent.name}.tflite")
    both = [key for key in _REMOTE_KEYS if key in table]
    if both:
        raise ModelError.at(str(path), f"has both 'file' and '{both[0]}', expected one of them")
    name = _required(table, "file", str, where=str(path))
    if Path(name).name != name:
        raise ModelError.at(str(path), f"'file' is '{name}', expected a file of the same folder")
    return OwnFile(path.with_name(name))


def _remote_file(table: Table, *, where: str, name: str = "") -> RemoteFile:
    url = _required(table, "url", str, where=where)
    sha256 = _required(table, "sha256", str, where=where)
    parts = urllib.parse.urlsplit(url)
    name = name or parts.path.rpartition("/")[2]
    if parts.scheme not in SCHEMES or name in ("", ".", ".."):
        expected = f"the address of a file ({' or '.join(SCHEMES)})"
        raise ModelError.at(where, f"'url' is '{url}', expected {expected}")
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise ModelError.at(where, f"'sha256' is '{sha256}', expected 64 lower-case hex digits")
    return RemoteFile(name, url, sha256)


def _demo(table: Table, *, where: str) -> Demo:
    demo = table.get("demo", {})
    samples = _items(table, "sample", dict, where=where)
    if not isinstance(demo, dict):
        raise ModelError.at(where, f"'demo' is {demo!r}, expected a table")
    _check_keys(demo, _DEMO_KEYS, where=where, prefix="demo.")
    result = Demo(
        labels=_items(demo, "labels", str, where=where),
        values=_items(demo, "values", float, where=where),
        reference=_reference(demo, where=where),
        samples=tuple(_sample(each, where=where) for each in samples),
    )
    strange = [each.label for each in result.samples if each.label not in result.labels]
    if strange:
        what = f"a sample's label is '{strange[0]}', expected one of demo.labels"
        raise ModelError.at(where, what, hint=did_you_mean(strange[0], result.labels))
    return result


def _reference(demo: Table, *, where: str) -> str:
    name = _required({"reference": "", **demo}, "reference", str, where=where)
    if name and not callable(getattr(math, name, None)):
        raise ModelError.at(where, f"'reference' is '{name}', expected a function of Python's math")
    return name


def _sample(table: Table, *, where: str) -> Sample:
    _check_keys(table, _SAMPLE_KEYS, where=where, prefix="sample.")
    file = _remote_file(table, where=where)
    return Sample(file, _required(table, "label", str, where=where))


def _check_keys(table: Table, known: tuple[str, ...], *, where: str, prefix: str = "") -> None:
    for key in table:
        if key not in known:
            what = f"unknown key '{prefix}{key}', expected one of {', '.join(known)}"
            raise ModelError.at(where, what, hint=did_you_mean(key, known))


def _required(table: Table, key: str, kind: type[Value], *, where: str) -> Value:
    if key not in table:
        raise ModelError.at(where, f"'{key}' is missing")
    value = table[key]
    if not isinstance(value, kind):
        raise ModelError.at(where, f"'{key}' is {value!r}, expected a {kind.__name__}")
    return value


def _items(table: Table, key: str, kind: type[Value], *, where: str) -> tuple[Value, ...]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(each, kind) for each in values):
        raise ModelError.at(where, f"'{key}' is {values!r}, expected a list of {kind.__name__}s")
    return tuple(values)


def _download(file: RemoteFile, *, instead: Path) -> bytes:
    import http.client  # noqa: PLC0415 - takes as long to load as all else of a build
    import urllib.request  # noqa: PLC0415

    try:
        with urllib.request.urlopen(file.url, timeout=DOWNLOAD_TIMEOUT_S) as response:  # noqa: S310
            data: bytes = response.read()
    except (OSError, http.client.HTTPException) as error:
        hint = f"save it by other means as {instead}"
        raise ToolError.at(file.url, f"download failed: {error}", hint=hint) from error
    return data


def _check_hash(data: bytes, expected: str, *, where: str) -> None:
    found = _sha256(data)
    if found != expected:
        raise ModelError.at(where, f"SHA-256 is {found}, expected {expected}")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write_whole(path: Path, data: bytes) -> None:
    # Under another name first: an interrupted run must not leave half a file behind, and two
    # runs at the same time must not see each other's.
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            temporary = Path(file.name)
            file.write(data)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise ToolError.at(str(path), f"cannot be written: {error.strerror}") from error
