"""How a message calls commands and options, in the words of the front end that prints it.

The stages write commands and options as the command line of the installed package has them.  What
this computer's user can type, or sets elsewhere, is put in their place here.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from tinyml_rules import __version__

INTERNAL_ERROR_STATUS = 4
"""The exit status after a mistake of our own."""

_COMMAND = re.compile(r"`tinyml_rules (?=[a-z])")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)(?:=(\w+))?")


def worded(text: str, *, options: Mapping[str, str] | None = None) -> str:
    """A message with commands that can be typed here.

    `options`: what an option of the command line is called in its place, by its name without
    dashes; `{}` stands for the value.  An option that has no other name stays.
    """
    text = _COMMAND.sub(f"`{command()} ", text)
    return text if options is None else _OPTION.sub(lambda found: _option(found, options), text)


def command() -> str:
    """What runs our command line: the installed script where it is on the path, else this Python,
    by its bare name where that is the one on the path."""
    python = Path(sys.executable)
    script = shutil.which("tinyml_rules")
    if script is not None and Path(script).parent == python.parent:
        return "tinyml_rules"
    is_on_path = shutil.which(python.name) == str(python)
    return f"{python.name if is_on_path else shlex.quote(str(python))} -m tinyml_rules"


def internal_error(error: Exception) -> str:
    """What is said of an exception that is nobody's mistake but ours."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in where)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return (
        f"tinyml_rules: internal error: {what}{place}\n"
        f"  hint: this is a mistake of tinyml_rules {__version__}, not yours: please report it "
        f"with the model and these lines\n{''.join(traceback.format_exception(error)).rstrip()}"
    )


def _option(found: re.Match[str], options: Mapping[str, str]) -> str:
    name, value = found.groups()
    other = options.get(name, found.group())
    if value:
        return other.format(value)
    return other.partition("=")[0] if "{}" in other else other
