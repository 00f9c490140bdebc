"""Rounded square roots of every form, against integers of Python."""

from __future__ import annotations

from math import isqrt
from pathlib import Path

import numpy as np
import pytest

from tinyml_rules.emit.runtime import all_files
from tinyml_rules.emit.templates_of import PACKAGE, environment
from tinyml_rules.system.process import run_program, run_tool

NAME = "rounded_root.c.j2"
FORMS = {
    file.parent.parent.name: file
    for file in sorted(all_files())
    if file.name == NAME
    if "avr" not in str(file)
}
"""By folder, without assembly, which the features on an AVR are made with."""
PROGRAM = """
#include <stdint.h>
#include <stdio.h>
{pieces}
int main(void) {{
    uint64_t number;
    while (fread(&number, sizeof number, 1, stdin) == 1) {{
        const uint32_t root = rounded_root((uint32_t)(number >> 16), (uint16_t)number);
        fwrite(&root, sizeof root, 1, stdout);
    }}
    return 0;
}}
"""


def numbers() -> list[int]:
    """All small ones, those next to squares and to where the rounding changes, and random ones."""
    rng = np.random.default_rng(0)
    roots = [int(2 ** rng.uniform(0, 24)) for _ in range(40_000)] + [65535, 65536, 2**24 - 1]
    near = [root**2 + step for root in roots for step in (-1, 0, 1, root, root + 1)]
    spread = [int(2 ** rng.uniform(0, 48)) for _ in range(100_000)]
    return [
        *range(70_000),
        *(each for each in near if 0 <= each < 2**48),
        *spread,
        2**48 - 1,
        2**32,
    ]


def rounded(number: int) -> int:
    """To the nearest; the root of 32 bits has 16."""
    root = isqrt(number)
    return root + (number - root * root > root and root != 65535)


@pytest.mark.parametrize("form", FORMS)
def test_roots(form: str, tmp_path: Path) -> None:
    texts = [
        environment().get_template(file.relative_to(PACKAGE).as_posix()).render(p="", outlined="")
        for file in (PACKAGE / "emit" / "runtime" / "bit_length.c.j2", FORMS[form])
    ]
    source, program = tmp_path / "root.c", tmp_path / "root"
    source.write_text(PROGRAM.format(pieces="\n".join(texts)))
    run_tool(
        ["gcc", "-std=c11", "-O1", "-fsanitize=undefined", str(source), "-o", str(program)],
        where=form,
    )
    given = numbers()
    file = tmp_path / "numbers"
    file.write_bytes(np.array(given, np.uint64).tobytes())
    command = ["sh", "-c", f"{program} < {file}"]
    found = run_program(command, where=form, timeout_s=60).stdout
    assert np.frombuffer(found, np.uint32).tolist() == list(map(rounded, given))
