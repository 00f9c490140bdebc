"""Who may know whom: no two modules know each other, and the package knows nothing outside it.

Imports inside functions count.  Rooms of the package are in `test_house_rules.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.test_house_rules import CODE_FOLDERS, imported_modules, name_of, parsed

NOT_KNOWN = {
    "tinyml_rules": {"models", "benchmarks", "generate", "proofs", "tests", "site_scons"},
    "benchmarks": {"generate"},
}
"""By folder, those that are for this repository alone and stand on it."""

Graph = Mapping[str, frozenset[str]]
"""{module: those that it imports}."""


def module_of(file: Path, root: Path) -> str:
    """The name with which a file is imported."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree: ast.Module, modules: frozenset[str]) -> Iterator[str]:
    """Those of `modules` that a file imports; one named in its package is not its package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            package = node.module or ""
            names = {f"{package}.{alias.name}" for alias in node.names}
            yield from names & modules
            if names - modules and package in modules:
                yield package


def import_graph(root: Path, *folders: str) -> Graph:
    """What each module of the folders imports of them."""
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.py"))]
    named = {module_of(file, root): file for file in files}
    modules = frozenset(named)
    return {
        name: frozenset(imports_of(parsed(file), modules)) - {name} for name, file in named.items()
    }


def in_circles(graph: Graph) -> dict[str, list[str]]:
    """Modules that know each other, each with those of them that it imports."""
    left = {name: set(known) for name, known in graph.items()}
    while True:
        imported = {each for known in left.values() for each in known}
        outside = {name for name, known in left.items() if not known or name not in imported}
        if not outside:
            return {name: sorted(known) for name, known in left.items()}
        left = {name: known - outside for name, known in left.items() if name not in outside}


def test_modules_do_not_know_each_other() -> None:
    """What two of them need is a module of its own, which both import."""
    graph = import_graph(PROJECT, *CODE_FOLDERS)
    assert len(graph) > 100
    assert in_circles(graph) == {}


def test_modules_of_site_scons_do_not_either() -> None:
    """SCons puts their folder into the path of imports."""
    graph = import_graph(PROJECT / "site_scons", ".")
    assert any(graph.values())
    assert in_circles(graph) == {}


@pytest.mark.parametrize("folder", NOT_KNOWN)
def test_the_repository_is_not_known(folder: str) -> None:
    """What stands on a folder is not imported by it."""
    wrong = [
        f"{name_of(file)} imports {module}"
        for file in sorted((PROJECT / folder).rglob("*.py"))
        for module in imported_modules(file)
        if module.partition(".")[0] in NOT_KNOWN[folder]
    ]
    assert wrong == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    """One through three modules, by an import inside a function, and by a name of a package."""
    package = tmp_path / "package"
    package.mkdir()
    for name, text in {
        "__init__": "",
        "one": "from package.two import value",
        "two": "def late():\n    from package import three",
        "three": "import package.one",
        "reads": "from package.one import value",
        "read": "value = 1",
    }.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    assert in_circles(import_graph(tmp_path, "package")) == {
        "package.one": ["package.two"],
        "package.two": ["package.three"],
        "package.three": ["package.one"],
    }
