"""Writes what CMake and Bazel know of the options and outputs of a compilation.

Neither reads Python.  A test compares the files with the tables: run
`python -m tinyml_rules.frontends.option_tables` after a change of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tinyml_rules.request.options import OPTIONS, Kind, Option
from tinyml_rules.request.outputs import OUTPUTS, output_suffixes

_HERE = Path(__file__).parent
_NOTE = "as tinyml_rules/frontends/option_tables.py writes them: do not edit."
_ATTRIBUTES = {
    Kind.WORD: "string",
    Kind.NUMBER: "int",
    Kind.SWITCH: "bool",
    Kind.PAIRS: "string_dict",
    Kind.FOLDERS: "label_list",
    Kind.FILE: "label",
}


def option_tables() -> dict[Path, str]:
    """{file: what it has to hold}."""
    return {
        _HERE / "bazel" / "option_table.bzl": "".join(_bazel_lines()),
        _HERE / "cmake" / "TinymlRulesOptions.cmake": "".join(_cmake_lines()),
    }


def _bazel_lines() -> Iterator[str]:
    yield f'"""The options and outputs of a compilation, {_NOTE}"""\n\nOPTION_ATTRS = {{\n'
    for name in sorted(OPTIONS):
        yield from _attribute_lines(OPTIONS[name])
    yield "}\n\nOUTPUTS = {\n"
    for output in OUTPUTS:
        yield f'    "{output.role}": struct(\n'
        yield f"        doc = {json.dumps(output.meaning)},\n"
        yield f"        is_external = {output.is_external},\n"
        yield f'        suffix = "{output.suffix}",\n    ),\n'
    yield "}\n"


def _attribute_lines(option: Option) -> Iterator[str]:
    yield f'    "{option.name}": attr.{_ATTRIBUTES[option.kind]}(\n'
    if option.kind is Kind.FOLDERS:
        yield "        allow_files = True,\n"
    if option.kind is Kind.FILE:
        yield "        allow_single_file = True,\n"
    yield f"        doc = {json.dumps(option.meaning('`'))},\n"
    if option.choices:
        yield f"        values = {json.dumps(['', *option.choices])},\n"
    yield "    ),\n"


def _cmake_lines() -> Iterator[str]:
    kinds = {
        "SWITCHES": [each for each in OPTIONS.values() if each.kind is Kind.SWITCH],
        "LISTS": [each for each in OPTIONS.values() if each.kind is Kind.PAIRS],
        "PATHS": [each for each in OPTIONS.values() if each.kind.is_path],
    }
    known = [option for options in kinds.values() for option in options]
    kinds["WORDS"] = [each for each in OPTIONS.values() if each not in known]
    yield f"# The options and outputs of a compilation, {_NOTE}\n"
    for kind, options in kinds.items():
        yield f"set(TinymlRules_{kind} {' '.join(each.name.upper() for each in options)})\n"
    always = output_suffixes({})
    external = [each.suffix for each in OUTPUTS if each.is_external]
    yield f"set(TinymlRules_OUTPUTS {' '.join(always)})\n"
    yield f"set(TinymlRules_EXTERNAL_OUTPUTS {' '.join(external)})\n"


if __name__ == "__main__":
    for file, text in option_tables().items():
        file.write_text(text, encoding="utf-8")
