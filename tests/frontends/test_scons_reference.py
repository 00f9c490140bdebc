"""The reference page of the SCons tool names every variable, with its default and meaning."""

from __future__ import annotations

import re

from tests.conftest import PROJECT
from tinyml_rules.frontends.scons.settings import SETTINGS, variable_of
from tinyml_rules.request.options import OPTIONS


def test_variables() -> None:
    page = (PROJECT / "docs" / "build_systems" / "scons.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"<!-- settings -->\n(.*?)<!-- /settings -->", page, re.S)
    of_options = {variable_of(name) for name in OPTIONS}
    rows = [
        f"| `{each.name}` | `{each.default!r}` | {each.meaning} |"
        for each in SETTINGS
        if each.name not in of_options
    ]
    assert table.splitlines()[2:] == rows
