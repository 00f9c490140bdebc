"""CIRCULAR_BUFFER in numpy: all slots and the flag, the calls counted, whether to go on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.circular_buffer.op import Attrs

_OF_EVERY_CALL = (5, 13, 25)
"""Slots for which TFLM goes on with every call, where no option tells."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """In the order: slots, flag, counter, truth value; of the last three those that there are."""
    source, *counters = (tensor for tensor in view.inputs if tensor is not None)
    slots, *flags = view.outputs
    made = np.concatenate([values[slots.index][:, 1:], values[source.index]], axis=1)
    if not counters:
        return (made,)
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    guess = 1 if slots.shape[1] in _OF_EVERY_CALL else 2
    calls = int(values[counters[0].index]) + 1
    is_complete = np.array(calls >= (attrs.cycles_max if attrs.cycles_max > 0 else guess))
    counted = np.array(0 if is_complete else calls, counters[0].dtype.numpy)
    if flags:
        return made, is_complete.reshape(flags[0].shape), counted
    return made, counted, is_complete
