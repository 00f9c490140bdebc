"""What templates/microphone.c.j2 says of a microphone in front of a model."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml_rules.cores import qualifiers_of
from tinyml_rules.emit.c_text import array
from tinyml_rules.emit.names import Names
from tinyml_rules.emit.raw_inputs import RawWords, raw_words
from tinyml_rules.ir.features import Feature
from tinyml_rules.sensor.microfrontend import Microfrontend
from tinyml_rules.sensor.microfrontend_keys import CORRECTION_BITS
from tinyml_rules.sensor.microfrontend_tables import FilterBank, are_gains_unsigned, share
from tinyml_rules.sensor.pdm import CENTRE
from tinyml_rules.surroundings.microphone import Microphone

_MOST_LOW_SUM = (2**32 - 1) // (2**16 - 1)
"""The most of weights whose sum of products with numbers of 16 bits is one of 32."""


@dataclass(frozen=True)
class MicrophoneWords:
    """The function of the model, its tables, and its memory as C."""

    microphone: Microphone
    p: str
    flash: str
    bank: FilterBank
    constants: tuple[str, ...]
    """C text of the tables."""
    state: str
    """C pointer to what is kept."""
    spectrum: str
    """C pointer to the memory for a row."""
    state_bytes: int
    is_wide: bool
    """Sums have 64 bits; or else two words have the products with the halves of an energy."""
    put: RawWords
    """How a feature becomes a value of the input."""

    @property
    def front(self) -> Microfrontend:
        return self.microphone.front

    @property
    def centre_factor(self) -> int:
        return CENTRE

    @property
    def has_wide_ratios(self) -> bool:
        """The product of a signal and a gain is one of 64 bits."""
        return self.is_wide or not are_gains_unsigned(self.microphone.tables["gains"])

    @property
    def has_rests(self) -> bool:
        return self.bank.has_rests

    @property
    def words(self) -> tuple[str, ...]:
        """Endings of the variables of a sum."""
        return ("",) if self.is_wide else ("_low", "_high")

    @property
    def sum_type(self) -> str:
        return "uint64_t" if self.is_wide else "uint32_t"

    @property
    def energies(self) -> tuple[tuple[str, str], ...]:
        """(ending, C expression) of the factors of a weight."""
        if self.is_wide:
            return (("", "(uint64_t)energy"),)
        return (
            ("_low", "(uint32_t)(uint16_t)energy"),
            ("_high", "(uint32_t)(uint16_t)(energy >> 16)"),
        )

    @property
    def correction_bits(self) -> int:
        return CORRECTION_BITS

    @property
    def even_smoothing(self) -> int:
        return share(self.front.even_smoothing)

    @property
    def odd_smoothing(self) -> int:
        return share(self.front.odd_smoothing)

    @property
    def min_signal_remaining(self) -> int:
        return share(self.front.min_signal_remaining)


def microphone_pieces(microphone: Microphone | None) -> tuple[str, ...]:
    """The pieces of emit/runtime that its functions call."""
    if microphone is None:
        return ()
    front = microphone.front
    gains = () if front.pcan is None else ("gain_of_noise",)
    logarithms = () if front.log_shift is None else ("natural_logarithm",)
    return ("fft_512", "put_window", "rounded_root", *gains, *logarithms)


def microphone_words(names: Names, microphone: Microphone | None) -> MicrophoneWords | None:
    """None without one."""
    if microphone is None:
        return None
    features = names.schedule.program.features
    qualifiers = qualifiers_of(features)
    bank = microphone.bank
    put = microphone.put
    words = raw_words(put, "", flash=qualifiers.flash, table=qualifiers.table, features=frozenset())
    tables = {f"{names.prefix}{name}": values for name, values in microphone.tables.items()}
    state = names.buffer_address(microphone.state)
    spectrum = names.buffer_address(microphone.spectrum)
    return MicrophoneWords(
        microphone=microphone,
        p=names.prefix,
        flash=qualifiers.flash,
        bank=bank,
        constants=(
            *(array(name, values, space=qualifiers.table) for name, values in tables.items()),
            *words.constants,
        ),
        state=f"(struct {names.prefix}microphone *)(void *)({state})",
        spectrum=f"(int16_t *)(void *)({spectrum})",
        state_bytes=names.schedule.program.buffers[microphone.state].size_bytes,
        is_wide=Feature.MULTIPLY_64 in features or bank.most_sum > _MOST_LOW_SUM,
        put=words,
    )
