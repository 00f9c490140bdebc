"""The JSON schemas of our TOML files, which `python -m generate` writes here, and the line by which
a file names its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SCHEMA_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class SchemaKind:
    """A kind of file: what it is, and the expression that all of its path matches, if its name
    tells."""

    title: str
    path: str = ""


SCHEMAS: Mapping[str, SchemaKind] = {
    "options": SchemaKind("Options of a model, next to its .tflite file", r".*\.tinyml\.toml"),
    "sensor": SchemaKind("A sensor in front of a model, and decisions from its outputs"),
    "target": SchemaKind("A target: a part, its memory and its tools", r"(.*/)?target\.toml"),
}
"""By the word for the kind of file."""


def schema_name(kind: str) -> str:
    """The name of a schema's file."""
    return f"{kind}.schema.json"


def schema_file(kind: str) -> Path:
    """The file of the schema in this installation."""
    return SCHEMA_FOLDER / schema_name(kind)


def schema_line(kind: str, folder: str = "") -> str:
    """The first line of a TOML file, by which Taplo finds the schema.

    `folder`: where a copy of the schema is, from the file's own folder with `/`, such as
    `.vscode`; without it the line names the file of this installation, which is no line to share.
    """
    name = schema_name(kind)
    place = f"./{folder}/{name}" if folder else schema_file(kind).as_uri()
    return f"#:schema {place}"
