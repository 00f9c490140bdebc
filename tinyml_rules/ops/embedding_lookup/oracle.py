"""EMBEDDING_LOOKUP in numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tinyml_rules.ir.graph import Array, NodeView


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """Rows as they are."""
    ids, table = view["indices"], view["table"]
    return np.take(values[table.index], values[ids.index].astype(np.int64), axis=0, mode="clip")


def oracle_of_reals(view: NodeView, values: Mapping[int, Array]) -> Array:
    """One product in float32 for each value."""
    reals = oracle(view, values).astype(np.float32) * np.float32(view["table"].scale)
    return np.asarray(reals, np.float32)
