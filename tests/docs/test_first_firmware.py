"""The programs of tutorials/first_firmware.md, built as the page says, run, and judged by TFLM."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.conftest import MODELS_FOLDER, PROJECT
from tests.docs.pages import code_blocks, read_page
from tests.frontends.builds import run
from tests.support.hand_written import target_or_skip
from tests.support.tflm import tflm_outputs
from tinyml_rules.compiler import compile_model
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request
from tinyml_rules.system.files import write_files
from tinyml_rules.target.target import load_target

PAGE = read_page("tutorials/first_firmware.md")
MAIN, CLASSIFY = code_blocks(PAGE, "c")
(CPP_MAIN,) = code_blocks(PAGE, "cpp")
COMMANDS, CPP_COMMANDS = code_blocks(PAGE, "sh")
PRINTED, CPP_PRINTED = code_blocks(PAGE, "")
SINE = MODELS_FOLDER / "sine" / "sine.tflite"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wconversion")

UART = """
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdio.h>
int page_main(void);
static int put(char letter, FILE *file)
{
    (void)file;
    while (!(UCSR0A & (1U << UDRE0))) {
    }
    UDR0 = (uint8_t)letter;
    return 0;
}
int main(void)
{
    static FILE serial = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);
    UCSR0B = 1U << TXEN0;
    stdout = &serial;
    page_main();
    while (!(UCSR0A & (1U << UDRE0))) {
    }
    cli();
    sleep_enable();
    sleep_cpu();
    return 0;
}
"""
"""printf() to the serial port of an ATmega328, around the page's main()."""

CALLER = """
#include <stdio.h>
#include "gesture.h"
int classify(const float *values);
static float values[GESTURE_INPUT_COUNT];
int main(void)
{
    while (fread(values, sizeof values, 1, stdin) == 1) {
        printf("%d\\n", classify(values));
    }
    return 0;
}
"""


def must(command: list[str | Path], folder: Path) -> str:
    """Run a command that has to end well; what it printed."""
    done = run(command, folder, variables={"PYTHONPATH": str(PROJECT)})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_printed_values_are_the_models() -> None:
    """Those that the page shows, by TFLM: within one step of printf's rounding towards zero."""
    graph = compile_model(Request(SINE.read_bytes(), "sine", load_target("host"))).interface
    (source,), (result,) = graph.inputs, graph.outputs
    tenths = np.arange(0, 61, 10)
    scaled = np.round(tenths / 10 / source.scale) + source.zero_point
    samples = np.clip(scaled, -128, 127).astype(np.int8).reshape(-1, 1, 1)
    (outputs,) = tflm_outputs(SINE.read_bytes(), [samples])
    real = (outputs.astype(float).ravel() - result.zero_point) * result.scale
    shown = [tuple(map(int, pair)) for pair in re.findall(r"sin\((\d+)/10\) = (-?\d+)/", PRINTED)]
    assert [x for x, _ in shown] == tenths.tolist()
    assert np.abs(np.array([y for _, y in shown]) / 1000 - real).max() < 0.0011


def test_one_value_on_this_computer(tmp_path: Path) -> None:
    """The commands of the page, as they are there."""
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    shutil.copy(SINE, tmp_path)
    script = COMMANDS.replace("python -m", f"{sys.executable} -m")
    assert must(["sh", "-e", "-c", script], tmp_path).endswith(PRINTED)
    (tmp_path / "main.cpp").write_text(CPP_MAIN, encoding="utf-8")
    assert must(["sh", "-e", "-c", CPP_COMMANDS], tmp_path) == CPP_PRINTED


def test_one_value_on_an_atmega328(tmp_path: Path) -> None:
    """The same main.c prints the same on simavr."""
    target_or_skip("atmega328")
    (tmp_path / "main.c").write_text(MAIN, encoding="utf-8")
    (tmp_path / "uart.c").write_text(UART, encoding="utf-8")
    part = load_target("atmega328")
    write_files(compile_model(Request(SINE.read_bytes(), "sine", part)).outputs, tmp_path)
    flags = ["-std=gnu11", "-Os", "-mmcu=atmega328p", *WARNINGS]
    must(["avr-gcc", *flags, "-Dmain=page_main", "-c", "main.c"], tmp_path)
    must(["avr-gcc", *flags, "uart.c", "main.o", "sine.c", "-o", "first.elf"], tmp_path)
    done = run(["simavr", "-m", "atmega328p", "-f", "16000000", "first.elf"], tmp_path)
    lines = re.findall(r"sin\(\d+/10\) = -?\d+/1000", done.stdout + done.stderr)
    assert lines == PRINTED.splitlines()


def test_many_values(tmp_path: Path) -> None:
    """The class is the one of TFLM's largest score, the first where scores are equal."""
    model = build_model(dense((1, 96), (1, 4)))
    compiled = compile_model(Request(model, "gesture", load_target("host")))
    write_files(compiled.outputs, tmp_path)
    (source,) = compiled.interface.inputs
    (tmp_path / "classify.c").write_text(CLASSIFY, encoding="utf-8")
    (tmp_path / "main.c").write_text(CALLER, encoding="utf-8")
    files = ["main.c", "classify.c", "gesture.c"]
    must(["cc", "-std=c11", *WARNINGS, *files, "-o", "gesture"], tmp_path)
    quantized = np.random.default_rng(1).integers(-128, 128, (40, 1, 96)).astype(np.int8)
    real = (quantized.astype(np.float32) - source.zero_point) * np.float32(source.scale)
    done = subprocess.run(
        [tmp_path / "gesture"], input=real.tobytes(), capture_output=True, check=True
    )
    (scores,) = tflm_outputs(model, [quantized])
    assert [int(line) for line in done.stdout.split()] == scores[:, 0].argmax(axis=1).tolist()
    assert len(set(done.stdout.split())) > 1
