"""What the wheel says of its making: a bill of materials, and the same bytes from each build."""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

from tests.conftest import PROJECT
from tests.frontends.builds import PACKAGE_PARTS, copy_project, run
from tinyml_rules import __version__

SCHEMAS = files("cyclonedx.schema") / "_res"
"""The published ones, with a library that writes such documents."""
BOM, *OTHERS = ("bom-1.6", "spdx", "jsf-0.82", "cryptography-defs")
BASE = "http://cyclonedx.org/schema/"
ANOTHER_DATE = 1_234_567_890


def bill_of(wheel: Path) -> dict[str, Any]:
    """The one document in the place that PEP 770 names."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if "/sboms/" in each)
        assert re.fullmatch(r"tinyml_rules-[\d.]+\.dist-info/sboms/[\w-]+\.cdx\.json", name)
        document: dict[str, Any] = json.loads(archive.read(name))
    return document


def schema(name: str) -> dict[str, Any]:
    """A published schema."""
    text = (SCHEMAS / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def problems(document: object) -> list[str]:
    """What the published schema says against a document."""
    others = ((f"{BASE}{name}.SNAPSHOT.schema.json", schema(name)) for name in OTHERS)
    registry = Registry[Any]().with_resources(
        (address, Resource.from_contents(each)) for address, each in others
    )
    validator = jsonschema.Draft7Validator(schema(BOM), registry=registry)
    return [each.message for each in validator.iter_errors(document)]


def test_bill_of_materials(wheel: Path) -> None:
    """It is valid, has every library that pyproject.toml asks for, and says nothing of the day."""
    bill = bill_of(wheel)
    assert problems(bill) == []
    assert problems({**bill, "components": [{"name": "numpy"}]}) != [], "the schema was read"
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    own = bill["metadata"]["component"]
    assert (own["name"], own["version"]) == (project["name"], __version__)
    assert own["licenses"] == [{"license": {"id": project["license"]}}]
    found: dict[str, set[str]] = {"required": set(), "optional": set()}
    for each in bill["components"]:
        (property_,) = each["properties"]
        found[each["scope"]].add(property_["value"])
    extras = project["optional-dependencies"]
    assert found["required"] == set(project["dependencies"])
    assert found["optional"] == {each for name in extras if name != "test" for each in extras[name]}
    assert "timestamp" not in bill["metadata"] and "serialNumber" not in bill
    assert str(PROJECT) not in json.dumps(bill)


def test_two_builds_are_the_same(wheel: Path, tmp_path: Path) -> None:
    """From another folder, with other dates and rights of files, umask, zone and locale."""
    source = copy_project(tmp_path / "elsewhere" / "source", parts=PACKAGE_PARTS)
    for path in source.rglob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode & ~0o077)
        os.utime(path, (ANOTHER_DATE, ANOTHER_DATE))
    words = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", "made"]
    command = ["sh", "-c", 'umask 077 && exec "$@"', "sh", *words, "./source"]
    variables = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    done = run(command, source.parent, variables=variables)
    assert done.returncode == 0, done.stderr
    (again,) = (source.parent / "made").glob("*.whl")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()
