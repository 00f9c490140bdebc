"""A library for the Arduino IDE: https://docs.arduino.cc/arduino-cli/library-specification, 1.5."""

from __future__ import annotations

from tinyml_rules.compiler import Compiled
from tinyml_rules.package.keywords import keywords
from tinyml_rules.package.kind import Files, Kind, of_target, refuse_name
from tinyml_rules.package.model_files import model_files
from tinyml_rules.package.order import Order
from tinyml_rules.package.render import render_files

_STM32 = (
    *("stm32f072", "stm32f103", "stm32f303", "stm32f405", "stm32f411", "stm32f746", "stm32g071"),
    *("stm32g474", "stm32h743", "stm32l053", "stm32l476"),
)
CORES = {
    "avr": ("avr",),
    "esp32": ("esp32",),
    "esp32c3": ("esp32",),
    "esp8266": ("esp8266",),
    "nrf51": ("nRF5",),
    "nrf52840": ("nrf52", "mbed_nano"),
    "nrf52832": ("nrf52",),
    "nrf52833": ("nrf52",),
    "rp2040": ("rp2040", "mbed_rp2040", "mbed_nano"),
    "rp2350": ("rp2040",),
    "samd21": ("samd",),
    **dict.fromkeys(_STM32, ("stm32",)),
    "xtensa_lx6": ("esp32",),
}
"""By target or family: the `architectures` of the Arduino cores that build for it."""


def _check(order: Order) -> None:
    of_target(order.target, CORES, ecosystem="Arduino")
    if order.name.lower().startswith("arduino"):  # kept for Arduino's own; Arduino.h is the core's
        refuse_name(order.name, "one that does not begin with 'arduino'", ecosystem="Arduino")


def _files(order: Order, compiled: Compiled) -> Files:
    cores = of_target(order.target, CORES, ecosystem="Arduino")
    files = model_files(order, compiled, readme="arduino/readme.md.j2", header_folder="src")
    templates = {
        "library.properties": "library.properties.j2",
        f"examples/{order.name}/{order.name}.ino": "sketch.ino.j2",
    }
    files.update(render_files("arduino", templates, order, compiled, cores=cores))
    files["keywords.txt"] = keywords(order.name, compiled.files[f"{order.name}.h"])
    return files


KIND = Kind("library for the Arduino IDE", _check, _files)
