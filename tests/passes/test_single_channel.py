"""A depthwise convolution of one channel runs as a plain one and one of groups of one channel as a
depthwise one, and no other does."""

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
def test_depthwise(case: str, op: str) -> None:
    """Of one channel."""
    (node,) = graph_of(cases_of("depthwise_conv_2d")[case], name="model").nodes
    assert node.op == op


@pytest.mark.parametrize(
    ("case", "op"),
    [
        ("groups_of_one_channel", "depthwise_conv_2d"),
        ("int4_groups_of_one_channel", "depthwise_conv_2d"),
        ("groups", "conv_2d"),
        ("int16_groups_of_one_channel", "depthwise_conv_2d"),
        ("int16_groups_of_one_channel_int32", "conv_2d"),
        ("stride_down_3", "conv_2d"),
    ],
)
def test_groups(case: str, op: str) -> None:
    """Of one channel each; DEPTHWISE_CONV_2D of int16 takes no bias of int32."""
    (node,) = graph_of(cases_of("conv_2d")[case], name="model").nodes
    assert node.op == op
