"""Code that was made for one core, given to the compiler of another: one error that says so."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.emit.compiled import compile_c, write
from tests.support.hand_written import target_or_skip
from tests.support.operator_cases import cases_of, file_of
from tests.weights.external import compile_external
from tinyml_rules.target.target import load_target
from tinyml_rules.target.toolchain import STANDARD_FLAG

AVR, AVR_FAR = "atmega328", "atmega1284p"
M0, M4, M55 = "nrf51", "nrf52840", "mps3_an547"
XTENSA, LX106, RISCV = "xtensa_lx6", "esp8266", "riscv32imc"
CORTEX_M4 = ("--target=arm-none-eabi", "-mcpu=cortex-m4")
OF_32_BITS = frozenset((M0, M4, M55, XTENSA, LX106, RISCV))
COMPILES_FOR = {
    AVR: {AVR, AVR_FAR},
    M0: OF_32_BITS,
    M4: {M4, M55},  # Helium comes with the DSP extension
    M55: {M55},
    XTENSA: {XTENSA, LX106},
    LX106: {XTENSA, LX106},
    RISCV: {RISCV},
}
"""By the target that kws was compiled for: whose compilers take the C."""
WORDS = {
    AVR: "an AVR with a multiplier, and GCC's own dialects (-std=gnu11)",
    M0: "a processor whose int has 32 bits",
    M4: "a Cortex-M with the DSP extension and unaligned loads",
    M55: "a Cortex-M with Helium",
    XTENSA: "an Xtensa",
    LX106: "an Xtensa",
    RISCV: "an RV32 with multiplication",
}


def errors_of(source: Path, compiled_for: str) -> list[str]:
    """What the compiler of a target calls errors of a C file."""
    toolchain = target_or_skip(compiled_for).toolchain
    return errors_by([toolchain.program("gcc"), STANDARD_FLAG, *toolchain.compile_flags], source)


def errors_by(compiler: Sequence[str], source: Path) -> list[str]:
    """The same of any compiler, warnings and the empty file that is left included."""
    words = [*compiler, "-Werror", "-Wall", "-Wextra", "-Wpedantic", "-fsyntax-only"]
    done = subprocess.run(
        [*words, str(source)], capture_output=True, text=True, check=False, timeout=60
    )
    found = re.findall(r"error: (.*)", done.stderr)
    assert (done.returncode == 0) == (found == []), done.stderr
    return found


@pytest.mark.parametrize("made_for", COMPILES_FOR)
def test_every_compiler(made_for: str, tmp_path: Path, zoo_model: ZooModel) -> None:
    """It takes the C where the core has what the kernels use; else one line says what it lacks."""
    model = zoo_model("sine" if made_for == AVR else "kws").read_bytes()
    folder = write(compile_c(model, name="net", target=made_for), tmp_path)
    for compiler in (AVR, AVR_FAR, *OF_32_BITS):
        found = errors_of(folder / "net.c", compiler)
        if compiler in COMPILES_FOR[made_for]:
            assert found == [], compiler
        else:
            (text,) = found
            made = f'#error "net.c was compiled for {made_for}, {WORDS[made_for]}: '
            assert text.startswith(made), compiler


def test_portable_code_on_this_computer(tmp_path: Path, zoo_model: ZooModel) -> None:
    """The host's compiler takes what was made for a part of 32 bits without own instructions."""
    model = zoo_model("kws").read_bytes()
    folder = write(compile_c(model, name=M0, target=M0), tmp_path)
    assert errors_of(folder / f"{M0}.c", "host") == []


@pytest.mark.parametrize(
    ("made_for", "compiler"),
    [
        (AVR, ("avr-gcc", STANDARD_FLAG, "-mmcu=attiny85")),  # no multiplier
        (AVR, ("avr-gcc", "-std=c11", "-mmcu=atmega328p")),  # no __flash
        (AVR, ("clang-22", "--target=avr", "-mmcu=atmega328p")),  # no __flash either
        (M4, ("clang", "--target=arm-none-eabi", "-mcpu=cortex-m0")),
        (M4, ("clang-22", *CORTEX_M4, "-mno-unaligned-access")),
        (M4, ("clang-22", "--target=riscv32-unknown-elf", "-march=rv32imc", "-mabi=ilp32")),
        (M55, ("clang-22", *CORTEX_M4)),
        (LX106, ("clang", *CORTEX_M4)),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else each,
)
def test_one_error_by(made_for: str, compiler: Sequence[str], tmp_path: Path) -> None:
    """Compilers that are no target's own."""
    case = cases_of("conv_2d")["many_channels"]
    folder = write(compile_c(file_of(case), name="net", target=made_for), tmp_path)
    (text,) = errors_by([*compiler, "-ffreestanding"], folder / "net.c")
    assert f"net.c was compiled for {made_for}, " in text
    assert WORDS[made_for] in text


def test_words_of_flash_without_products(tmp_path: Path) -> None:
    """Of an ESP8266, what only loads words from flash is assembly of Xtensa too."""
    compiled = compile_external(file_of(cases_of("conv_2d")["same"]), target=load_target(LX106))
    folder = write(compiled, tmp_path)
    assert errors_of(folder / "model.c", LX106) == []
    (text,) = errors_of(folder / "model.c", M4)
    assert f"compiled for {LX106}, {WORDS[LX106]}: " in text


@pytest.mark.parametrize("clang", ["clang", "clang-22"])
def test_clang_takes_what_it_is_for(clang: str, tmp_path: Path) -> None:
    """The macros are those of all compilers."""
    case = cases_of("conv_2d")["many_channels"]
    for made_for in (M0, M4, M55):
        folder = write(compile_c(file_of(case), name=made_for, target=made_for), tmp_path)
        flags = [each for each in load_target(made_for).toolchain.machine_flags if "=" in each]
        command = [clang, "--target=arm-none-eabi", *flags]
        assert errors_by([*command, "-ffreestanding"], folder / f"{made_for}.c") == []
