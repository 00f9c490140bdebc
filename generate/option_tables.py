"""What CMake and Bazel know of the options of each step, and of a compilation's outputs.

Neither reads Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from tinyml_rules.accuracy.options import ACCURACY
from tinyml_rules.model_file.suffixes import SUFFIXES
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.request.option import Kind, Option
from tinyml_rules.request.options import OPTIONS
from tinyml_rules.request.outputs import OUTPUTS, output_suffixes

_FRONT_ENDS = "tinyml_rules/frontends"
_NOTE = "as generate/option_tables.py writes them: do not edit."
_ATTRIBUTES = {
    Kind.WORD: "string",
    Kind.NUMBER: "int",
    Kind.SWITCH: "bool",
    Kind.PAIRS: "string_dict",
    Kind.FOLDERS: "label_list",
    Kind.FILE: "label",
    Kind.REAL: "string",  # Bazel has no real numbers
    Kind.ENERGY: "string",
    Kind.TEXT: "string",
    Kind.AMOUNT: "string",
}
_STEPS: Mapping[str, Mapping[str, Option]] = {
    "": OPTIONS,
    "ACCURACY_": ACCURACY,
    "QUANTIZE_": QUANTIZE,
}
"""Each table, and what the names of its lists begin with."""


def option_tables() -> dict[str, str]:
    """{path from the project's folder: what the file has to hold}."""
    return {
        f"{_FRONT_ENDS}/bazel/option_table.bzl": "".join(_bazel_lines()),
        f"{_FRONT_ENDS}/cmake/TinymlRulesOptions.cmake": "".join(_cmake_lines()),
    }


def _bazel_lines() -> Iterator[str]:
    yield f'"""The options of each step, and the outputs of a compilation, {_NOTE}"""\n'
    for word, table in _STEPS.items():
        prefix = "accuracy_" if table is ACCURACY else ""  # attributes of the model
        yield f"\n{word or 'OPTION_'}ATTRS = {{\n"
        for name in sorted(table):
            yield from _attribute_lines(table[name], prefix)
        yield "}\n"
    yield "\nOUTPUTS = {\n"
    for output in OUTPUTS:
        yield f'    "{output.role}": struct(\n'
        yield f"        doc = {json.dumps(output.meaning)},\n"
        yield f"        is_external = {output.is_external},\n"
        yield f'        suffix = "{output.suffix}",\n    ),\n'
    yield "}\n"
    yield f"\nMODEL_SUFFIXES = {json.dumps(SUFFIXES)}\n"
    yield f"\nAMOUNTS = {json.dumps(sorted(_amounts()))}\n"


def _amounts() -> Iterator[str]:
    """Options whose attribute is a string, though a number will do."""
    for option in OPTIONS.values():
        if option.kind in (Kind.AMOUNT, Kind.ENERGY):
            yield option.name


def _attribute_lines(option: Option, prefix: str) -> Iterator[str]:
    yield f'    "{prefix}{option.name}": attr.{_ATTRIBUTES[option.kind]}(\n'
    if option.kind is Kind.FOLDERS:
        yield "        allow_files = True,\n"
    if option.kind is Kind.FILE:
        yield "        allow_single_file = True,\n"
    if option.kind is Kind.SWITCH and option.default:
        yield "        default = True,\n"
    yield f"        doc = {json.dumps(option.meaning('`'))},\n"
    if option.is_required and not prefix:
        yield "        mandatory = True,\n"
    if option.choices and option.kind is not Kind.AMOUNT:
        yield f"        values = {json.dumps(['', *option.choices])},\n"
    yield "    ),\n"


def _cmake_lines() -> Iterator[str]:
    yield f"# The options of each step, and the outputs of a compilation, {_NOTE}\n"
    for word, table in _STEPS.items():
        for kind, options in _cmake_kinds(table.values()).items():
            names = "".join(f" {each.name.upper()}" for each in options)
            yield f"set(TinymlRules_{word}{kind}{names})\n"
    always = output_suffixes({})
    external = [each.suffix for each in OUTPUTS if each.is_external]
    yield f"set(TinymlRules_OUTPUTS {' '.join(always)})\n"
    yield f"set(TinymlRules_EXTERNAL_OUTPUTS {' '.join(external)})\n"


def _cmake_kinds(options: Iterable[Option]) -> dict[str, list[Option]]:
    """The options by how CMake has to read them."""
    kinds = {
        "SWITCHES": [each for each in options if each.kind is Kind.SWITCH and not each.default],
        "TURNED_OFF": [each for each in options if each.kind is Kind.SWITCH and each.default],
        "LISTS": [each for each in options if each.kind is Kind.PAIRS],
        "PATHS": [each for each in options if each.kind.is_path],
    }
    known = [each for found in kinds.values() for each in found]
    return {**kinds, "WORDS": [each for each in options if each not in known]}
