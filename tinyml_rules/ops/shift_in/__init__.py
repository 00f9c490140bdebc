"""SHIFT_IN: a window that lives on.  Its rows move down, the oldest go, and the input becomes the
last ones.  `passes/keep_windows.py` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op, Role

_WORD_BYTES = 4
_TEMPLATES = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Params:
    """Members of the C struct: bytes that move down, and bytes that are added."""

    kept: Int
    added: Int


WORDS = Condition[Params](
    lambda params: params.kept % _WORD_BYTES == params.added % _WORD_BYTES == 0,
    "rows are not a multiple of four bytes",
)


def prepare(view: NodeView) -> Work[Params]:
    """Bytes of any type, in memory that words can be read from."""
    source, window = view["input"], view["window"]
    params = Params(kept=window.size_bytes - source.size_bytes, added=source.size_bytes)
    return Work(
        params=params,
        facts=params,
        inputs=(source.index,),
        outputs=(window.index,),
        alignment=_WORD_BYTES if WORDS.holds(params) else 1,
    )


def oracle(view: NodeView, values: Mapping[int, Array]) -> Array:
    """The window, shaped like the output tensor."""
    source, window = view["input"], view["window"]
    rows = values[window.index].reshape(-1)[source.count :]
    return np.concatenate([rows, values[source.index].reshape(-1)]).reshape(window.shape)


@dataclass(frozen=True)
class Words(Variant):
    """Words of the template."""

    has_blocks: bool
    """Whether LDM and STM move four words at once."""


def _in_words(*requires: Feature, has_blocks: bool) -> Kernel[Params]:
    """For processors that load words; they have to be aligned."""
    return Kernel(
        name=f"shift_in_{'blocks' if has_blocks else 'words'}",
        template=_TEMPLATES / "words.c.j2",
        form=Form.WHOLE,
        requires=frozenset(requires),
        excludes=frozenset((Feature.AVR,)),
        can=(WORDS,),
        runtime=("copy",),
        variant=Words(has_blocks),
    )


OP = Op(
    name="shift_in",
    inputs=("input",),
    outputs=("window",),
    summary="any type",
    role=Role.EFFECT,
    keeps_outputs=True,
    meanings=(
        Meaning(
            operands={},
            oracle=oracle,
            prepare=prepare,
            kernels=(
                _in_words(Feature.THUMB, has_blocks=True),
                _in_words(has_blocks=False),
                Kernel(
                    name="shift_in",
                    template=_TEMPLATES / "portable.c.j2",
                    form=Form.WHOLE,
                    runtime=("copy",),
                ),
            ),
        ),
    ),
)
