"""The JSON schemas of our TOML files, from the tables that their readers take.

Draft 7, which Taplo and the schema stores of editors know.
"""

from __future__ import annotations

import json
from typing import Any

from generate.schemas.options import options_schema
from generate.schemas.sensor import sensor_schema
from generate.schemas.target import target_schema
from tinyml_rules.editors.schemas import SCHEMAS, schema_name

_FOLDER = "tinyml_rules/editors/schemas"


def schemas() -> dict[str, dict[str, Any]]:
    """By kind, the schema."""
    of_kinds = {
        "options": options_schema(),
        "sensor": sensor_schema(),
        "target": target_schema(),
    }
    assert of_kinds.keys() == SCHEMAS.keys()
    return {
        kind: {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "title": SCHEMAS[kind].title,
            **schema,
        }
        for kind, schema in of_kinds.items()
    }


def schema_files() -> dict[str, str]:
    """{path from the project's folder: text}."""
    return {
        f"{_FOLDER}/{schema_name(kind)}": json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        for kind, schema in schemas().items()
    }
