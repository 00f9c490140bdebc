"""Programs around the operations on numbers of which some bits are known."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.system.process import run_tool
from tinyml_rules.worst_case import bound as bound_module


def run_harness(text: str, folder: Path) -> None:
    """Compile a program that may include the headers of the abstract processors, and run it;
    ToolError unless it ends with status 0."""
    source, program = folder / "harness.c", folder / "harness"
    source.write_text(text)
    headers = str(Path(bound_module.__file__).parent)
    flags = ("-std=gnu11", "-O2", "-Wno-unused-function", "-I", headers)
    run_tool(["gcc", *flags, str(source), "-o", str(program)], where="harness")
    run_tool([str(program)], where="harness")
