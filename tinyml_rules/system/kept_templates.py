"""The bytecode of templates, kept in the user's cache folder as Python keeps that of modules.

To read and translate the templates of a model takes longer than to plan it.  A file is named after
all that its content depends on, so that it is right or not there: other versions have files of
their own, and what cannot be read or written is translated anew.  The folder of a template is none
of that: all installations of a version share what is kept.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

from tinyml_rules.errors import UsageError
from tinyml_rules.system.computer import is_own
from tinyml_rules.system.files import write_files

MOST_FILES = 2000
"""Of about 10 kB: the templates of several versions of the package."""
_DIGEST_BYTES = 32


class KeptTemplates(BytecodeCache):
    """Files of a folder, which need not be there and may be read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._has_room = False

    def get_bucket(
        self, environment: jinja2.Environment, name: str, filename: str | None, source: str
    ) -> Bucket:
        """What is known of a template, by everything that decides its bytecode."""
        settings = [
            *(environment.trim_blocks, environment.lstrip_blocks, environment.autoescape),
            *(environment.keep_trailing_newline, environment.optimized, *environment.extensions),
        ]
        parts = (MAGIC_NUMBER, jinja2.__version__, settings, name, source)
        bucket = Bucket(environment, hashlib.sha256(repr(parts).encode()).hexdigest(), "")
        self.load_bytecode(bucket)
        if bucket.code is not None and filename is not None:
            bucket.code = bucket.code.replace(co_filename=filename)  # what errors name
        return bucket

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is kept: a file of this user's own that is whole."""
        with suppress(OSError):
            with (self.folder / bucket.key).open("rb") as file:
                data = file.read() if is_own(file.fileno()) else b""
            if hashlib.sha256(data[_DIGEST_BYTES:]).digest() == data[:_DIGEST_BYTES]:
                bucket.code = marshal.loads(data[_DIGEST_BYTES:])  # noqa: S302 - as Python its own

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it, where Python may keep that of modules: for others the file appears whole."""
        if sys.dont_write_bytecode:
            return
        data = marshal.dumps(bucket.code)
        with suppress(OSError, UsageError):
            write_files({bucket.key: hashlib.sha256(data).digest() + data}, self.folder)
            self._make_room()

    def _make_room(self) -> None:
        """Remove the older half of too many files; once a process, for to look takes as long as to
        translate, and a process adds few to so many."""
        if self._has_room:
            return
        self._has_room = True
        files = list(self.folder.iterdir())
        if len(files) > MOST_FILES:
            for file in sorted(files, key=lambda each: each.stat().st_mtime)[: len(files) // 2]:
                file.unlink(missing_ok=True)


def when_rendered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or a test that is never called for a constant while a template is translated, so
    that no bytecode depends on it."""

    def with_context(_context: jinja2.runtime.Context, *values: Any) -> Any:
        return function(*values)

    return jinja2.pass_context(with_context)
