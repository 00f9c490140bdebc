"""What Python is told of the options and of the package's names: the types of keyword arguments,
and the stub that mypy and editors read.

An option is a row of a table, and a name is exported by `tinyml_rules/__init__.py`; neither is said
again.
"""

from __future__ import annotations

import builtins
import textwrap
from collections.abc import Iterator, Mapping

import tinyml_rules
from tinyml_rules.quantizer.options import QUANTIZE
from tinyml_rules.request.option import Kind, Option
from tinyml_rules.request.options import OPTIONS

_WIDTH = 100
_NOTE = "As generate/python_options.py writes them: do not edit."
_TYPES = {
    Kind.SWITCH: "bool",
    Kind.PAIRS: "Mapping[int, str] | Mapping[str, str] | Sequence[str]",
    Kind.FOLDERS: "str | PathLike[str] | Sequence[str | PathLike[str]]",
    Kind.FILE: "str | PathLike[str]",
    Kind.REAL: "float",
    Kind.ENERGY: "float | str",
    Kind.TEXT: "str",
}
OF_ARGUMENTS = ("calibration", "validate")
"""Options of a quantization that are arguments of the function, because they also are arrays."""
RECORDS: Mapping[str, tuple[str, Mapping[str, Option]]] = {
    "CompileOptions": ("Options of a compilation, by name; each may be left out.", OPTIONS),
    "QuantizeOptions": (
        "Options of a quantization, by name; each may be left out.",
        {name: option for name, option in QUANTIZE.items() if name not in OF_ARGUMENTS},
    ),
}
"""By class: what it is, and its rows."""


def python_files() -> dict[str, str]:
    """{path from the project's folder: what the file has to hold}."""
    return {
        "tinyml_rules/api/options.py": "".join(_option_lines()),
        "tinyml_rules/__init__.pyi": "".join(_stub_lines()),
    }


def type_of(option: Option) -> str:
    """The type of its value."""
    if option.kind is Kind.AMOUNT:
        return "int | str"
    if option.choices:
        return f"Literal[{', '.join(map(_quoted, option.choices))}]"
    if option.kind is Kind.NUMBER:
        return "int | str" if option.unit == "bytes" else "int"
    return _TYPES[option.kind]


def _quoted(word: str) -> str:
    return f'"{word}"'


def _option_lines() -> Iterator[str]:
    yield f'"""The options of the functions, with the types of their values.\n\n{_NOTE}\n"""\n\n'
    yield "from __future__ import annotations\n\n"
    yield "from collections.abc import Mapping, Sequence\nfrom os import PathLike\n"
    yield "from typing import Literal, TypedDict\n"
    for name, (what, table) in RECORDS.items():
        yield f'\n\nclass {name}(TypedDict, total=False):\n    """{what}"""\n\n'
        for option in table.values():
            yield f"    {option.name}: {type_of(option)}\n"
            yield _docstring(option.meaning("`"))


def _docstring(text: str) -> str:
    """Below the name that it is about, in lines of the house's width; a line of the text stays
    one."""
    lines = [
        each
        for number, line in enumerate(text.split("\n"))
        for each in textwrap.wrap(
            f'"""{line}' if number == 0 else f"- {line}",
            _WIDTH,
            initial_indent="    ",
            subsequent_indent="    " if number == 0 else "      ",
            break_on_hyphens=False,
        )
    ]
    end = "\n    " if len(lines) > 1 else ""
    return "\n".join(lines) + f'{end}"""\n'


def _stub_lines() -> Iterator[str]:
    yield f'"""The names of the package, for type checkers and editors.\n\n{_NOTE}\n"""\n\n'
    modules: dict[str, list[str]] = {}
    for name, module in tinyml_rules._EXPORTED.items():
        modules.setdefault(f"tinyml_rules.{module}", []).append(name)
    for module, names in sorted(modules.items()):
        for name in sorted(names, key=_case):
            shadows = "  # noqa: A004 - as `re.compile` does" if hasattr(builtins, name) else ""
            yield f"from {module} import {name} as {name}{shadows}\n"
    yield "\n__version__: str\n__all__: list[str]\n_EXPORTED: dict[str, str]\n"


def _case(name: str) -> tuple[bool, str]:
    """Classes first, as ruff sorts them."""
    return not name[0].isupper(), name
