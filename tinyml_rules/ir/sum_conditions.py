"""What kernels ask of a weighted sum, whichever operator and core they are for."""

from __future__ import annotations

from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.sums import Element, Scale, Sums

Ask = Condition[Sums]

NIBBLES = Ask(lambda sums: sums.element is Element.INT4, "the weights have eight bits")
BYTES = NIBBLES.opposite("the weights have four bits")

UNGROUPED = Ask(lambda sums: not sums.is_grouped, "the convolution is by groups of channels")
GROUPED = UNGROUPED.opposite("the convolution is not by groups of channels")

PIXELS = Ask(lambda sums: sums.window is None, "the window is not 1x1 on every pixel")
WINDOW = PIXELS.opposite("the window is 1x1 on every pixel")

CLOSE = Ask(lambda sums: sums.across.dilation == 1, "the window is dilated")
DILATED = CLOSE.opposite("the window is not dilated")


def of_scale(scale: Scale) -> Ask:
    """With a multiplier for all outputs, or for each."""
    single, own = "all outputs have one multiplier", "each output has a multiplier of its own"
    return Ask(lambda sums: sums.scale is scale, own if scale is Scale.ONE else single)


def outputs_from(least: int) -> Ask:
    """So many outputs, or more."""
    return Ask(lambda sums: sums.outputs >= least, f"fewer than {least} outputs")


def outputs_up_to(most: int) -> Ask:
    """So many outputs, or fewer."""
    return Ask(lambda sums: sums.outputs <= most, f"more than {most} outputs")


def outputs_in(size: int) -> Ask:
    """Whole groups of outputs."""
    return Ask(lambda sums: sums.outputs % size == 0, f"the outputs are no multiple of {size}")


def values_from(least: int) -> Ask:
    """So many values for an output, or more."""
    return Ask(lambda sums: sums.values >= least, f"fewer than {least} values behind an output")


def values_up_to(most: int) -> Ask:
    """So many values for an output, or fewer."""
    return Ask(lambda sums: sums.values <= most, f"more than {most} values behind an output")
