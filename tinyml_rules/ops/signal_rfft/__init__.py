"""SignalRfft: the spectrum of real numbers."""

from dataclasses import dataclass, replace
from pathlib import Path

from tinyml_rules.arithmetic.fourier import QUARTER_SINE_512
from tinyml_rules.ir.c_struct import Int
from tinyml_rules.ir.dtype import DType
from tinyml_rules.ir.graph import Array, NodeView
from tinyml_rules.ir.program import Form, Kernel, Work
from tinyml_rules.ops._shared.fourier import TYPE_NUMBERS, Attrs, check_options, meaning
from tinyml_rules.ops._shared.operator import Meaning, Op
from tinyml_rules.ops._shared.signal import work_of

LENGTH = 512


@dataclass(frozen=True, eq=False)
class Params:
    """Members of the C struct."""

    sine: Array
    given: Int
    rows: Int


def prepare(view: NodeView) -> Work:
    """All vectors."""
    given = view["input"].shape[-1]
    return work_of(view, Params(QUARTER_SINE_512, given, view["input"].count // given))


_SHORT = meaning("signal_rfft", DType.INT16, is_inverse=False)
_OF_512: Meaning = replace(
    _SHORT,
    prepare=prepare,
    takes=lambda view: _SHORT.takes(view) and view.node.attrs.fft_length == LENGTH,
    kernels=(
        Kernel(
            name="signal_rfft_512",
            template=Path(__file__).parent / "kernels" / "of_512.c.j2",
            form=Form.WHOLE,
            runtime=("fft_512",),
        ),
    ),
)

OP = Op(
    name="signal_rfft",
    custom_name="SignalRfft",
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int16, int32, float32; fft_length with factors 2, 3 and 5",
    meanings=(
        _OF_512,
        *(meaning("signal_rfft", dtype, is_inverse=False) for dtype in TYPE_NUMBERS),
    ),
)
