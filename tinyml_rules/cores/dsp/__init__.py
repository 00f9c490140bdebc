"""Cortex-M4, M7 and M33 with the DSP extension: the weights of two channels in one number."""

from __future__ import annotations

from pathlib import Path

from tinyml_rules.cores.core import Core
from tinyml_rules.cores.dsp.tiles import INT16, NIBBLES_OF_PIXELS, NIBBLES_OF_VECTOR
from tinyml_rules.cores.finish import OF_32_BITS, Bounds, Finish
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import Array
from tinyml_rules.ir.rounding import Rounding


def _one_less(multiplier: Array, right: Array) -> tuple[Array, Array]:
    """For a multiplication that is rounded already."""
    return multiplier, right - 1


CORE = Core(
    name="dsp",
    folder=Path(__file__).parent,
    needs=frozenset((Feature.DSP,)),
    beats=frozenset(("plain", "plain32", "plain64", "thumb_m0", "thumb_m3")),
    finish=Finish(
        Bounds(bits=30, shifts=range(1, 32)),
        _one_less,
        shifting=OF_32_BITS,
        shifting_forms=(Rounding.SHIFT_UPWARDS,),
    ),
    tiles=(INT16, NIBBLES_OF_PIXELS),
    vector_tiles=(INT16, NIBBLES_OF_VECTOR),
)
