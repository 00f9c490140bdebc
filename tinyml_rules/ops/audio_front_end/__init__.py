"""AUDIO_FRONT_END: a frame of samples to a row of features.  `passes/fuse.py` makes it.

One buffer of 512 numbers has the window's products, then the spectrum in their place.  From the
energy of a bin on everything is done channel by channel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops.audio_front_end.op import Attrs, fuse, prepare


@dataclass(frozen=True)
class Sums(Variant):
    """Words of the template."""

    is_wide: bool
    """Whether products of 64 bits are cheap."""


def oracle(view: NodeView, values: Mapping[int, Array]) -> tuple[Array, ...]:
    """The nodes of the chain, one after the other."""
    attrs, (samples, estimates) = view.node.attrs, view.node.inputs
    assert isinstance(attrs, Attrs)
    assert samples is not None
    assert estimates is not None
    chain = attrs.chain
    known = {samples: values[samples], estimates: values[estimates]}
    made = chain.run(chain.nodes, known)
    return made[view.output.index], made[chain.subtraction.outputs[1]]


_PIECES = ("fft_512", "rounded_root", "gain_of_noise", "natural_logarithm")


def _kernel(name: str, *needs: Feature) -> Kernel:
    return Kernel(
        name=name,
        template=Path(__file__).parent / "kernels" / "portable.c.j2",
        form=Form.WHOLE,
        requires=frozenset(needs),
        runtime=(*_PIECES, *(() if needs else ("add_product",))),
        variant=Sums(is_wide=bool(needs)),
    )


OP = Op(
    name="audio_front_end",
    inputs=("input", "estimates"),
    summary="int16 samples to int8 features, in place of a whole front end",
    role=Role.EFFECT,
    fuse=fuse,
    fuses=frozenset({"signal_filter_bank_log"}),
    meanings=(
        Meaning(
            operands={},
            oracle=oracle,
            prepare=prepare,
            kernels=(
                _kernel("audio_front_end_wide", Feature.MULTIPLY_64),
                _kernel("audio_front_end"),
            ),
        ),
    ),
)
