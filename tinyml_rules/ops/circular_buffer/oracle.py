"""CIRCULAR_BUFFER in numpy: all slots and the flag, the calls counted, whether to go on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ops.circular_buffer.op import cycles


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """In the order: slots, flag, counter, truth value; of the last three those that there are."""
    source, *counters = (tensor for tensor in view.inputs if tensor is not None)
    slots, *flags = view.outputs
    made = np.concatenate([values[slots.index][:, 1:], values[source.index]], axis=1)
    if not counters:
        return (made,)
    calls = int(values[counters[0].index]) + 1
    is_complete = np.array(calls >= cycles(view))
    counted = np.array(0 if is_complete else calls, counters[0].dtype.numpy)
    if flags:
        return made, is_complete.reshape(flags[0].shape), counted
    return made, counted, is_complete
