"""TOML and JSON files of a user: the result is a table, or an error that names the file.

Standard library only: the set-up wrapper reads targets before any package is installed.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from decimal import InvalidOperation
from pathlib import Path
from typing import Any

from tinyml_rules.errors import TinymlError, UsageError
from tinyml_rules.system.files import read_file


def read_toml(
    file: Path,
    *,
    shown: str = "",
    wrong: type[TinymlError] = UsageError,
    parse_float: Callable[[str], Any] = float,
) -> dict[str, Any]:
    """What a file says, which may begin with a byte order mark; raises `wrong`, and UsageError for
    one that cannot be read.  `shown`: what an error calls the file."""
    where = shown or str(file)
    text = toml_text(file, shown=where, wrong=wrong)
    return parsed_toml(text, where, wrong=wrong, parse_float=parse_float)


def toml_text(file: Path, *, shown: str = "", wrong: type[TinymlError] = UsageError) -> str:
    """The text of a file, not parsed yet; raises as `read_toml` does."""
    try:
        return read_file(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise wrong.at(shown or str(file), f"not valid TOML: {error}") from error


def parsed_toml(
    text: str,
    where: str,
    *,
    wrong: type[TinymlError] = UsageError,
    parse_float: Callable[[str], Any] = float,
) -> dict[str, Any]:
    """The same for a text."""
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise wrong.at(where, f"not valid TOML: {error}") from error
    except InvalidOperation as error:
        raise wrong.at(where, "not valid TOML: a number that is none") from error
    except (RecursionError, ValueError) as error:  # nested too deeply; an integer of 5,000 digits
        raise wrong.at(where, "not valid TOML: a value is too long or too deep") from error


def read_json(file: Path) -> Any:
    """The contents of a file; raises UsageError."""
    data = read_file(file)
    try:
        return json.loads(data)
    except RecursionError as error:
        raise UsageError.at(str(file), "is no JSON (too deep)") from error
    except ValueError as error:
        raise UsageError.at(str(file), f"is no JSON ({error})") from error
