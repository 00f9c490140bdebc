"""BATCH_MATMUL of real numbers: the constants of its kernels, which sum product after product."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.batch_matmul.matrices import matrices_of
from tinyml_rules.ops.batch_matmul.op import Attrs, Steps, macs, steps_of, with_constant


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


@dataclass(frozen=True, kw_only=True)
class Rows(Variant):
    """Words of the template."""

    is_constant: bool
    """Whether the rows are a member of the params."""


def prepare(view: NodeView) -> Work[Params]:
    """Everything that does not depend on the inputs' values."""
    attrs = view.node.attrs
    assert isinstance(attrs, Attrs)
    matrices = matrices_of(view, attrs.adj_x, attrs.adj_y)
    steps, constant = vars(steps_of(matrices, view.output.shape)), matrices.constant
    params = Params(**steps) if constant is None else ConstantParams(**steps, weights=constant)
    rows, vectors = matrices.rows.index, matrices.vectors.index
    return Work(
        params=params,
        facts=params,
        inputs=(rows, vectors) if constant is None else (vectors,),
        outputs=(view.output.index,),
        macs=macs(view),
    )


def _kernel(name: str, *, is_constant: bool) -> Kernel[Params]:
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "float32.c.j2",
        form=Form.WHOLE,
        can=(with_constant(is_constant=is_constant),),
        variant=Rows(is_constant=is_constant),
    )


KERNELS = (
    _kernel("batch_matmul_real_constant", is_constant=True),
    _kernel("batch_matmul_real", is_constant=False),
)
