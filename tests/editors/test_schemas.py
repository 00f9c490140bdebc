"""What a schema takes, its reader takes too, but for what needs several keys or other files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from tests.editors.files import FILES, changed, read, tables
from tinyml_rules.editors.schemas import SCHEMAS, schema_file
from tinyml_rules.errors import TinymlError
from tinyml_rules.sensor.key import names_of
from tinyml_rules.sensor.microfrontend_keys import KEYS
from tinyml_rules.sensor.output import OUTPUT_KEYS
from tinyml_rules.sensor.raw_keys import INPUT_KEYS

LEFT_TO_THE_READER: Mapping[str, tuple[str, ...]] = {
    "options": (
        r"is [\d.]+(e\+\d+)?, expected a whole number",  # 1.0 is an integer in JSON
    ),
    "sensor": (
        r"is [\d.]+(e\+\d+)?, expected a whole number",
        r"a number, 0 or from 1e-30 to 1e30 in size",
        r"\d features'?, expected one microphone|inputs with 'features', expected one",
        # of several keys
        r"'raw' has \d+ bits, but 'storage' has room",
        r"'range' is .*, expected (two rising|the least)",
        r"a window of \d+ samples|a step of \d+ samples",
        r"'lower_band_limit' is .*, expected rising numbers",
        r"'minimum_count' is \d+, expected a whole number from 1 to",
        r"'votes' is .*, expected \[n, m\]",
        r"'\w+_ms' is .*, expected a time of",
        r"'background' is .*, expected a list of some of the labels",
        # of a file, and of texts in bytes
        r"'labels' is .*, expected a file that can be read",
    ),
    "target": (
        r"is [\d.]+(e\+\d+)?, expected a whole number",
        # of the family, of the linker script and of other targets
        r"missing '",
        r"unknown parent|names the unknown target|a family, expected a target|inherits from itself",
        r"is like '\w+' itself|both 'like' and 'parent'",
        r"which is not a region of 'memory'|is not a region of the linker script",
        r"'core' is '\w*', expected one of",
        r"is not a class of instructions",  # of this architecture
        r"there is no .*gcc",
    ),
}
"""By kind, the messages for what a schema cannot say: rules of several keys and of other files."""


READ_WHERE_USED = {"cycles"}
"""Tables of a target that are read for the core that names them; those of a family, by members."""


@cache
def validator(kind: str) -> Any:
    """The validator of the generated schema."""
    schema = json.loads(schema_file(kind).read_text(encoding="utf-8"))
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


def keys_of(schema: Any) -> tuple[str, ...]:
    """Every key that a schema knows, and one that it does not."""
    found = {"unknown_key"}
    if isinstance(schema, dict):
        for name, each in schema.items():
            found |= {*keys_of(each)}
            if name == "properties":
                found |= {*each}
    elif isinstance(schema, list):
        for each in schema:
            found |= {*keys_of(each)}
    return tuple(sorted(found))


@pytest.mark.parametrize("kind", SCHEMAS)
def test_every_file_of_the_repository_is_valid(kind: str, tmp_path: Path) -> None:
    """For its schema, and for its reader."""
    assert FILES[kind] or kind == "options"
    for table in tables(kind):
        assert [error.message for error in validator(kind).iter_errors(table)] == []
        if kind != "target":  # whose files need those next to them
            read(kind, table, tmp_path)


def completed(schema: Any, root: Any) -> set[str]:
    """The keys of a table that Taplo completes: it goes through `anyOf` and `$ref`."""
    if "$ref" in schema:
        *_, name = schema["$ref"].split("/")
        return completed(root["definitions"][name], root)
    assert "allOf" not in schema, "Taplo takes no keys from a table with it"
    inside = (completed(each, root) for each in schema.get("anyOf", ()))
    return {*schema.get("properties", ())}.union(*inside)


def test_keys_of_descriptions_are_completed() -> None:
    """In `[input]` and `[output]`, though which keys are valid depends on others."""
    root: Any = validator("sensor").schema
    tables_of = root["properties"]
    assert completed(tables_of["input"], root) == {*names_of(INPUT_KEYS), *KEYS}
    assert completed(tables_of["output"], root) == {*names_of(OUTPUT_KEYS)}


@pytest.mark.parametrize("kind", SCHEMAS)
def test_schema_and_reader_agree(kind: str, tmp_path: Path) -> None:
    """On every change of a file."""
    schema = validator(kind)
    counts = {"taken": 0, "refused": 0, "left": 0}

    @settings(
        max_examples=120,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def check(data: st.DataObject) -> None:
        table = data.draw(changed(kind, keys_of(schema.schema)))
        wrong = [error.message for error in schema.iter_errors(table)]
        try:
            read(kind, table, tmp_path)
        except TinymlError as error:
            counts["refused"] += bool(wrong)
            if not wrong:
                counts["left"] += 1
                known = LEFT_TO_THE_READER[kind]
                assert any(re.search(each, str(error)) for each in known), (str(error), table)
        else:
            counts["taken"] += 1
            places = {each.absolute_path[0] for each in schema.iter_errors(table)}
            assert table.get("abstract") is True or not places - READ_WHERE_USED, table

    check()
    assert min(counts["taken"], counts["refused"]) > 5, counts
