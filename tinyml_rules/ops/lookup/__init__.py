"""LOOKUP: every 8-bit value through a table of 256.  `passes/tabulate.py` makes it."""

from pathlib import Path

from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops.lookup.op import DOES_MORE, FLIPS, oracle, prepare

_KERNELS = Path(__file__).parent / "kernels"

OP = Op(
    name="lookup",
    inputs=("input", "table"),
    summary="8-bit values through a table",
    is_map=lambda _view: True,
    meanings=(
        Meaning(
            operands={},
            oracle=oracle,
            prepare=prepare,
            kernels=(
                Kernel(
                    name="flip",
                    template=_KERNELS / "flip.c.j2",
                    form=Form.POINTWISE,
                    can=(FLIPS,),
                    is_in_place=True,
                ),
                Kernel(
                    name="lookup",
                    template=_KERNELS / "portable.c.j2",
                    form=Form.POINTWISE,
                    can=(DOES_MORE,),
                    is_in_place=True,
                ),
            ),
        ),
    ),
)
