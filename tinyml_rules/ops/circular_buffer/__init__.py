"""CIRCULAR_BUFFER: the last inputs side by side; an inference goes on only where all are new."""

from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.circular_buffer.op import (
    COUNTERS,
    OPERANDS,
    Attrs,
    check,
    check_options,
    counter_of,
    has_flag,
    prepare,
    state,
)
from tinyml_rules.ops.circular_buffer.oracle import oracle


@dataclass(frozen=True)
class Gate(Variant):
    """Words of the template."""

    counter: str
    """C type of what counts the inputs; empty where every input gives an output."""
    has_flag: bool
    """Whether a second output tells if the values are new."""


def _meaning(counter: DType | None, *, is_flagged: bool) -> Meaning:
    """By what counts the inputs, and whether a second output tells or the inference ends."""
    kind = "flag" if is_flagged else "gate"
    kernel = Kernel(
        name=f"circular_buffer_{kind}_{counter.bits}" if counter else "circular_buffer",
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WHOLE,
        may_end=counter is not None and not is_flagged,
        variant=Gate(counter.c_type if counter else "", is_flagged),
    )
    return Meaning(
        operands=OPERANDS,
        check=check,
        oracle=oracle,
        prepare=prepare,
        kernels=(kernel,),
        takes=lambda view: (counter_of(view), has_flag(view)) == (counter, is_flagged),
    )


OP = Op(
    name="circular_buffer",
    custom_name="CIRCULAR_BUFFER",
    attrs=Attrs,
    inputs=("input",),
    outputs=("output", "flag?"),
    options=check_options,
    summary="int8; cycles_max; ends an inference early, or says so in a second output",
    role=Role.EFFECT,
    keeps_outputs=True,
    state=state,
    meanings=(
        _meaning(None, is_flagged=False),
        *(_meaning(counter, is_flagged=False) for counter in COUNTERS),
        *(_meaning(counter, is_flagged=True) for counter in COUNTERS),
    ),
)
