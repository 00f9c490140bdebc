"""The options of signal operators, of which TFLM finds each by its place: no more, no fewer, and of
the types that it takes them for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from flatbuffers import flexbuffers

from tests.support.stages import read
from tinyml_rules.errors import ModelError
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops.signal_fft_auto_scale.cases import scaled
from tinyml_rules.ops.signal_filter_bank_spectral_subtraction.cases import OPTIONS, subtraction
from tinyml_rules.ops.signal_window.cases import window


def _without(name: str) -> Mapping[str, Any]:
    return {key: value for key, value in OPTIONS.items() if key != name}


WRONG = {
    "another": (window(), {"shift": 12, "a": 1}, "the option 'a', expected 'shift' and no others"),
    "other_case": (window(), {"Shift": 12}, "the option 'Shift', expected 'shift' and no others"),
    "none": (scaled(), {"shift": 12}, "the option 'shift', expected no options"),
    "missing": (subtraction(), _without("smoothing"), "no option 'smoothing'"),
    "real": (window(), {"shift": 12.0}, "the option 'shift' is 12.0, expected int"),
    "text": (window(), {"shift": "12"}, "the option 'shift' is '12', expected int"),
    "number": (
        subtraction(),
        {**OPTIONS, "clamping": 1},
        "the option 'clamping' is 1, expected bool",
    ),
    "no_map": (window(), [12], "not a FlexBuffer map"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_options(name: str) -> None:
    """One line, that names the node."""
    model, options, text = WRONG[name]
    with pytest.raises(ModelError, match=r"^model: error: node 0 ") as caught:
        read(_with(model, options))
    assert text in str(caught.value)


def _with(model: ModelSpec, options: object) -> ModelSpec:
    data = bytes(flexbuffers.Dumps(options))
    return replace(model, operators=(replace(model.operators[0], custom_options=data),))
