"""What is in an operator's folder: one file if it is small, its own oracle, templates in use."""

from __future__ import annotations

import pytest

from tests.conftest import PROJECT
from tinyml_rules.ops import builtin_operators, folder_of

OPS = PROJECT / "tinyml_rules" / "ops"
MOST_LINES_OF_ONE_FILE = 250
"""An operator with at most so many lines of Python, cases not counted, is one file."""


@pytest.mark.parametrize("name", builtin_operators())
def test_small_operator_is_one_file(name: str) -> None:
    """Then its options, check, `prepare` and oracle are on one page."""
    files = (OPS / folder_of(name)).glob("*.py")
    lengths = {
        file.name: len(file.read_text(encoding="utf-8").splitlines())
        for file in files
        if not file.stem.endswith("cases")
    }
    assert "__init__.py" in lengths
    assert len(lengths) == 1 or sum(lengths.values()) > MOST_LINES_OF_ONE_FILE, lengths


@pytest.mark.parametrize("name", builtin_operators())
def test_record(name: str) -> None:
    """The oracles are its own, `check` may be a shared one, and there are cases."""
    op, package = builtin_operators()[name], f"tinyml_rules.ops.{folder_of(name)}."
    assert op.name == name
    for meaning in op.meanings:
        assert f"{meaning.oracle.__module__}.".startswith(package)
        assert meaning.check.__module__.startswith("tinyml_rules.ops.")
    assert op.is_internal or (OPS / folder_of(name) / "cases.py").is_file()


@pytest.mark.parametrize("name", builtin_operators())
def test_templates(name: str) -> None:
    """A kernel uses each, or a template that it has as a word."""
    kernels = builtin_operators()[name].kernels
    written = set((OPS / folder_of(name) / "kernels").glob("*.c.j2"))
    texts = [template.read_text(encoding="utf-8") for template in written]
    texts += [str(value) for kernel in kernels for value in kernel.variant.context.values()]
    used = {kernel.template for kernel in kernels}
    used |= {kernel.in_rows.template for kernel in kernels if kernel.in_rows is not None}
    unused = written - used
    assert [file for file in unused if not any(f"/{file.name}" in text for text in texts)] == []
