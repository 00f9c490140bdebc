"""The file of options of a new project, and what the one next to the model says."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.editors.schemas import schema_line
from tinyml_rules.editors.vscode import FOLDER
from tinyml_rules.errors import UsageError
from tinyml_rules.request.options import named_files
from tinyml_rules.request.options_file import OPTIONS_SUFFIX, options_file, read_options
from tinyml_rules.system.files import read_file

_START = """\
# Options of the model, which every build system reads: docs/reference/options.md has all of them.
# A table [target.NAME] has those for one target.

# optimize = "size"
# selftest = true
"""


def options_files(model: Path, name: str) -> dict[str, str | bytes]:
    """{path in the project: contents} of the file of options of model `name`, and of the files that
    it names.  Raises UsageError for one that is outside of the model's folder."""
    own, line = f"{name}{OPTIONS_SUFFIX}", schema_line("options", FOLDER)
    beside = options_file(model)
    if not beside.exists():
        return {own: f"{line}\n{_START}"}
    text = read_file(beside).decode()
    if not text.startswith("#:schema "):
        text = f"{line}\n{text}"
    found: dict[str, str | bytes] = {own: text}
    for named in map(Path, named_files(read_options(beside))):
        if not named.is_relative_to(model.parent) or ".." in named.parts:
            what = f"names {named}, expected a file in the folder of the model, which is copied"
            raise UsageError.at(str(beside), what)
        found[named.relative_to(model.parent).as_posix()] = read_file(named)
    return found
