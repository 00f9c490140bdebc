"""FULLY_CONNECTED of int8 with constant weights and bias: what it can give, and its channels."""

from __future__ import annotations

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.rounding_reference import RoundingReference
from tinyml_rules.ops._shared.accumulate import has_computed_constants
from tinyml_rules.ops._shared.channels import Channels, weighted_channels
from tinyml_rules.ops._shared.interval import Interval, Intervals
from tinyml_rules.ops._shared.real_weights import takes_narrow_weights, takes_real_weights
from tinyml_rules.ops._shared.weighted_interval import weighted_interval
from tinyml_rules.ops.fully_connected.oracle import nearest_output, products

_of_constants = weighted_interval(products)
_of_litert = weighted_interval(products, output=nearest_output)


def interval(view: NodeView, intervals: Intervals) -> Interval | None:
    """Of constant operands; those that are computed can be anything."""
    if has_computed_constants(view):
        return None
    is_litert = view.reference is RoundingReference.LITERT
    return (_of_litert if is_litert else _of_constants)(view, intervals)


def channels(view: NodeView) -> Channels | None:
    """A vector is one pixel or several: each output sees all channels of each."""
    is_real = takes_real_weights(view) or takes_narrow_weights(view)
    is_other = is_real or has_computed_constants(view)
    return None if is_other else weighted_channels(view)
