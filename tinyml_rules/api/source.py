"""What the functions take: a model, a target, and the options of a step, as Python has them."""

from __future__ import annotations

import builtins
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from tinyml_rules.errors import DoesNotFitError, UsageError, did_you_mean
from tinyml_rules.ir.c_names import identifier
from tinyml_rules.passes import simplified
from tinyml_rules.passes.check import check
from tinyml_rules.request.graph import graph_of
from tinyml_rules.request.model_path import read_model_file
from tinyml_rules.request.option import Option, parsed_by
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.options_file import chosen_file, read_options
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import Target, default_search, load_target

UNNAMED = "model"
"""The name of a model that is given as bytes, without one."""


class HasModel(Protocol):
    """A result that holds the bytes of a .tflite file, as that of `quantize`."""

    @property
    def name(self) -> str:
        """Prefix of every C symbol."""

    @property
    def bytes(self) -> builtins.bytes:
        """The contents of the file."""


AnyPath: TypeAlias = str | os.PathLike[str]
Model: TypeAlias = AnyPath | bytes | HasModel
"""A model: the path of a .tflite file or of one in a C array, its bytes, or a result of
`quantize`."""
Folders: TypeAlias = AnyPath | Sequence[AnyPath]


@dataclass(frozen=True)
class Source:
    """The bytes of a model, the prefix of its C symbols, and the file that they are from."""

    model: bytes
    name: str
    path: Path | None = None

    @property
    def where(self) -> str:
        """What messages call it."""
        return self.name if self.path is None else str(self.path)


def source_of(model: Model, name: str = "") -> Source:
    """The model that is meant.  Raises UsageError for a file that cannot be read, ModelError for
    one of another format."""
    if isinstance(model, bytes):
        return Source(model, name or UNNAMED)
    if isinstance(model, str | os.PathLike):
        path = Path(model)
        return Source(read_model_file(path), name or identifier(path.stem), path)
    return Source(model.bytes, name or model.name)


def target_of(target: str | Target, folders: Folders = ()) -> Target:
    """The target, part or board of that name; raises UsageError or TargetError."""
    if isinstance(target, Target):
        return target
    return load_target(target, search=(*paths_of(folders), *default_search()))


def paths_of(folders: Folders) -> tuple[Path, ...]:
    """One path, or several."""
    if isinstance(folders, str | os.PathLike):
        return (Path(folders),)
    return tuple(map(Path, folders))


def values_of(table: Mapping[str, Option], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The parsed options of a step, by name, where None is none.  Raises UsageError for a name that
    is no option, and for a value that an option does not have."""
    for name in given:
        if name not in table:
            what = f"unknown option '{name}', expected one of {', '.join(table)}"
            raise UsageError.at(where, what, hint=did_you_mean(name, table))
    return parsed_by(table, {name: _words(value) for name, value in given.items()})


def _words(value: Any) -> Any:
    """Pairs in a dictionary as the words of a command line."""
    if isinstance(value, Mapping):
        return [f"{left}={right}" for left, right in value.items()]
    return value


def request_of(
    source: Source,
    target: Target,
    options_file: AnyPath | None,
    given: Mapping[str, Any],
    where: str = "compile",
) -> Request:
    """What is to be compiled: the given options, then those of the file next to the model.  Raises
    UsageError."""
    named = None if options_file is None else os.fspath(options_file)
    file = chosen_file(source.path, named)
    of_file = read_options(file, target.name) if file else {}
    values = {**of_file, **values_of(OPTIONS, given, where)}
    return Request.of(model=source.model, name=source.name, target=target, options=values)


def check_anywhere(request: Request) -> None:
    """Raise the errors of the model that are those of every target."""
    check(simplified(graph_of(request), request.operators), request.operators)


@contextmanager
def explained(request: Request) -> Iterator[None]:
    """A DoesNotFitError from inside gets `ways`, with a hint that names them: other settings, and
    parts with room."""
    try:
        yield
    except DoesNotFitError as error:
        from tinyml_rules.fitting.ways import with_ways  # noqa: PLC0415 - slow, and seldom needed

        found = error if error.is_explained else with_ways(error, request)
        found.is_explained = True
        if found is error:
            raise
        raise found from error
