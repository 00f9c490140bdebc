"""BATCH_MATMUL without zero points, of real numbers or of int16: its kernels, which sum product
after product, and their work."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops.batch_matmul.matrices import Matrices
from tinyml_rules.ops.batch_matmul.op import Steps, macs, with_constant


@dataclass(frozen=True, kw_only=True)
class Direct(Variant):
    """Words of the template."""

    called: str
    """What the matrices hold, in the comment."""
    value: str
    """C type of a value."""
    sum: str
    """That of a sum."""
    zero: str
    """The start of a sum."""
    product: str
    """C expression of a product of `*factor` and `*value`."""
    result: str
    """C expression of an output of `sum`, with @ before the name of a piece that it calls."""
    is_constant: bool = False
    """Whether the rows are a member of the params."""


def work_of(view: NodeView, matrices: Matrices, params: Steps, *, overflow: str = "") -> Work[Any]:
    """On both matrices, or on the one that is not constant."""
    rows, vectors = matrices.rows.index, matrices.vectors.index
    return Work(
        params=params,
        facts=params,
        inputs=(rows, vectors) if matrices.constant is None else (vectors,),
        outputs=(view.output.index,),
        macs=macs(view),
        overflow=overflow,
    )


def kernels_of(name: str, words: Direct, *runtime: str) -> tuple[Kernel[Any], ...]:
    """One for rows that are a table, and one for two computed matrices."""
    return (
        _kernel(f"{name}_constant", words, runtime, is_constant=True),
        _kernel(name, words, runtime, is_constant=False),
    )


def _kernel(
    name: str, words: Direct, runtime: tuple[str, ...], *, is_constant: bool
) -> Kernel[Any]:
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "direct.c.j2",
        form=Form.WHOLE,
        can=(with_constant(is_constant=is_constant),),
        runtime=runtime,
        variant=replace(words, is_constant=is_constant),
    )
