"""What is written down twice agrees: the version, dependencies."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from typing import Any

import pytest

from tests.conftest import PROJECT
from tinyml_rules import __version__

PACKAGE = PROJECT / "tinyml_rules"


def project_table() -> dict[str, Any]:
    """[project] of pyproject.toml."""
    table = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    project: dict[str, Any] = table["project"]
    return project


def test_version_is_in_one_place() -> None:
    """Packaging takes it from the package."""
    table = project_table()
    assert "version" not in table
    assert "version" in table["dynamic"]
    holders = [
        file.name
        for file in [*PACKAGE.rglob("*.py"), PROJECT / "pyproject.toml", PROJECT / "tinyml"]
        if f'"{__version__}"' in file.read_text(encoding="utf-8")
    ]
    assert holders == ["__init__.py"]


@pytest.mark.parametrize(
    "name",
    [
        "MODULE.bazel",
        "tinyml_rules/frontends/cmake/TinymlRulesConfigVersion.cmake",
        "tinyml_rules/frontends/platformio/library.json",
    ],
)
def test_version_for_other_systems(name: str) -> None:
    """What cannot read the package's version repeats it."""
    first, *_ = re.findall(r"\d+\.\d+\.\d+", (PROJECT / name).read_text(encoding="utf-8"))
    assert first == __version__


def nodes_that_run(node: ast.AST) -> Iterator[ast.AST]:
    """All of a file but what `if TYPE_CHECKING:` has for mypy."""
    yield node
    inner: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        inner = node.orelse
    for each in inner:
        yield from nodes_that_run(each)


def imported_packages() -> set[str]:
    """What the files of the wheel import when they run, by the first word of the module's name; the
    operators' cases are not among them."""
    nodes = [
        node
        for file in PACKAGE.rglob("*.py")
        if "cases" not in file.parts and not file.stem.endswith("cases")
        for node in nodes_that_run(ast.parse(file.read_text(encoding="utf-8")))
    ]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def test_dependencies_are_declared() -> None:
    """pyproject.toml names exactly the distributions that the package imports, but for those of
    extras, and requirements/build.txt pins them."""
    declared = {re.split(r"[<>=]", line)[0] for line in project_table()["dependencies"]}
    extras = project_table()["optional-dependencies"]
    optional = {each for name in extras if name != "test" for each in extras[name]}
    owners = packages_distributions()
    needed = {owner.lower() for name in imported_packages() for owner in owners.get(name, ())}
    assert needed - {"tinyml-rules"} - optional == declared
    build = (PROJECT / "requirements" / "build.txt").read_text(encoding="utf-8")
    pinned = {line.partition("==")[0] for line in build.splitlines() if "==" in line}
    assert declared <= pinned
