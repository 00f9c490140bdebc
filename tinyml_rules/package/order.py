"""The order of a package: its kind, its model's name and target, and its label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.errors import UsageError
from tinyml_rules.target.target import Target

DEFAULT_VERSION = "1.0.0"
DEFAULT_AUTHOR = "tinyml_rules"

_VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[0-9A-Za-z]+(\.[0-9A-Za-z]+)*)?")
_ONE_LINE = re.compile(r"[^\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]*")


@dataclass(frozen=True)
class Label:
    """Metadata of a package; raises UsageError for values that no ecosystem allows."""

    version: str = DEFAULT_VERSION
    author: str = DEFAULT_AUTHOR
    license: str = ""
    """License of the model: an SPDX identifier."""
    url: str = ""

    def __post_init__(self) -> None:
        if not _VERSION.fullmatch(self.version):
            what = (
                f"'{self.version}' is not a version, expected three numbers as in {DEFAULT_VERSION}"
            )
            raise UsageError.at("version", what)
        if not self.author:
            raise UsageError.at("author", "found nothing, expected a name")
        for word in ("author", "license", "url"):
            if not _ONE_LINE.fullmatch(getattr(self, word)):
                raise UsageError.at(word, "found what is not text, expected one line")


@dataclass(frozen=True)
class Order:
    """One package: `name` is that of the model and of the library."""

    kind: str
    name: str
    target: Target
    label: Label
    folder: Path
