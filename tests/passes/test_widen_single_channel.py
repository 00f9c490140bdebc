"""A depthwise convolution of one channel runs as a plain one, and no other does."""

from __future__ import annotations

import pytest

from tests.support.operator_cases import cases_of, graph_of


@pytest.mark.parametrize(
    ("case", "op"),
    [
        ("one_channel", "conv_2d"),
        ("depth_multiplier_8_of_one_channel", "conv_2d"),
        ("same", "depthwise_conv_2d"),
        ("depth_multiplier_2", "depthwise_conv_2d"),
    ],
)
def test_the_operator_that_runs(case: str, op: str) -> None:
    (node,) = graph_of(cases_of("depthwise_conv_2d")[case], name="model").nodes
    assert node.op == op
