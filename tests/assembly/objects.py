"""The objects whose assembly is looked at: by GCC those of every kind of core, by Clang those of
cores that it is promised for and has code of ours for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.assembly.declared import faults, without_a_clobber
from tests.assembly.in_object import Tools, without_an_output_of
from tests.assembly.statements import Statement
from tinyml_rules.ir.features import Feature
from tinyml_rules.target.target import Target

LEAST = {
    ("atmega1284p", "gcc"): 60,
    ("atsamv71", "gcc"): 150,
    ("atsamv71", "clang"): 300,
    ("esp8266", "gcc"): 110,
    ("lm3s6965", "gcc"): 33,
    ("lm3s6965", "clang"): 9,
    ("mps2_an505", "gcc"): 120,
    ("mps3_an547", "gcc"): 45,
    ("mps3_an547", "clang"): 38,
    ("nrf51", "gcc"): 8,
    ("nrf51", "clang"): 1,
    ("riscv32imc", "gcc"): 8,
    ("riscv32imc", "clang"): 8,
    ("xtensa_lx6", "gcc"): 60,
}
"""How many statements there are with other machine code, or more.  Clang leaves the loops that take
nearly all registers of a Cortex-M0 or M3 to C."""
_FLAGS = ("-Os", "-ffreestanding", "-std=gnu11", "-w")
_OF_SCRIPTS = ("xtensa_lx6",)
"""Targets whose compiler is a script that makes objects of C alone."""


def tools_of(target: Target, clang: Sequence[str], includes: Path) -> Tools:
    """Of GCC, or of Clang with its flags: what its own assembler has read is no longer as it was
    written.  GNU's disassembler takes vectors for those of a coprocessor unless it is told."""
    toolchain = target.toolchain
    has_vectors = Feature.MVE in target.features
    flags = (*toolchain.machine_flags, *_FLAGS, f"-I{includes}")
    return Tools(
        [*(clang or [toolchain.program("gcc")]), *flags],
        [toolchain.program("objdump"), *(("-m", "armv8.1-m.main") if has_vectors else ())],
        to_text=("-S", "-fno-integrated-as") if clang else ("-S",),
        takes_text=target.name not in _OF_SCRIPTS,
    )


def check(found: Sequence[Statement], architecture: str) -> None:
    """All is declared; and what is not, an output or a clobber that is left out, is missed."""
    wrong = {each.text: its for each in found if (its := faults(each, architecture))}
    assert not wrong
    one_of_each = {(each.clobbers, len(each.text)): each for each in found}.values()
    for broken in (
        [other for each in one_of_each for other in without_an_output_of(each)],
        [other for each in one_of_each for other in without_a_clobber(each, architecture)],
    ):
        missed = [each for each in broken if faults(each, architecture)]
        assert len(missed) >= 0.9 * len(broken), "some are given back as they were, or not needed"
