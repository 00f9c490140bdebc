"""A model's file: from any bytes to C, or to one error."""

from __future__ import annotations

from pathlib import Path

from tests.model_file.malformed_worker import try_copy
from tests.support.clean_errors import clean_errors
from tinyml_rules.model_file.c_array import array_bytes
from tinyml_rules.model_file.flatbuffer import has_identifier
from tinyml_rules.model_file.other_formats import other_format
from tinyml_rules.model_file.reader import FILE_IDENTIFIER


def one_input(data: bytes) -> None:
    """A .tflite file, or one of another format, or C with an array."""
    with clean_errors():
        if not has_identifier(data, FILE_IDENTIFIER):
            other_format(data, Path("model.h"))
            array_bytes(data, "model.h", lambda found: has_identifier(found, FILE_IDENTIFIER))
        try_copy(data)
