"""What the templates of kernels and of the pieces that they call may say.

Each class is for one kind of template, each field is a word of it; `emit/model_words.py` has the
words of the two files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tinyml_rules.emit.kernels import KernelUse
from tinyml_rules.emit.parts import Call
from tinyml_rules.emit.rice import RiceUse
from tinyml_rules.ir.words import Variant, Words


@dataclass(frozen=True, kw_only=True)
class SumWords(Words):
    """Functions that write int32 arithmetic, so that a sum beyond int32 wraps where one can be."""

    plus: Callable[[str, str], str]
    """`plus(one, other)`: the C expression of an int32 sum."""
    increase: Callable[[str, str], str]
    """`increase(to, term)`: the C statement that adds a term to an int32 variable."""
    times: Callable[[str, str], str]
    """`times(one, other)`: the C expression of a product that is a term of such a sum."""


def sum_words(*, wraps: bool) -> SumWords:
    """With `wraps` sums are unsigned in C, so that one beyond int32 is defined, and wraps."""
    if wraps:
        return SumWords(
            plus=lambda one, other: f"(int32_t)((uint32_t){one} + (uint32_t)({other}))",
            increase=lambda to, term: f"{to} = (int32_t)((uint32_t){to} + (uint32_t)({term}));",
            times=lambda one, other: f"(uint32_t){one} * (uint32_t){other}",
        )
    return SumWords(
        plus=lambda one, other: f"{one} + {other}",
        increase=lambda to, term: f"{to} += {term};",
        times=lambda one, other: f"{one} * {other}",
    )


@dataclass(frozen=True, kw_only=True)
class TextWords(Words):
    """What kernels and pieces have in common."""

    p: str
    """What every C name of the model begins with: its name and an underscore."""
    flash: str
    """Qualifier of a pointer to constants, with a blank after it: `__flash ` on AVR, else empty."""
    table: str
    """Qualifier or attribute of a table of constants, with a blank after it; or empty."""
    outlined: str
    """Attribute, with a blank after it, of a function that AVR must not inline; else empty."""
    sums: SumWords
    in_constant_time: bool
    """Whether no branch may depend on data where there is a way without."""
    at_most: Callable[[int], str]
    """`at_most(count)`: the last statement, with a blank before it, of a loop whose count depends
    on data: so often it runs at most each time; empty where nobody asks."""


def loop_limit(count: int) -> str:
    """That statement."""
    return f" TINYML_AT_MOST({count});"


@dataclass(frozen=True, kw_only=True)
class RoundingWords(Words):
    """What the pieces that requantize need to know of all steps of the model."""

    shifts: tuple[int, int]
    """Least and greatest shift of the sums that are requantized four at a time; 0, 0 without."""
    shifts_left: bool
    """Bounded sums: whether the tables have shifts to the left, that is, minus those of TFLM."""
    alone: str
    """End of the name of the piece for values that each have a shift of their own; or empty."""
    are_clamped: frozenset[str]
    """Bounded sums: the roundings (endings of names) that clamp to less than int8."""
    most_sum: Mapping[str, int]
    """Bounded sums: by rounding (ending of a name), the largest size of a sum."""


@dataclass(frozen=True, kw_only=True)
class PieceWords(Words):
    """The templates of emit/runtime."""

    text: TextWords
    requantizing: RoundingWords
    macro: str
    """What every macro of the model begins with: its name in capitals."""
    rice: RiceUse
    """What the model needs of the decoder of Rice codes."""


@dataclass(frozen=True, kw_only=True)
class RowWords(Words):
    """Which pixels a window kernel makes: a whole row, or `pixels` of it from `first_pixel` on;
    `output` is where the first of those goes."""

    in_pieces: bool
    """Whether rows are made in pieces, as in checked builds."""
    piece_parameters: str
    """C parameters after `output`: those of a piece with a comma before them, or none."""
    first_pixel: str
    """C expression: the first pixel that is made."""
    first_column: str
    """C expression: the input column of the first tap of that pixel; below 0 in the padding."""
    pixels: str
    """C expression: how many pixels are made."""


def row_words(*, in_pieces: bool) -> RowWords:
    """Of kernels that make rows in pieces, or whole rows."""
    if not in_pieces:
        return RowWords(
            in_pieces=False,
            piece_parameters="",
            first_pixel="0",
            first_column="-params->pad_left",
            pixels="params->output_width",
        )
    return RowWords(
        in_pieces=True,
        piece_parameters=", int first_pixel, int pixels",
        first_pixel="first_pixel",
        first_column="(first_pixel * params->stride - params->pad_left)",
        pixels="pixels",
    )


@dataclass(frozen=True, kw_only=True)
class KernelWords(Words):
    """The template of a kernel; the words of its Variant are there too."""

    kernel: str
    """C name of the kernel, prefix included; its struct of params is `<kernel>_params`."""
    struct: str
    """C declaration of the struct of params; empty where the params have no members."""
    held: str
    """Qualifier of a pointer to params: as `flash`, or empty where they can be exchanged."""
    weights_flash: str
    """Qualifier of a pointer to the params' `weights`: as `flash`, or `__memx ` of a far kernel."""
    far: str
    """End of the names of pieces that read weights: `_far` of a far kernel, else empty."""
    rounding: str
    """End of the names of pieces that requantize, such as `_once`; empty for TFLM's rounding."""
    multiplier: str
    """Member of the params that those pieces take as the multiplier: `multiplier` or `shift`."""
    multiplier_type: str
    """C type of that member, or of its elements: `int32_t` or `int8_t`."""
    are_clamped: frozenset[str]
    """The roundings (endings of names) of bounded sums that are clamped to less than int8."""
    use: KernelUse
    """How the model uses the kernel: how many steps, the largest window and patch."""
    text: TextWords
    row: RowWords
    variant: Variant


@dataclass(frozen=True, kw_only=True)
class CallWords(Words):
    """The template of a kernel that runs graphs (Form.CALL): a C function for each node."""

    call: Call
    """Form.CALL alone: the node's C function, its operands, and the graphs that it runs."""
    text: TextWords
