"""UNIDIRECTIONAL_SEQUENCE_LSTM: a layer with a memory of its own, a sequence a call."""

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.cores.in_groups import in_groups
from tinyml_rules.ir.c_struct import with_members
from tinyml_rules.ir.condition import Condition
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.features import Feature
from tinyml_rules.ir.packed import Packed
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ir.words import Variant
from tinyml_rules.ops._shared.operator import Meaning, Op, Role
from tinyml_rules.ops._shared.quantization import Matrix, Memory, QuantizationRule
from tinyml_rules.ops._shared.real_maps import LOGISTIC
from tinyml_rules.ops._weighted.words import ElementWords
from tinyml_rules.ops.unidirectional_sequence_lstm import float32
from tinyml_rules.ops.unidirectional_sequence_lstm.integers import (
    Gates,
    Params,
    check,
    operands_for,
    prepare,
)
from tinyml_rules.ops.unidirectional_sequence_lstm.op import (
    INPUTS,
    Attrs,
    check_options,
    macs,
)
from tinyml_rules.ops.unidirectional_sequence_lstm.oracle import oracle

_KERNELS = Path(__file__).parent / "kernels"
_FUNCTIONS = ("interpolated_logistic", "interpolated_tanh")
_MOST_RUN = 511
"""Products of int16 and int8 whose sum int32 holds."""


@dataclass(frozen=True, kw_only=True)
class Words(ElementWords):
    """Words of the template."""

    sums_of_four: str = ""
    """The piece that makes the sums of a unit's gates at once; they are made one by one without."""
    to_short: str
    """The piece that brings a sum to 16 bits."""


def _kernel(name: str, words: Words, *, ends_with: str = "requantize") -> Kernel[Gates]:
    pieces = (words.sums_of_four or words.dot_product, words.to_short, *_FUNCTIONS, ends_with)
    return Kernel(
        name=f"lstm{name}",
        template=_KERNELS / "portable.c.j2",
        form=Form.POINTWISE,
        runtime=pieces,
        variant=words,
    )


def _bounded(bits: int) -> Condition[Gates]:
    return Condition(lambda gates: gates.bits <= bits, f"a gate's sum can need {bits + 1} bits")


def _in_fours(work: Work[Gates]) -> Packed:
    """Weights of the four gates of a unit side by side, input after input."""
    params = work.params
    assert isinstance(params, Params)
    weights, recurrent = (in_groups(each, 4) for each in (params.weights, params.recurrent))
    return Packed(with_members(params, weights=weights, recurrent=recurrent))


_ROWS = replace(
    _kernel("_rows", Words(sums_of_four="dot_products", to_short="rescale_bounded")),
    can=(_bounded(29),),
)
_FOURS = replace(
    _kernel("_fours", Words(sums_of_four="products_4_by_1", to_short="rescale_bounded")),
    pack=_in_fours,
)
_INT8 = (
    replace(_ROWS, requires=frozenset((Feature.MVE,))),
    replace(_ROWS, requires=frozenset((Feature.DSP,))),
    replace(_FOURS, requires=frozenset((Feature.REGISTERS_32,)), can=(_bounded(29),)),
    replace(_FOURS, requires=frozenset((Feature.AVR,)), can=(_bounded(22),)),
    replace(_kernel("", Words(to_short="requantize_int16")), has_far_form=True),
)
"""Best first."""


def _wide_kernel(name: str, *, is_wide: bool) -> Kernel[Gates]:
    """For int16, with sums of 64 bits where they leave int32."""
    is_so = Condition[Gates](
        lambda gates: gates.is_wide == is_wide, f"{'no' if is_wide else 'a'} sum can leave 32 bits"
    )
    words = Words(
        value="int16_t",
        sum="int64_t" if is_wide else "int32_t",
        dot_product="dot_product_int16",
        most_run=_MOST_RUN if is_wide else 0,
        to_short=f"requantize_int16_{'wide' if is_wide else 'once'}",
    )
    return replace(
        _kernel(name, words, ends_with="requantize_int16"), can=(is_so,), has_far_form=True
    )


@dataclass(frozen=True)
class Real(Variant):
    """Words of the template of real numbers."""

    logistic: str = LOGISTIC
    """C expression of the function of `value`, with @ before the name of a piece that it calls."""


_MEMORY = Memory(
    sums=tuple(
        each
        for gate in range(4)
        for each in (Matrix(0, 1 + gate, bias=12 + gate), Matrix(18, 5 + gate))
    ),
    hidden=18,
    cell=19,
    cells=float32.cells,
)

_REAL = Kernel[None](
    name="lstm_real",
    template=_KERNELS / "float32.c.j2",
    form=Form.POINTWISE,
    runtime=("real_exp", "real_tanh"),
    variant=Real(),
)

OP = Op(
    name="unidirectional_sequence_lstm",
    builtin_code=44,
    options_type=71,
    attrs=Attrs,
    inputs=INPUTS,
    options=check_options,
    summary="int8 and int16 with weights int8, a cell of int16; float32; constant weights, clip of "
    "the cell, either order of time and batch",
    role=Role.EFFECT,
    macs=macs,
    quantization=QuantizationRule(version=3, memory=_MEMORY),
    meanings=(
        Meaning(
            takes=float32.takes,
            operands=float32.OPERANDS,
            oracle=float32.oracle,
            prepare=float32.prepare,
            kernels=(_REAL,),
        ),
        Meaning[Gates](
            takes=lambda view: view["input"].dtype is DType.INT16,
            operands=operands_for(DType.INT16, DType.INT64),
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=(
                _wide_kernel("_int16", is_wide=False),
                _wide_kernel("_int16_wide", is_wide=True),
            ),
        ),
        Meaning[Gates](
            operands=operands_for(DType.INT8, DType.INT32),
            check=check,
            oracle=oracle,
            prepare=prepare,
            kernels=_INT8,
        ),
    ),
)
