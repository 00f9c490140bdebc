"""What the MicroFlow paper reports (Carnelos, Pasti, Bellotto, 2024, arXiv:2409.19432).

Accuracy is table 5 and energy table 6 of the paper. Its memory and time are diagrams, so those
figures are from its repository, matteocarnelos/microflow-rs at 67031350, folder `analysis`: kB of
the notebooks in `memory`, and in `performance/data` the medians of 100 runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TFLM, MICROFLOW = "TFLM", "MicroFlow"
ENGINES = (TFLM, MICROFLOW)
SINE, SPEECH, PERSON = "sine", "speech", "person_detect"
MODELS = (SINE, SPEECH, PERSON)


@dataclass(frozen=True)
class Part:
    """One of the paper's five; `target` is ours, `power` the target with its currents."""

    name: str
    target: str
    power: str = ""


PARTS = (
    Part("ESP32", "xtensa_lx6", power="esp32"),
    Part("ATSAMV71", "atsamv71"),
    Part("nRF52840", "nrf52840", power="nrf52840"),
    Part("LM3S6965", "lm3s6965"),
    Part("ATmega328", "atmega328", power="atmega328"),
)


@dataclass(frozen=True)
class Memory:
    """In kB of 1,000 B; None: does not fit, or was not built for."""

    flash_kb: float | None = None
    ram_kb: float | None = None


MEMORY: Mapping[tuple[str, str, str], Memory] = {
    (SINE, "ESP32", TFLM): Memory(306.817, 24.424),
    (SINE, "ESP32", MICROFLOW): Memory(100.56, 10.688),
    (SINE, "ATSAMV71", MICROFLOW): Memory(48.0, 6.584),
    (SINE, "nRF52840", TFLM): Memory(116.352, 45.728),
    (SINE, "nRF52840", MICROFLOW): Memory(34.292, 5.296),
    (SINE, "LM3S6965", MICROFLOW): Memory(34.296, 4.620),
    (SINE, "ATmega328", MICROFLOW): Memory(13.619, 1.706),
    (SPEECH, "ESP32", TFLM): Memory(341.281, 42.428),
    (SPEECH, "ESP32", MICROFLOW): Memory(110.416, 25.488),
    (SPEECH, "ATSAMV71", MICROFLOW): Memory(73.544, 21.168),
    (SPEECH, "nRF52840", TFLM): Memory(157.464, 63.728),
    (SPEECH, "nRF52840", MICROFLOW): Memory(61.804, 19.552),
    (SPEECH, "LM3S6965", MICROFLOW): Memory(61.860, 19.220),
    (PERSON, "ESP32", TFLM): Memory(642.589, 122.428),
    (PERSON, "ESP32", MICROFLOW): Memory(452.512, 96.048),
    (PERSON, "ATSAMV71", MICROFLOW): Memory(403.548, 96.512),
    (PERSON, "nRF52840", TFLM): Memory(459.648, 143.728),
    (PERSON, "nRF52840", MICROFLOW): Memory(391.700, 95.984),
}
"""{(model, part, engine): what a minimal firmware takes}."""

MILLISECONDS: Mapping[tuple[str, str, str], float] = {
    (SINE, "ESP32", TFLM): 1.7865,
    (SINE, "ESP32", MICROFLOW): 0.138,
    (SINE, "nRF52840", TFLM): 2.596,
    (SINE, "nRF52840", MICROFLOW): 0.1885,
    (SPEECH, "ESP32", TFLM): 207.433,
    (SPEECH, "ESP32", MICROFLOW): 189.340,
    (SPEECH, "nRF52840", TFLM): 59.2515,
    (SPEECH, "nRF52840", MICROFLOW): 50.597,
    (PERSON, "ESP32", TFLM): 4976.4615,
    (PERSON, "ESP32", MICROFLOW): 5131.680,
    (PERSON, "nRF52840", TFLM): 839.383,
    (PERSON, "nRF52840", MICROFLOW): 896.186,
}
"""{(model, part, engine): the median of an inference on a board}."""

_NANO, _MILLI = 3.6e-6, 3.6
"""Joules of a nanowatt hour and of a milliwatt hour."""
ENERGY: Mapping[tuple[str, str, str], tuple[str, float]] = {
    (SINE, "ESP32", TFLM): ("149 nWh", 149 * _NANO),
    (SINE, "ESP32", MICROFLOW): ("11 nWh", 11 * _NANO),
    (SINE, "nRF52840", TFLM): ("216 nWh", 216 * _NANO),
    (SINE, "nRF52840", MICROFLOW): ("16 nWh", 16 * _NANO),
    (SPEECH, "ESP32", TFLM): ("23.05 mWh", 23.05 * _MILLI),
    (SPEECH, "ESP32", MICROFLOW): ("21.04 mWh", 21.04 * _MILLI),
    (SPEECH, "nRF52840", TFLM): ("6.58 mWh", 6.58 * _MILLI),
    (SPEECH, "nRF52840", MICROFLOW): ("5.62 mWh", 5.62 * _MILLI),
    (PERSON, "ESP32", TFLM): ("691.11 mWh", 691.11 * _MILLI),
    (PERSON, "ESP32", MICROFLOW): ("694.44 mWh", 694.44 * _MILLI),
    (PERSON, "nRF52840", TFLM): ("116.58 mWh", 116.58 * _MILLI),
    (PERSON, "nRF52840", MICROFLOW): ("124.44 mWh", 124.44 * _MILLI),
}
"""{(model, part, engine): as printed, and in joules}."""

ERROR = {TFLM: (0.0157, 0.1253), MICROFLOW: (0.0154, 0.1241)}
"""Of the sine: mean squared error and its root."""
SCORES = {
    (SPEECH, TFLM): (91.737, 88.611, 90.147),
    (SPEECH, MICROFLOW): (91.638, 88.972, 90.285),
    (PERSON, TFLM): (71.843, 85.382, 78.030),
    (PERSON, MICROFLOW): (72.003, 85.401, 78.132),
}
"""Precision, recall and F1 in per cent."""
