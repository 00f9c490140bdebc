"""Windows one column wide: every height, width, stride and piece of a row equals TFLM's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.ops.test_cases import wrong_in_c
from tests.ops.test_depthwise_any_window import sums_of_window
from tests.ops.test_weight_pairs import kernel_of, of_ends
from tests.support.in_pieces import assert_rows_in_pieces
from tinyml_rules.model_file.writer import ModelSpec
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.depthwise_conv_2d.cases import depthwise

PARTS = ("nrf52840", "lm3s6965")
KERNEL = "one_wide"


def _models() -> Iterator[tuple[str, ModelSpec]]:
    """Strides, dilations, both paddings, and images lower than the window, in turn."""
    for number, (rows, width) in enumerate(product((2, 3, 4, 5, 9, 10), (1, 2, 5))):
        channels = 4 * (1 + number % 3)
        padding = Padding.VALID if number % 4 == 3 else Padding.SAME
        dilation = 2 if number % 5 == 4 else 1
        height = (rows - 1) * dilation + 1 + number % 4 - (padding is Padding.SAME)
        model = depthwise(
            (1 + number % 2, height, width, channels),
            (rows, 1),
            padding=padding,
            strides=(1 + number % 2 * (dilation == 1), 1 + number % 3 * (dilation == 1)),
            dilations=(dilation, 1),
            **sums_of_window((rows, 1), channels, number),
        )
        yield f"case_{number}_{rows}_{width}_{channels}", model


MODELS = dict(_models())


@pytest.mark.parametrize("part", PARTS)
def test_equals_tflm(part: str, tmp_path: Path) -> None:
    """Nearly all of them take this kernel, and all give the reference's bytes."""
    used = [name for name, model in MODELS.items() if KERNEL in kernel_of(model, part)]
    assert len(used) > 0.8 * len(MODELS), sorted(set(MODELS) - set(used))
    cases = {name: of_ends(model) for name, model in MODELS.items()}
    assert not wrong_in_c(cases, part, folder=tmp_path)


@pytest.mark.parametrize("part", PARTS)
def test_pieces(part: str, tmp_path: Path) -> None:
    """Rows that are made in two pieces, of any number of pixels."""
    cases = {
        f"{name}_in_pieces": of_ends(model)
        for name, model in MODELS.items()
        if KERNEL in kernel_of(model, part)
    }
    assert_rows_in_pieces(cases, part, folder=tmp_path)
