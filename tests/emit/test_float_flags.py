"""Flags of a firmware's build that change real numbers: with `-ffp-contract=fast` results are the
same bits, and with those that no pragma takes back a model of real numbers does not compile."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.support.combined import Job, run_combined, target_or_skip
from tests.support.operator_cases import cases_of, file_of, graph_of, oracle_bytes, sample_bytes
from tinyml_rules.compiler import compile_model
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target

CASES = (
    ("fully_connected", "real_no_fused_product"),
    ("fully_connected", "real_spread"),
    ("conv_2d", "real_computed_weights"),
    ("gelu", "alone_approximate"),
    ("gelu", "alone_exact"),
    ("resize_bilinear", "real_by_parts_centers"),
    ("elu", "alone"),
    ("sin", "alone"),
)
"""Operators and their cases in which a fused product gives other bits, and others."""
HOST = (("gcc", "-mfma"), ("clang", "-mfma"), ("clang-22", "-mfma"))
CORTEX_M4F = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
CORTEX_M7 = ("-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-sp-d16", "-mfloat-abi=hard")
ARM_CLANG = ("--target=arm-none-eabi", "-ffreestanding")
REFUSED = ("-Ofast", "-ffast-math", "-ffinite-math-only")
REFUSED_BY_GCC = (
    *("-funsafe-math-optimizations", "-freciprocal-math", "-fno-signed-zeros"),
    "-fassociative-math -fno-signed-zeros -fno-trapping-math",
)
"""Of which Clang has no macro."""
FUSED = ("vfma", "vfms", "vfnm", "fmadd", "fmsub", "fnmadd")
"""Beginnings and parts of instructions that round once; VMLA of Arm rounds twice."""


def has_fma() -> bool:
    """Whether the host's processor runs what the flag asks for."""
    file = Path("/proc/cpuinfo")
    return file.exists() and " fma " in file.read_text(encoding="utf-8")


def wrong(target_name: str, compiler: tuple[str, ...], folder: Path) -> list[str]:
    """The cases whose bits are not those of the oracle; what is no number may have any."""
    jobs, expected = [], {}
    for operator, name in CASES:
        case, unique = cases_of(operator)[name], f"{operator}_{name}"
        graph = graph_of(case, name=unique)
        expected[unique] = oracle_bytes(case, graph)
        jobs.append(Job(unique, file_of(case), sample_bytes(case, graph), compiler=compiler))
    found = run_combined(target_or_skip(target_name), jobs, folder=folder)
    assert found.keys() == expected.keys()
    return [name for name, output in found.items() if not same_bits(output, expected[name])]


def same_bits(found: bytes, expected: bytes) -> bool:
    """Of two rows of float32."""
    made, wanted = (np.frombuffer(each, np.float32) for each in (found, expected))
    is_number = ~(np.isnan(made) & np.isnan(wanted))
    return bool(np.array_equal(made[is_number].view(np.uint32), wanted[is_number].view(np.uint32)))


@pytest.mark.parametrize("compiler", HOST)
def test_contracted_on_the_host(compiler: tuple[str, ...], tmp_path: Path) -> None:
    """Products and sums are rounded one by one."""
    if not has_fma():
        pytest.skip("this processor has no fused multiply-add")
    assert not wrong("host", (*compiler, "-O2", "-ffp-contract=fast"), tmp_path)


def test_contracted_on_a_cortex_m4f(tmp_path: Path) -> None:
    """The same on an emulator."""
    compiler = ("arm-none-eabi-gcc", *CORTEX_M4F, "-O2", "-ffp-contract=fast")
    assert not wrong("nrf52840", compiler, tmp_path)


def write(operator: str, name: str, target_name: str, folder: Path) -> Path:
    """The generated C of a case."""
    file = file_of(cases_of(operator)[name])
    for each, text in compile_model(Request(file, "model", load_target(target_name))).files.items():
        (folder / each).write_text(text, encoding="utf-8")
    return folder / "model.c"


def compiled(source: Path, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Into assembly, on the standard output."""
    words = [*command, "-Wall", "-Wextra", "-Werror", "-Wundef", "-S", "-o", "-", str(source)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command", [("clang", *ARM_CLANG, *CORTEX_M7), ("clang-22", *ARM_CLANG, *CORTEX_M7)]
)
def test_contracted_by_clang_for_arm(command: tuple[str, ...], tmp_path: Path) -> None:
    """No instruction rounds once, though the processor has some, and without this file's words the
    compiler takes them."""
    source = write("conv_2d", "real_computed_weights", "atsamv71", tmp_path)
    flags = ("-O2", "-ffp-contract=fast")
    done = compiled(source, (*command, *flags))
    assert done.returncode == 0, done.stderr
    assert "vmul.f32" in done.stdout
    assert not any(each in done.stdout for each in FUSED)
    text = source.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#pragma clang attribute")]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "vfma.f32" in compiled(source, (*command, *flags)).stdout


@pytest.mark.parametrize(
    ("compiler", "flags"),
    [
        *((compiler, flag) for compiler in ("gcc", "clang", "clang-22") for flag in REFUSED),
        *(("gcc", flags) for flags in REFUSED_BY_GCC),
        *(("arm-none-eabi-gcc", flags) for flags in (*REFUSED, *REFUSED_BY_GCC)),
    ],
)
def test_refused(compiler: str, flags: str, tmp_path: Path) -> None:
    """The message names the model's file and the flags, and integers alone compile."""
    command = (compiler, "-ffreestanding", "-O2", *flags.split(), "-Wno-error=deprecated")
    done = compiled(write("softmax", "real_equal", "host", tmp_path), command)
    assert done.returncode != 0
    assert "model.c computes real numbers, which -ffast-math, -Ofast" in done.stderr
    assert "compile it with -fno-fast-math, and -O3 instead of -Ofast" in done.stderr
    assert compiled(write("softmax", "depth_10", "host", tmp_path), command).returncode == 0
