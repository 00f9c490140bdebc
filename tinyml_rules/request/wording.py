"""Names of commands and options in messages, as the front end that prints them spells them.

The stages write commands and options as the command line of the installed package has them.  What
this computer's user can type, or sets elsewhere, is put in their place here.
"""

from __future__ import annotations

import errno
import re
import shutil
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules import __version__
from tinyml_rules.errors import Problem, UsageError
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.system.computer import shell_word

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
INTERNAL_ERROR_STATUS = 4
"""The exit status after a mistake of our own."""

_SETTINGS = {option.dashed: option for option in OPTIONS.values()}
_COMMAND = re.compile(r"`tinyml_rules (?=[a-z-])")
_OPTION = re.compile(rf"--({'|'.join(_SETTINGS)})(?:=(\w+))?(?![\w-])")
_OPTIONS = re.compile(rf"(?<![\w-]){_OPTION.pattern}(?: {_OPTION.pattern})*")


@dataclass(frozen=True)
class Spelling:
    """How a front end writes a setting: patterns of {name}, {upper}, {value} and {quoted}, for a
    switch that is on and for a choice; `joint` separates several."""

    switch: str
    choice: str
    joint: str = " "
    folders: str = ""
    """Of an option that is a list of folders, where that is another pattern."""

    def of(self, option: str, value: str = "") -> str:
        """An option of the command line, by its name without dashes: a switch that is on, a choice
        with its value, or the choice alone."""
        name = option.replace("-", "_")
        words = {"name": name, "upper": name.upper(), "value": value}
        if _SETTINGS[option].kind is Kind.SWITCH:
            return self.switch.format(**words)
        is_list = self.folders and _SETTINGS[option].kind is Kind.FOLDERS
        pattern = self.folders if is_list else self.choice
        quoted = value if value.isdecimal() or not value else f"'{value}'"
        return pattern.format(**words, quoted=quoted).rstrip(" =")


SPELLINGS = {
    "scons": Spelling("TINYML_{upper}=True", "TINYML_{upper}={quoted}", ", "),
    "scons-arguments": Spelling("{name}=yes", "{name}={value}"),
    "platformio": Spelling("custom_tinyml_{name} = yes", "custom_tinyml_{name} = {value}", " and "),
    "cmake": Spelling("{upper}", "{upper} {value}"),
    "python": Spelling("{name}=True", "{name}={quoted}", ", ", "{name}=[{quoted}]"),
    "bazel": Spelling("{name} = True", "{name} = {quoted}", ", ", "{name} = [{quoted}]"),
}
"""By front end; those that are not here pass the words of the command line on."""


def worded(text: str, front_end: str = "") -> str:
    """A message with commands that can be typed here, and settings as a front end writes them."""
    text = _COMMAND.sub(f"`{command()} ", text)
    spelling = SPELLINGS.get(front_end)
    if spelling is None:
        return text
    return _OPTIONS.sub(lambda found: _spelled(found.group(), spelling), text)


def command() -> str:
    """What runs our command line: the installed script where it is on the path, else this Python,
    by its bare name where that is the one on the path."""
    python = Path(sys.executable)
    script = shutil.which("tinyml_rules")
    if script is not None and Path(script).parent == python.parent:
        return "tinyml_rules"
    is_on_path = shutil.which(python.name) == str(python)
    return f"{python.name if is_on_path else shell_word(str(python))} -m tinyml_rules"


def internal_error(error: Exception) -> str:
    """The message for an exception that is a bug of this package."""
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in where)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    return (
        f"tinyml_rules: internal error: {what}{place}\n"
        f"  hint: this is a mistake of tinyml_rules {__version__}, not yours: please report it "
        f"with the model and these lines\n{''.join(traceback.format_exception(error)).rstrip()}"
    )


def full_disk(error: Exception) -> UsageError | None:
    """The error of a user for an exception that says that there is no room for a file, temporary
    ones as well; None for another."""
    if not isinstance(error, OSError) or error.errno not in _NO_ROOM:
        return None
    where = str(error.filename or "a file")
    hint = "make room on the disk; temporary files are in the folder that TMPDIR names"
    return UsageError([Problem(where, f"cannot be written ({error.strerror})", hint)])


def _spelled(options: str, spelling: Spelling) -> str:
    """Options of the command line with blanks between them, in the words of a front end."""
    found = [match.groups(default="") for match in _OPTION.finditer(options)]
    return spelling.joint.join(spelling.of(name, value) for name, value in found)
