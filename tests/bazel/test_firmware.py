"""A Cortex-M firmware with startup code and linker script of its own, on the rules' toolchain."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.bazel.builds import BUILD_OPTIONS, Bazel
from tests.frontends.builds import SINE
from tests.frontends.stranger import expected_answers

DATA = Path(__file__).with_name("data")
OPTIONS = (
    "--platforms=@tinyml_rules//targets:lm3s6965",
    "--run_under=qemu-system-arm -machine lm3s6965evb -display none -monitor none -serial none "
    "-semihosting-config enable=on,target=native -kernel",
    "//lm3s6965:firmware_test",
)


def write_expected(file: Path, outputs: list[int]) -> None:
    """The header with the outputs for all inputs, from -128 on."""
    values = ", ".join(map(str, outputs))
    file.write_text(f"#include <stdint.h>\nstatic const int8_t expected[] = {{{values}}};\n")


def test_firmware(bazel: Bazel, workspace: Path) -> None:
    """`bazel test` runs it in QEMU: every output is TFLM's; with one other expected it fails."""
    folder = shutil.copytree(DATA / "lm3s6965", workspace / "lm3s6965")
    shutil.copy2(SINE / "sine.tflite", folder)
    expected = expected_answers((SINE / "sine.tflite").read_bytes())
    write_expected(folder / "expected.h", expected)
    bazel.build(workspace, *OPTIONS, command="test")
    write_expected(folder / "expected.h", [*expected[:255], expected[255] ^ 1])
    assert bazel.run(workspace, "test", *BUILD_OPTIONS, *OPTIONS).returncode == 3
