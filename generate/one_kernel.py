"""One kernel followed from its operator's folder to C, for ARCHITECTURE.md: quotations of today's.

The node is the last of the sine's, a FULLY_CONNECTED of one output, on the ATmega328.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

from generate.records import records_of, records_text
from tinyml_rules.compiler import Compiled
from tinyml_rules.ir.program import Program
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.ops import builtin_operators
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

MODEL = "models/sine/sine.tflite"
TARGET = "atmega328"
_OUTPUT = r"^ +const (?:int32_t|\{\{ sum \}\}) acc$.*?clamp_max\);$"
"""In the template, and in the C that it becomes: how one output is computed."""
_MEMBERS = 4
"""Members of the struct of constants that are shown."""


def architecture_parts(root: Path) -> dict[str, str]:
    """The generated parts of ARCHITECTURE.md, by the names of their marks."""
    request = Request(
        (root / MODEL).read_bytes(), "sine", load_target(TARGET), optimize=Optimize.LAYERS
    )
    records = records_of(request)
    (program,) = (each for each in records if isinstance(each, Program))
    (compiled,) = (each for each in records if isinstance(each, Compiled))
    step, c = program.steps[-1], compiled.files["sine.c"]
    op = builtin_operators()[step.node.op]
    prepare = op.meanings[-1].prepare
    assert step.kernel.template is not None and prepare is not None
    template = step.kernel.template.read_text(encoding="utf-8")
    name = f"sine_{step.kernel.name}"
    choices = (f"node {each.name}: {', '.join(each.candidates)}" for each in program.steps)
    return {
        "records": _block(records_text(records)),
        "kernel_python": _block(f"{_source_of(op.attrs)}\n\n\n{_source_of(prepare)}", "python"),
        "kernel_choice": _block("\n".join(choices)),
        "kernel_c": _block(
            f"/* {step.kernel.template.name} */\n{_found(_OUTPUT, template)}\n"
            "/* sine.c */\n" + "\n...\n".join(_lines_of(c, name)),
            "c",
        ),
    }


def _lines_of(c: str, name: str) -> tuple[str, ...]:
    """The computation of an output, the start of the constants, and the call."""
    constants = _found(rf"^static const struct {name}_params.*?^\}};$", c).splitlines()
    return (
        _found(_OUTPUT, c[c.index(f"static void {name}(") :]),
        "\n".join(constants[: 1 + _MEMBERS]),
        _found(rf"^ +{name}\(&.*?;$", c),
    )


def _source_of(thing: type | Callable[..., object]) -> str:
    return inspect.getsource(thing).rstrip()


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.M | re.S)
    assert match is not None, f"ARCHITECTURE.md quotes what is no longer there: {pattern}"
    return match[0]


def _block(code: str, language: str = "") -> str:
    return f"```{language}\n{code}\n```"
