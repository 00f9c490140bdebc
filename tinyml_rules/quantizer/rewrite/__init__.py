"""Graph -> Graph in float32, one file a rewrite: less to quantize, and the same function."""

from __future__ import annotations

from collections.abc import Callable

from tinyml_rules.ir.graph import Graph
from tinyml_rules.ops._shared.operator import Operators
from tinyml_rules.passes.remove_dead_nodes import remove_dead_nodes
from tinyml_rules.quantizer.rewrite.fold_affine import fold_affine
from tinyml_rules.quantizer.rewrite.fuse_clamps import fuse_clamps
from tinyml_rules.quantizer.rewrite.integer_forms import integer_forms
from tinyml_rules.quantizer.rewrite.join_shapes import join_shapes
from tinyml_rules.quantizer.rewrite.own_constants import own_constants

Rewrite = Callable[[Graph, Operators], Graph]

REWRITES: tuple[Rewrite, ...] = (
    own_constants,  # first, because the others change constants of one reader
    join_shapes,
    integer_forms,
    fold_affine,
    fuse_clamps,  # after fold_affine, whose operators are between a sum and its clamp
    remove_dead_nodes,
)


def rewrite(graph: Graph, operators: Operators) -> Graph:
    """All rewrites in order."""
    for each in REWRITES:
        graph = each(graph, operators)
    return graph
