"""A build that names no target although its compiler is for a part: an error that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.builds import files_under, run, scons
from tests.frontends.conftest import Build
from tests.support.warm_python import path_with
from tinyml_rules.errors import UsageError
from tinyml_rules.frontends.platformio.options import read_settings
from tinyml_rules.target.compilers import likely_targets, other_machine
from tinyml_rules.target.target import default_search

TOOL = 'env.Tool("tinyml", toolpath=[PyPackageDir("tinyml_rules.frontends.scons")]{settings})\n'
M4 = "TINYML_TARGET='nrf52840' or TINYML_TARGET='stm32f405'"
NONE = "or set TINYML_TARGET='host' for portable C, where int has 32 bits"
AVR = "TINYML_TARGET='atmega1284p' or TINYML_TARGET='atmega2560' or TINYML_TARGET='atmega328'"


@pytest.mark.parametrize(
    ("environment", "hint"),
    [
        ('CC="avr-gcc", CCFLAGS=["-mmcu=atmega328p"]', "TINYML_TARGET='atmega328'"),
        ('CC="avr-gcc"', AVR),
        ('CC="/opt/gcc/bin/arm-none-eabi-gcc", CFLAGS="-mcpu=cortex-m4 -mthumb"', M4),
        ('CC="ccache arm-none-eabi-gcc-12", CCFLAGS=["-mcpu=cortex-m0plus"]', "='rp2040'"),
        ('CC="clang", CCFLAGS=["--target=arm-none-eabi", "-mcpu=cortex-m3"]', "='lm3s6965'"),
        ('CC="xtensa-lx106-elf-gcc"', "TINYML_TARGET='esp8266'"),
        ('CC="avr-gcc", CCFLAGS=["-mmcu=attiny85"]', NONE),
        ('CC="msp430-elf-gcc"', NONE),
    ],
)
@pytest.mark.parametrize(
    "line",
    ['env.Program("fw", ["main.c", "sine.tflite"])', 'env.TinymlLibrary("m", "sine.tflite")'],
)
def test_scons_without_a_target(
    line: str, environment: str, hint: str, folder: Path, installed_python: Path
) -> None:
    """Whatever builder compiles the model; nothing is made."""
    text = f"env = Environment({environment})\n{TOOL.format(settings='')}{line}\n"
    (folder / "SConstruct").write_text(text)
    before = files_under(folder)
    done = scons(folder, python=installed_python)
    # a ccache that is installed says before that its compiler is not
    first, second, *_ = done.stderr[done.stderr.index("scons: ***") :].splitlines()
    assert first.startswith("scons: *** tinyml: error: TINYML_TARGET is not set, and CC is '")
    assert second.startswith("  hint: ")
    assert second.endswith(hint)
    assert (done.returncode, files_under(folder)) == (2, before)


@pytest.mark.parametrize(
    "environment", ["", 'CC="gcc"', 'CC="ccache gcc"', 'CC="gcc-12"', 'CC="x86_64-linux-gnu-gcc"']
)
def test_scons_for_this_computer(environment: str, folder: Path, build_: Build) -> None:
    """A compiler for it needs no target, by whatever name."""
    line = 'env.TinymlModel("sine.tflite")\n'
    text = f"env = Environment({environment})\n{TOOL.format(settings='')}{line}"
    (folder / "SConstruct").write_text(text)
    build_(folder)
    assert (folder / "build" / "host" / "sine" / "sine.c").is_file()


def test_scons_with_the_host_chosen(folder: Path, build_: Build) -> None:
    """Portable C for a part that is no target, by who says so."""
    settings = ', TINYML_TARGET="host"'
    line = 'env.TinymlModel("sine.tflite")\n'
    text = f'env = Environment(CC="msp430-elf-gcc")\n{TOOL.format(settings=settings)}{line}'
    (folder / "SConstruct").write_text(text)
    build_(folder)
    assert (folder / "build" / "host" / "sine" / "sine.c").is_file()


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_C_COMPILER=avr-gcc"), "write TARGET {avr}"),
        (
            (
                "-DCMAKE_SYSTEM_NAME=Generic",
                "-DCMAKE_C_COMPILER=avr-gcc",
                "-DCMAKE_C_FLAGS=-mmcu=atmega328p",
            ),
            "write TARGET atmega328",
        ),
        ((), "for this computer write TARGET host"),
    ],
)
def test_cmake_without_a_target(
    options: tuple[str, ...], hint: str, folder: Path, installed_python: Path
) -> None:
    """Told when it is configured, by the project's compiler and flags."""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(fw C)\n"
        "find_package(TinymlRules REQUIRED)\ntinyml_add_model(sine MODEL sine.tflite)\n"
    )
    variables = {"PATH": path_with(installed_python)}
    done = run(["cmake", "-B", "build", *options], folder, variables=variables)
    likely = hint.format(avr="atmega1284p or TARGET atmega2560 or TARGET atmega328")
    assert "tinyml_add_model(sine): error: lacks TARGET" in done.stderr
    assert f"hint: {likely}\n" in " ".join(done.stderr.split(" ")).replace("\n    ", "\n"), likely
    assert done.returncode != 0


def test_make_without_a_target(folder: Path, installed_python: Path) -> None:
    """An error of the call, and not of a command line that lacks a word."""
    (folder / "Makefile").write_text(
        "include $(shell tinyml_rules where make)/tinyml.mk\n"
        "$(call tinyml_model,sine,sine.tflite)\nall: $(TINYML_HEADERS)\n"
    )
    variables = {"PATH": path_with(installed_python)}
    done = run(["make"], folder, variables=variables)
    assert "tinyml_model: error: 'sine' has no target, expected one of" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("mcu", "cpu", "hint"),
    [
        ("stm32wle5ccu6", "cortex-m4", "; of such a core are nrf52840, stm32f405"),
        ("atmega64x", "", "; of such a core are atmega1284p, atmega2560, atmega328"),
        ("attiny85", "", "lists what there is"),
    ],
)
def test_platformio_board_of_another_mcu(mcu: str, cpu: str, hint: str) -> None:
    """The targets with the board's core."""
    with pytest.raises(UsageError) as caught:
        read_settings(
            {"custom_tinyml_models": "a.tflite"}, where="here", platform="p", mcu=mcu, cpu=cpu
        )
    assert str(caught.value).endswith(hint)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("riscv64-unknown-elf-gcc -march=rv32imac", ("riscv32imc", "riscv32imcb")),
        ("armclang --target=arm-arm-none-eabi -mcpu=cortex-m7", ("atsamv71",)),
        ("arm-none-eabi-gcc -mcpu=cortex-m33", ("mps2_an505", "nrf5340_network", "rp2350")),
        ("clang --target=avr -mmcu=atmega2560", ("atmega2560",)),
        ("arm-linux-gnueabihf-gcc -mcpu=cortex-a7", None),
        ("aarch64-linux-gnu-gcc-12", None),
        ("x86_64-w64-mingw32-gcc.exe", None),
        ("emcc -O2", None),
    ],
)
def test_compiler(command: str, expected: tuple[str, ...] | None) -> None:
    """None: a compiler of computers, for which nothing need be chosen."""
    words = command.split()
    assert bool(other_machine(words)) == (expected is not None)
    if expected is not None:
        assert likely_targets(words, default_search()) == expected
