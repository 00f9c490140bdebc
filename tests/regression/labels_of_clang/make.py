"""A model with two loops whose count depends on data."""

from __future__ import annotations

from tests.support.operator_cases import cases_of, file_of


def files() -> dict[str, bytes]:
    """By name."""
    case = next(iter(cases_of("div").values()))
    return {"one.tflite": file_of(case), "other.tflite": file_of(case)}
