"""AVERAGE_POOL_2D: each output value is the rounded mean of the cells of a window, of one channel,
that are inside the image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.arithmetic.fixed_point import INT8_MAX, INT8_MIN, INT32_MAX
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.contract import (
    CLAMPED,
    CLAMPS,
    HAS_COLUMNS,
    Contract,
    Pointer,
    RunningSums,
    each_pixel,
)
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.graph import NodeView
from tinyml_rules.ir.program import Form, Kernel
from tinyml_rules.ir.words import ONLY, Variant
from tinyml_rules.ops._shared.channels import same_channels
from tinyml_rules.ops._shared.constraints import takes_reals
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.pooling import (
    OF_BYTES,
    REAL_OPERANDS,
    Attrs,
    Params,
    check,
    check_mean,
    check_options,
    has_cells,
    has_channels,
    int16_meaning,
    operands_of,
    prepare,
    prepare_real,
    real_kernel,
    windowed,
)
from tinyml_rules.ops._shared.quantization import SAME
from tinyml_rules.ops.average_pool_2d.oracle import oracle, oracle_of_real, oracle_of_uint8

_KERNELS = Path(__file__).parent / "kernels"
_PORTABLE = _KERNELS / "portable.c.j2"
_CHANNELS = 8
"""Channels at a time: two in a register, or all in a vector."""
MOST_CELLS = 255
"""Largest window, in cells: 16 bits hold the sum of its int8 values and half their number, for
rounding."""


@dataclass(frozen=True)
class Rows(Variant):
    """Words of the template that takes an image in pieces."""

    has_eight: bool
    """Whether eight channels are added at a time."""
    rounds_up: bool = False
    """Whether ties are rounded upwards."""


@dataclass(frozen=True)
class Clamp(Variant):
    """Words of the template of windows."""

    is_clamped: bool
    """Whether results are clamped to less than int8."""


def _is_full(params: Params) -> bool:
    return (params.clamp_min, params.clamp_max) == (INT8_MIN, INT8_MAX)


_FULL = Condition(_is_full, "an activation clamps the results")
_SUMS = (has_channels(_CHANNELS), has_cells(MOST_CELLS))


def _eight_channels() -> tuple[Kernel[Params], Kernel[Params]]:
    in_rows = Kernel(
        name="average_pool_2d_eight_rows",
        template=_KERNELS / "rows.c.j2",
        form=Form.ROWS,
        requires=frozenset((Feature.DSP,)),
        variant=Rows(has_eight=True),
    )
    plain = replace(
        in_rows,
        name="average_pool_2d_eight",
        template=_KERNELS / "eight.c.j2",
        form=Form.WINDOW,
        can=(*_SUMS, _FULL),
        in_rows=in_rows,
        variant=Clamp(is_clamped=False),
    )
    clamped = replace(
        plain,
        name="average_pool_2d_eight_clamped",
        can=(*_SUMS, _FULL.opposite("no activation clamps the results")),
        variant=Clamp(is_clamped=True),
    )
    return plain, clamped


EIGHT_CHANNELS = _eight_channels()
"""Without a clamp, and with one."""

_VECTOR_ROWS = Kernel(
    name="average_pool_2d_vector_rows",
    template=_KERNELS / "vector_rows.c.j2",
    form=Form.ROWS,
)

VECTORS = Kernel(
    name="average_pool_2d_vectors",
    template=_KERNELS / "vectors.c.j2",
    form=Form.WINDOW,
    requires=frozenset((Feature.MVE, Feature.REGISTERS_32)),
    can=(has_cells(MOST_CELLS), has_channels(_CHANNELS)),
    in_rows=_VECTOR_ROWS,
)

WITH_VECTOR_ROWS = replace(
    VECTORS,
    name="average_pool_2d_of_any",
    template=_PORTABLE,
    can=(),
    variant=OF_BYTES,
)
"""The portable kernel for any number of cells and channels; only its form for an image in pieces
uses vectors."""

_MOST_CELLS_PROVED = 2**22
"""Of a window, for sums of int8, and of uint8, inside int32."""
_CONTRACT = each_pixel(
    "channels",
    requires=(
        *HAS_COLUMNS,
        f"window.height * window_width <= {_MOST_CELLS_PROVED}",
        "\\exists integer y; 0 <= y < window.height && rows[y] != \\null",
    ),
)
"""Each window has a cell inside the image."""
_VALUES = "input_width * window.input_rows * channels"
_CONTRACT_OF_PIECES = Contract(
    (Pointer("piece"),),
    Pointer("output", "channels"),
    (
        CLAMPS,
        f"1 <= input_width * window.input_rows <= {_MOST_CELLS_PROVED}",
        f"{_VALUES} <= {_MOST_CELLS_PROVED}",
    ),
    CLAMPED,
    RunningSums(more=-INT8_MIN, values=_VALUES, step="channels"),
)
"""As if one sum had all values of the image."""

_PLAIN = Kernel(
    name="average_pool_2d",
    template=_PORTABLE,
    form=Form.WINDOW,
    variant=OF_BYTES,
    contract=_CONTRACT,
    in_rows=Kernel(
        name="average_pool_2d_rows",
        template=_KERNELS / "rows.c.j2",
        form=Form.ROWS,
        variant=Rows(has_eight=False),
        contract=_CONTRACT_OF_PIECES,
    ),
)

_SHORT = replace(
    _PLAIN,
    name="average_pool_2d_of_words",
    contract=None,
    template=_KERNELS / "short.c.j2",
    requires=frozenset((Feature.AVR,)),
    can=(has_cells(MOST_CELLS),),
    variant=ONLY,
)
"""In 16 bits, without a division."""


def _rounding_up(plain: Kernel[Params]) -> Kernel[Params]:
    """The kernel with ties upwards."""
    assert plain.in_rows is not None
    rows = replace(
        plain.in_rows,
        name=f"{plain.name}_up_rows",
        variant=Rows(has_eight=False, rounds_up=True),
    )
    return replace(
        plain,
        name=f"{plain.name}_up",
        in_rows=rows,
        variant=replace(OF_BYTES, rounds_up=True),
    )


_MOST_CELLS_OF_UINT8 = INT32_MAX // 256
"""Of which 32 bits hold the sum, and half their number for rounding."""


def check_sums_of_uint8(view: NodeView) -> Iterator[str]:
    """Shapes that agree, and sums that int32 holds."""
    yield from check_mean(view, most=_MOST_CELLS_OF_UINT8)


OP = Op(
    name="average_pool_2d",
    builtin_code=1,
    options_type=5,
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int8, int16, float32; SAME, VALID; stride; fused activation",
    channels=same_channels,
    meanings=(
        Meaning(
            takes=takes_reals,
            operands=REAL_OPERANDS,
            check=check,
            oracle=oracle_of_real,
            prepare=prepare_real,
            kernels=(real_kernel("average_pool_2d_real", "AVERAGE_POOL_2D"),),
        ),
        int16_meaning("average_pool_2d", oracle, _PORTABLE, check_mean),
        Meaning(
            takes=lambda view: view.is_of_uint8,
            operands=operands_of(DType.INT8),
            check=check_sums_of_uint8,
            oracle=oracle_of_uint8,
            prepare=prepare,
            interval=windowed(oracle_of_uint8),
            kernels=(_rounding_up(_PLAIN),),
        ),
        Meaning(
            operands=operands_of(DType.INT8),
            check=check_mean,
            oracle=oracle,
            prepare=prepare,
            interval=windowed(oracle),
            kernels=(
                *EIGHT_CHANNELS,
                VECTORS,
                WITH_VECTOR_ROWS,
                _SHORT,
                _PLAIN,
            ),
        ),
    ),
    quantization=replace(SAME, int16_version=3),
)
