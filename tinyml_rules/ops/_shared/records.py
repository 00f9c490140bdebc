"""Constants for paged kernels: one record per output channel, with its values in order."""

from __future__ import annotations

import numpy as np

from tinyml_rules.ir.graph import Array

HEAD_BYTES = 9
"""Bias, multiplier and shift of a channel."""


def records(*columns: Array) -> bytes:
    """Each column has one row per output channel; a record is the channel's row of each column, in
    order.

    int32 values are stored with the lowest byte first.
    """
    count = len(columns[0])
    parts = [
        column.astype(column.dtype.newbyteorder("<")).reshape(count, -1).view(np.uint8)
        for column in columns
    ]
    return np.concatenate(parts, axis=1).tobytes()
