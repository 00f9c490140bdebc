"""Loads and stores with CCR.UNALIGN_TRP, which makes unaligned ones a fault; QEMU has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.ops.test_cases import wrong_in_c
from tests.support.combined import target_or_skip
from tests.support.operator_cases import OPERATORS, cases_of, samples_of
from tinyml_rules.errors import ToolError
from tinyml_rules.target.target import Target

M4, M55 = "nrf52840", "mps3_an547"
IN_WORDS = ("conv_2d", "depthwise_conv_2d", "fully_connected")
"""Operators with kernels of the cores' own, of whose samples a part runs; of others one does."""
STARTUP = """
#define main trapped_main
#include "{startup}"
#undef main
int main(void);
int trapped_main(void) {{
    *(volatile uint32_t *)0xe000ed14 |= 8; /* CCR.UNALIGN_TRP */
    return main();
}}
"""


def trapping(name: str, folder: Path, *flags: str) -> Target:
    """The target with the trap on before main(), and more flags for C."""
    target = target_or_skip(name)
    startup = target.file("startup.c")
    assert startup is not None
    folder.mkdir()
    (folder / "startup.c").write_text(STARTUP.format(startup=startup))
    compile_flags = (*target.toolchain.compile_flags, *flags)
    toolchain = replace(target.toolchain, compile_flags=compile_flags)
    return replace(target, file_folders=(folder, *target.file_folders), toolchain=toolchain)


def names_of(operator: str) -> Sequence[str]:
    samples = samples_of(operator) or [*cases_of(operator)]
    return samples[::5] if operator in IN_WORDS else samples[:1]


@pytest.mark.parametrize(("name", "operators"), {"lm3s6965": OPERATORS, M55: IN_WORDS}.items())
def test_aligned(
    name: str, operators: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels for a core without the DSP extension, and those of Helium."""
    target = trapping(name, tmp_path / "part", "-mno-unaligned-access")
    monkeypatch.setattr("tests.ops.test_cases.target_or_skip", lambda _: target)
    cases = {
        f"{operator}_{each}": cases_of(operator)[each]
        for operator in operators
        for each in names_of(operator)
    }
    assert not wrong_in_c(cases, name, folder=tmp_path)


def test_words_of_the_dsp_extension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They begin anywhere: with the trap on that is a fault, and it has its name; a compiler that
    may not load so is told that its C is for another."""
    cases = {each: cases_of("conv_2d")[each] for each in names_of("conv_2d")[:4]}
    target = trapping(M4, tmp_path / "part")
    monkeypatch.setattr("tests.ops.test_cases.target_or_skip", lambda _: target)
    with pytest.raises(ToolError, match="fault: unaligned access at 0x"):
        wrong_in_c(cases, M4, folder=tmp_path)
    target = trapping(M4, tmp_path / "strict", "-mno-unaligned-access")
    with pytest.raises(ToolError, match="the DSP extension and unaligned loads: compile"):
        wrong_in_c(cases, M4, folder=tmp_path)
