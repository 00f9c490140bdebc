"""Names of tensors come from an untrusted file and never break, or get into, the C."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.emit.compiled import build_program, compile_c, named_model
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.system.process import run_program

INJECTED = "injected_by_a_name"
NAMES = {
    "end of a comment": f"*/ int {INJECTED}; /*",
    "comment in a comment": "/* // ",
    "line break": f"a\nint {INJECTED};\n#error {INJECTED}",
    "carriage return": f"a\r\n#error {INJECTED}",
    "escaped line break": "a\\",
    "escaped line break by a trigraph": "a??/",
    "quotes": "\"'`",
    "template": f"{{{{ {INJECTED} }}}}{{% raw %}}",
    "unicode": "größe/数/🙂",
    "unicode that looks like a line break": "a\u2028b\u0085c",
    "direction override": "a\u202eb",
    "null": "a\0b",
    "percent": "%s%n",
    "empty": "",
    "blanks": "  \t ",
    "digits": "0123",
    "keyword": "int",
    "accessor of its own": "count",
    "long": "very/" * 2000,
}
MAIN = """
#include "model.h"
int main(void)
{{
    {input}()[0] = 1;
    model_invoke();
    return {output}()[0] != 1;
}}
"""


@pytest.mark.parametrize("kind", NAMES)
def test_single_port(kind: str, tmp_path: Path) -> None:
    """The accessors do not depend on the name at all; the program runs."""
    model = relu((1, 4))
    tensors = tuple(replace(tensor, name=NAMES[kind]) for tensor in model.tensors)
    compiled = compile_c(replace(model, tensors=tensors))
    main = MAIN.format(input="model_input", output="model_output")
    program = build_program(main, compiled, folder=tmp_path)
    assert run_program([str(program)], where="program", timeout_s=10).returncode == 0


@pytest.mark.parametrize("kind", NAMES)
def test_several_ports(kind: str, tmp_path: Path) -> None:
    """The name twice, as two inputs and two outputs: every accessor is its own."""
    compiled = compile_c(named_model(NAMES[kind], NAMES[kind]))
    ports = [*compiled.interface.inputs, *compiled.interface.outputs]
    accessors = [port.accessor for port in ports]
    assert len(set(accessors)) == 4
    for accessor in accessors:
        assert accessor.isidentifier() and accessor.isascii()
    body = "".join(f"    (void){accessor}();\n" for accessor in accessors)
    main = f'#include "model.h"\nint main(void)\n{{\n{body}    return 0;\n}}\n'
    build_program(main, compiled, folder=tmp_path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a/b", "a_b"),
        ("a", "a_2"),
        ("x" * 300 + "1", "x" * 300 + "2"),
        ("é", "è"),
        ("a", "A"),
    ],
)
def test_names_that_fall_together(first: str, second: str, tmp_path: Path) -> None:
    """Different names that would be one C identifier, or one macro."""
    compiled = compile_c(named_model(first, second))
    build_program('#include "model.h"\nint main(void) { return 0; }\n', compiled, folder=tmp_path)


def test_text_of_a_name_stays_in_comments() -> None:
    """Without its comments, the header does not contain it."""
    compiled = compile_c(named_model(f"*/ {INJECTED} /*", "other"))
    header = compiled.files["model.h"]
    assert header.count("*/") == header.count("/*")
    code = "".join(part.partition("*/")[2] for part in ("*/" + header).split("/*"))
    assert f" {INJECTED} " not in code
