"""MAX_POOL_2D: every output value is the maximum of a window of one channel."""

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import (
    OPERANDS,
    REAL_OPERANDS,
    Attrs,
    Params,
    check,
    check_options,
    has_channels,
    prepare,
    prepare_real,
    windowed,
)
from tinyml_rules.ops._shared.quantization import MOVES
from tinyml_rules.ops.max_pool_2d.oracle import oracle, oracle_of_real


@dataclass(frozen=True)
class Lanes(Variant):
    """Words of the templates that an extension of the processor has."""

    lanes: int
    """Channels at a time."""


def _parallel(template: str, feature: Feature, lanes: int) -> Kernel[Params]:
    """So many channels at a time, by an extension of the processor."""
    return Kernel(
        name=f"max_pool_2d_{template}_of_{lanes}",
        template=Path(__file__).parent / "kernels" / f"{template}.c.j2",
        form=Form.WINDOW,
        requires=frozenset((feature, Feature.REGISTERS_32)),
        can=(has_channels(lanes),),
        variant=Lanes(lanes),
    )


OP = Op(
    name="max_pool_2d",
    builtin_code=17,
    options_type=5,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8, float32; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(
                Kernel(
                    name="max_pool_2d_real",
                    template=Path(__file__).parent / "kernels" / "float32.c.j2",
                    form=Form.WINDOW,
                ),
            ),
        ),
        Meaning(
            operands=OPERANDS,
            check=check,
            oracle=oracle,
            prepare=prepare,
            interval=windowed(oracle),
            kernels=(
                _parallel("vectors", Feature.MVE, 16),
                _parallel("vectors", Feature.MVE, 8),
                _parallel("bytes", Feature.DSP, 8),
                _parallel("bytes", Feature.DSP, 4),
                Kernel(
                    name="max_pool_2d",
                    template=Path(__file__).parent / "kernels" / "portable.c.j2",
                    form=Form.WINDOW,
                ),
            ),
        ),
    ),
    quantization=replace(MOVES, takes_greatest=True),
)
