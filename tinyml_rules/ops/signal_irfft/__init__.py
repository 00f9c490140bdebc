"""SignalIrfft: real numbers from their spectrum."""

from tinyml_rules.ops._shared.fourier import TYPE_NUMBERS, Attrs, check_options, meaning
from tinyml_rules.ops._shared.operator import Op

OP = Op(
    name="signal_irfft",
    custom_name="SignalIrfft",
    attrs=Attrs,
    inputs=("input",),
    options=check_options,
    summary="int16, int32, float32; fft_length with factors 2, 3 and 5",
    meanings=tuple(meaning("signal_irfft", dtype, is_inverse=True) for dtype in TYPE_NUMBERS),
)
