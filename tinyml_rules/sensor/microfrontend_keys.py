"""The keys of an `[input]` with features = "microfrontend", with the values of microWakeWord and
ESPHome where none are given."""

from __future__ import annotations

from tinyml_rules.sensor.key import Free, Key, Real, Reals, Shape, Truth, Whole, Word, names_of
from tinyml_rules.sensor.pdm import DECIMATIONS, ORDERS
from tinyml_rules.sensor.raw_keys import INPUT_KEYS, MAP_KEYS

FFT_SIZE = 512
"""Samples of a Fourier transform: the least power of two that has room for a window."""
FFT_BITS = 9
FILTER_BITS = 12
"""Bits after the point of a weight of the filter bank."""
CORRECTION_BITS = FFT_BITS - FILTER_BITS // 2
"""Bits by which the root of a channel is smaller than what it is the size of."""
SNR_BITS = 12
FEATURE = "microfrontend"
"""The word of the key `features`."""


def _part(name: str, text: str, default: str) -> Real:
    return Real(name, text, default=default, least=0, most=1, words="a number from 0 to 1")


class Keys:
    """Each key by its name."""

    features = Word(
        "features",
        "a microphone, whose features are those of TensorFlow's microfrontend",
        FEATURE,
        meanings={FEATURE: "the front end of micro_speech, microWakeWord and ESPHome"},
    )
    sample_rate = Whole("sample_rate", "samples a second", least=1000, most=192000, default=16000)
    pdm_decimation = Free(
        "pdm_decimation",
        "bits of a PDM microphone that become a sample; without it samples are given",
        64,
        form={"enum": list(DECIMATIONS)},
    )
    pdm_order = Word(
        "pdm_order", "which bit of a byte is the first", default="msb-first", meanings=ORDERS
    )
    window_size = Whole(
        "window_size",
        f"milliseconds of a window, which has {FFT_SIZE // 2 + 1} to {FFT_SIZE} samples",
        least=1,
        most=1000,
        default=30,
    )
    window_step = Whole(
        "window_step",
        "milliseconds from one window to the next",
        least=1,
        most=1000,
        default=10,
    )
    num_channels = Whole(
        "num_channels", "features of a row", least=1, most=FFT_SIZE // 2, default=40
    )
    lower_band_limit = Real("lower_band_limit", "of the filter bank, in Hz", default="125")
    upper_band_limit = Real("upper_band_limit", "of the filter bank, in Hz", default="7500")
    smoothing_bits = Whole(
        "smoothing_bits",
        "bits after the point of an estimate of the noise",
        least=CORRECTION_BITS,
        most=16,
        default=10,
    )
    even_smoothing = _part(
        "even_smoothing",
        "how much of a new signal goes into the estimates of even channels",
        "0.025",
    )
    odd_smoothing = _part(
        "odd_smoothing", "how much of a new signal goes into the estimates of odd channels", "0.06"
    )
    min_signal_remaining = _part(
        "min_signal_remaining", "of a signal, when noise is subtracted; 1 leaves all of it", "0.05"
    )
    enable_pcan = Truth("enable_pcan", "gains by the noise of a channel", default=True)
    pcan_strength = Real(
        "pcan_strength",
        "gain = 2^gain_bits (noise + offset)^-strength",
        default="0.95",
        above=0,
        most=2,
        words="a number above 0, at most 2",
    )
    pcan_offset = Real(
        "pcan_offset",
        "gain = 2^gain_bits (noise + offset)^-strength",
        default="80",
        above=0,
        words="a number above 0",
    )
    gain_bits = Whole(
        "gain_bits",
        "gain = 2^gain_bits (noise + offset)^-strength",
        least=CORRECTION_BITS + SNR_BITS,
        most=31,
        default=21,
    )
    enable_log = Truth("enable_log", "logarithms of the signals", default=True)
    scale_shift = Whole(
        "scale_shift", "2^scale_shift times the natural logarithm", most=10, default=6
    )


class OneReal(Reals):
    """A key that says what a feature means: one number for all channels."""

    @property
    def shape(self) -> Shape:
        """One number."""
        return self.of_one


NEEDED_BY = {
    "enable_log": ("scale_shift",),
    "enable_pcan": ("pcan_strength", "pcan_offset", "gain_bits"),
}
"""Keys that nothing uses where the switch is false."""
_OWN = tuple(value for value in vars(Keys).values() if isinstance(value, Key))
_OF_FEATURES = tuple(OneReal(**vars(key)) for key in MAP_KEYS)
MICROPHONE_KEYS: tuple[Key, ...] = (*_OWN, *_OF_FEATURES, INPUT_KEYS[-1])
KEYS = names_of(MICROPHONE_KEYS)
"""Every key of the table."""
