"""BATCH_MATMUL of real numbers: the constants of its kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Work
from tinyml_rules.ops.batch_matmul.direct import Direct, kernels_of, work_of
from tinyml_rules.ops.batch_matmul.matrices import matrices_of
from tinyml_rules.ops.batch_matmul.op import Attrs, Steps, steps_of


@dataclass(frozen=True, eq=False)
class Params(Steps):
    """Members of the C struct."""

    is_constant: ClassVar[bool] = False
    """The rows are a table."""


@dataclass(frozen=True, eq=False)
class ConstantParams(Params):
    """The same with the rows of all matrices."""

    weights: Array

    is_constant: ClassVar[bool] = True


def prepare(view: NodeView) -> Work[Params]:
    """Everything that does not depend on the inputs' values."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    matrices = matrices_of(view, attrs.adj_x, attrs.adj_y)
    steps, constant = vars(steps_of(matrices, view.output.shape)), matrices.constant
    params = Params(**steps) if constant is None else ConstantParams(**steps, weights=constant)
    return work_of(view, matrices, params)


KERNELS = kernels_of(
    "batch_matmul_real",
    Direct(
        called="real numbers",
        value="float",
        sum="float",
        zero="0.0f",
        product="*factor * *value",
        result="sum",
    ),
)
