"""The features are told apart by their words, and a misspelt one is an error at once."""

from __future__ import annotations

import pytest

from tinyml_rules.ir.features import FEATURES, OF_WEIGHTS, Feature
from tinyml_rules.ops import builtin_operators
from tinyml_rules.target.target import load_target, target_names


def test_word_of_a_file_is_the_feature() -> None:
    """Sets of words and of features compare."""
    assert frozenset(("dsp", "thumb")) == {Feature.DSP, Feature.THUMB}
    assert f"{Feature('dsp')}" == "dsp"


def test_misspelt_feature() -> None:
    """As a module would name it, and as a file would."""
    with pytest.raises(AttributeError):
        _ = Feature.MULTIPLY64  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="multiply64"):
        Feature("multiply64")


def test_kernels_and_targets_name_features() -> None:
    """None is a word that happens to be equal to one, or to none; mypy judges kernels, too."""
    kernels = [
        kernel
        for op in builtin_operators().values()
        for meaning in op.meanings
        for kernel in meaning.kernels
    ]
    named = {each for kernel in kernels for each in kernel.requires | kernel.excludes}
    of_targets = {each for name in target_names() for each in load_target(name).features}
    assert all(isinstance(each, Feature) for each in named | of_targets)
    assert of_targets == set(FEATURES)
    assert named >= OF_WEIGHTS
