"""The files of a user next to a model: their first letter says which one, the rest is the file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from tests.support.clean_errors import clean_errors
from tinyml_rules.compare.log import read_log
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.firmware.manifest import problems_of
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.reporting.difference.read import read_report as read_figures
from tinyml_rules.reporting.read import read_report
from tinyml_rules.request.options_file import read_options
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import described_files, read_description
from tinyml_rules.target.target import default_search, load_target
from tinyml_rules.tune.file import with_kernels

NAME = "mine"
Data = bytes


@cache
def model() -> bytes:
    """One dense layer of four values and three classes."""
    return build_model(dense((1, 4), (1, 3)))


@cache
def compiled() -> Compiled:
    """That model for this computer."""
    return compile_model(Request(model(), NAME, load_target("host"), dump=True))


def sensor(data: Data, folder: Path) -> None:
    """A sensor and decisions, and the C of them."""
    file = folder / f"{NAME}.sensor.toml"
    file.write_bytes(data)
    described_files(file)
    compile_model(Request(model(), NAME, load_target("host"), sensor=read_description(file)))


def options(data: Data, folder: Path) -> None:
    """Options next to a model, read, written anew by `tune`, and followed."""
    file = folder / f"{NAME}.tinyml.toml"
    file.write_bytes(data)
    chosen = read_options(file, "host")
    with_kernels(data.decode(), "host", {"0": "fully_connected"}, where=file)
    if "operators" not in chosen:  # which are code of the user's
        compile_model(Request.of(model(), NAME, load_target("host"), chosen))


def target(data: Data, folder: Path) -> None:
    """A target of a user's, and a compilation for it."""
    (folder / NAME).mkdir()
    (folder / NAME / "target.toml").write_bytes(data)
    compile_model(Request(model(), NAME, load_target(NAME, search=(folder, *default_search()))))


def report(data: Data, folder: Path) -> None:
    """A report of an earlier build, as `report`, `diff` and `manifest` take it."""
    file = folder / f"{NAME}.report.json"
    file.write_bytes(data)
    for read in (read_figures, problems_of):
        with clean_errors(of_lines=True):
            read(file)
    read_report(file)


def log(data: Data, folder: Path) -> None:  # noqa: ARG001 - as the others
    """What a device printed."""
    digest = compiled().report.model_sha256
    read_log(data, compiled().interface, sha256=digest, where="log")


KINDS: Mapping[bytes, Callable[[Data, Path], None]] = {
    b"s": sensor,
    b"o": options,
    b"t": target,
    b"r": report,
    b"l": log,
}


def one_input(data: bytes) -> None:
    """What the kind of file makes of it."""
    with clean_errors(of_lines=True):
        read_input(data)


def read_input(data: bytes) -> None:
    """The same with the error of a file that is refused."""
    read = KINDS.get(data[:1])
    if read is None:
        return
    with tempfile.TemporaryDirectory(prefix="fuzz", dir=_memory()) as folder:
        read(data[1:], Path(folder))


def _memory() -> str | None:
    """Where files are not written to a disk."""
    folder = Path("/dev/shm")  # noqa: S108 - the folder below has a name of its own
    return str(folder) if folder.is_dir() else None
