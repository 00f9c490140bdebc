"""FULLY_CONNECTED of int8 with constant weights and bias: what it can give, and its channels."""

from __future__ import annotations

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ops._shared.accumulate import has_computed_constants
from tinyml_rules.ops._shared.channels import Channels, weighted_channels
from tinyml_rules.ops._shared.interval import Interval, Intervals
from tinyml_rules.ops._shared.real_weights import takes_real_weights
from tinyml_rules.ops._shared.weighted_interval import weighted_interval
from tinyml_rules.ops.fully_connected.oracle import products

_of_constants = weighted_interval(products)


def interval(view: NodeView, intervals: Intervals) -> Interval | None:
    """Of constant operands; those that are computed can be anything."""
    return None if has_computed_constants(view) else _of_constants(view, intervals)


def channels(view: NodeView) -> Channels | None:
    """A vector is one pixel or several: each output sees all channels of each."""
    is_other = takes_real_weights(view) or has_computed_constants(view)
    return None if is_other else weighted_channels(view)
