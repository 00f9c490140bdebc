"""Code that was made for one core, given to the compiler of another: one error that says so."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ZooModel
from tests.emit.compiled import compile_c, write
from tests.targets.hand_written import target_or_skip
from tinyml_rules.toolchain import STANDARD_FLAG

AVR, AVR_FAR = "atmega328", "atmega1284p"
M0, M4, M55 = "nrf51", "nrf52840", "mps3_an547"
XTENSA, LX106, RISCV = "xtensa_lx6", "esp8266", "riscv32imc"
OF_32_BITS = frozenset((M0, M4, M55, XTENSA, LX106, RISCV))
COMPILES_FOR = {
    AVR: {AVR, AVR_FAR},
    M0: OF_32_BITS,
    M4: {M4, M55},  # Helium comes with the DSP extension
    M55: {M55},
    XTENSA: {XTENSA, LX106},
    LX106: {XTENSA, LX106},
    RISCV: OF_32_BITS,
}
"""By the target that kws was compiled for: whose compilers take the C."""
WORDS = {
    AVR: "an AVR",
    M0: "a processor whose int has 32 bits",
    M4: "a Cortex-M with the DSP extension",
    M55: "a Cortex-M with Helium",
    XTENSA: "an Xtensa",
    LX106: "an Xtensa",
    RISCV: "a processor whose int has 32 bits",
}


def errors_of(source: Path, compiled_for: str) -> list[str]:
    """What the compiler of a target calls errors of a C file."""
    toolchain = target_or_skip(compiled_for).toolchain
    words = [toolchain.program("gcc"), STANDARD_FLAG, *toolchain.compile_flags, "-fsyntax-only"]
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
    for made_for in (M0, RISCV):
        folder = write(compile_c(model, name=made_for, target=made_for), tmp_path)
        assert errors_of(folder / f"{made_for}.c", "host") == []
