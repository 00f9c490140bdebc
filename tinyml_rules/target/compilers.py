"""The targets that a compiler can build for, from its name and the flags that name a processor.

It suggests a target to a user who named none, from the command line of the build's own compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from tinyml_rules.target.target import Target, load_target, target_names

TARGETS_OF_MCUS = {
    "atmega168": "atmega168",
    "atmega168p": "atmega168",
    "atmega328": "atmega328",
    "atmega328p": "atmega328",
    "atmega328pb": "atmega328",
    "atmega32u4": "atmega32u4",
    "atmega1284p": "atmega1284p",
    "atmega2560": "atmega2560",
    "esp32": "esp32",
    "esp32c3": "esp32c3",
    "esp8266": "esp8266",
    "gd32vf103cbt6": "gd32vf103",
    "nrf51822": "nrf51",
    "nrf52832": "nrf52832",
    "nrf52833": "nrf52833",
    "nrf52840": "nrf52840",
    "nrf5340": "nrf5340",
    "rp2040": "rp2040",
    "rp2350": "rp2350",
    "samd21g18a": "samd21",
    "stm32f072rbt6": "stm32f072",
    "stm32f103c8t6": "stm32f103",
    "stm32f303ret6": "stm32f303",
    "stm32f405rgt6": "stm32f405",
    "stm32f411ceu6": "stm32f411",
    "stm32f746zgt6": "stm32f746",
    "stm32g071rbt6": "stm32g071",
    "stm32g474ret6": "stm32g474",
    "stm32h743zit6": "stm32h743",
    "stm32l053r8t6": "stm32l053",
    "stm32l476rgt6": "stm32l476",
}
"""Names of processors in -mmcu and of boards, and the target of each."""

_COMPILER = re.compile(r"(?:(?P<machine>[\w.]+(?:-\w+)*)-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)")
_VERSION = re.compile(r"(?:-\d+(?:\.\d+)*)?(?:\.exe)?$")
_OF_A_VENDOR = {
    **dict.fromkeys(("armcc", "armclang", "iccarm", "tiarmclang"), "arm"),
    "iccavr": "avr",
    "iccriscv": "riscv",
}
_BARE_MACHINE = re.compile(r"^(?:arm|avr|msp430|riscv|xtensa)|-(?:eabi|elf|none)\b")
_COMPUTERS = re.compile(r"linux|darwin|apple|mingw|cygwin|msys|windows|bsd|android")
_TRIPLE = re.compile(r"-?-target[= ](?P<machine>\S+)")
_PROCESSOR = re.compile(r"^-(?:mmcu|mcpu|march)=([\w.-]+)")
_BARE_METAL = re.compile(r"^-(?:mmcu=|mcpu=cortex-m|march=rv32)")


def other_machine(words: Sequence[str]) -> str:
    """The bare-metal machine, as in `avr-gcc`, for which a compiler with its flags generates code;
    "" for a computer with an operating system.

    `words`: a command, perhaps with a program before the compiler (`ccache avr-gcc -Os`).
    """
    machine = _machine(words)
    if not machine and any(map(_BARE_METAL.match, words)):
        return "other"
    is_bare = _BARE_MACHINE.search(machine) and not _COMPUTERS.search(machine)
    return machine if is_bare else ""


def likely_targets(words: Sequence[str], search: Sequence[Path]) -> tuple[str, ...]:
    """The targets that such a command may be for: those of the processor that a flag names, else
    those of the toolchain, else those of the architecture.

    `search`: the folders of targets, as for `load_target`.
    """
    names = target_names(search=search)
    every = [load_target(name, search=search) for name in names]
    parts = [target for target in every if target.memory is not None and not target.like]
    processors = _processors(words)
    named = {TARGETS_OF_MCUS[each] for each in processors if each in TARGETS_OF_MCUS}
    if any(each.startswith("attiny") for each in processors):
        return ()  # an AVR, but without the multiplier that our targets have
    machine = _machine(words)
    choices: tuple[Iterable[Target], ...] = (
        (part for part in every if part.name in named),
        (part for part in parts if processors & _processors(part.toolchain.compile_flags)),
        (part for part in parts if part.toolchain.prefix == f"{machine}-"),
        (part for part in parts if machine.startswith(part.architecture)),
    )
    return next(filter(None, (tuple(each.name for each in choice) for choice in choices)), ())


def _machine(words: Sequence[str]) -> str:
    """`arm-none-eabi` of the compiler's name or of clang's --target; "" if neither names one."""
    triple = _TRIPLE.search(" ".join(words))
    if triple:
        return triple["machine"]
    for word in words:
        program = _VERSION.sub("", PurePath(word.replace("\\", "/")).name)
        found = _COMPILER.fullmatch(program)
        if program in _OF_A_VENDOR or found:
            return _OF_A_VENDOR.get(program) or (found and found["machine"]) or ""
    return ""


def _processors(flags: Iterable[str]) -> set[str]:
    """The processors that flags name: `cortex-m33` of -mcpu=cortex-m33+nofp."""
    found = (_PROCESSOR.match(flag) for flag in flags)
    return {each[1].lower() for each in found if each}
