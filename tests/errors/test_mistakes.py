"""Mistakes that newcomers made, and others like them: each is answered by one error that says what
was found and what to do, in few lines, with the exit status of its kind; nothing is written.

The mistakes of single commands are in the other files of this folder.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.errors.test_exit_statuses import ASKED, FAULT, status_of
from tests.frontends.builds import SINE
from tests.regression.file_of_another_format.make import archive, files
from tests.ways_in.samples import as_array
from tinyml_rules.cli import main

MOST_LINES = 5
CONVERT = "convert {0} --out {1}.tflite` converts it"

MISTAKES: dict[str, tuple[int, str]] = {
    # a file that is no .tflite file
    "compile net.h5": (FAULT, CONVERT.format("net.h5", "net")),
    "compile net.keras": (FAULT, CONVERT.format("net.keras", "net")),
    "compile net.onnx": (FAULT, CONVERT.format("net.onnx", "net")),
    "compile net.pt": (FAULT, "litert_torch.convert("),
    "compile net.pt2": (FAULT, CONVERT.format("net.pt2", "net")),
    "compile saved": (FAULT, CONVERT.format("saved", "model")),
    "compile net.zip": (FAULT, "unpack it, and name the model inside"),
    "compile net.h": (FAULT, "name the file with `… g_model[]"),
    "compile words.tflite": (FAULT, "broken model file"),
    "compile .": (ASKED, "is a folder, expected a .tflite file"),
    "run net.npz": (FAULT, "`--input`, `--calibration` and `--vectors` take it"),
    "quantize net.onnx --out q.tflite": (FAULT, CONVERT.format("net.onnx", "net")),
    "report net.keras -o net.html": (FAULT, CONVERT.format("net.keras", "net")),
    "package c net.h5 --target uno": (FAULT, CONVERT.format("net.h5", "net")),
    "fit net.onnx": (FAULT, CONVERT.format("net.onnx", "net")),
    # a part
    "compile sine.tflite --target unoo": (ASKED, "did you mean 'uno'?"),
    "compile sine.tflite --target esp32s3": (ASKED, "no target has its core, Xtensa LX7"),
    "compile sine.tflite --target cortex-m4": (ASKED, "name one of the targets with such a core"),
    "compile sine.tflite --target stm32": (
        ASKED,
        "these targets, or a part: stm32f072",
    ),
    "compile sine.tflite --target nrf52": (ASKED, "or a part: nrf52832, nrf52833, nrf52840"),
    "compile sine.tflite --target=": (ASKED, "target: error: unknown target ''"),
    "size sine.tflite --target uno,picoo": (ASKED, "did you mean 'pico'?"),
    "fit sine.tflite --parts foo": (ASKED, "no part whose name begins with 'foo'"),
    # the command line
    "compil sine.tflite": (ASKED, "did you mean 'compile'?"),
    "sine.tflite": (ASKED, "inspect sine.tflite` shows what is in a model"),
    "--target uno compile sine.tflite": (ASKED, "expected COMMAND first"),
    "compile sine.tflite --optimise size": (ASKED, "did you mean '--optimize'?"),
    "inspect sine.tflite --targt uno": (ASKED, "did you mean '--target'?"),
    "compile sine.tflite --weights extern": (ASKED, "did you mean 'external'?"),
    "compile sine.tflite --optimize fast": (ASKED, "expected one of size, balanced, speed, layers"),
    "compile sine.tflite --schedule streams": (ASKED, "did you mean 'stream'?"),
    "compile sine.tflite --ram 10x": (ASKED, "found '10x', expected a number of bytes (10k is"),
    "compile sine.tflite --ram -5": (ASKED, "found '-5', expected a number of bytes"),
    "compile sine.tflite --place input:fast": (ASKED, "expected TENSOR=REGION"),
    "compile sine.tflite --name int": (ASKED, "a keyword of C, expected another name"),
    "compile sine.tflite --name my-model": (ASKED, "expected a letter, then letters, digits"),
    "compile sine.tflite --slide 2": (ASKED, "slide=2 without push_rows, expected both"),
    "compile": (ASKED, "missing MODEL.tflite"),
    "test sine.tflite": (ASKED, "missing --vectors FILE"),
    "quantize sine.tflite": (ASKED, "missing --out INT8.tflite"),
    "convert net.onnx": (ASKED, "missing --out MODEL.tflite"),
    "completion bsh": (ASKED, "did you mean 'bash'?"),
    "where cmaek": (ASKED, "did you mean 'cmake'?"),
    "package arduno sine.tflite": (ASKED, "did you mean 'arduino'?"),
    "package arduino sine.tflite": (ASKED, "use --target, or `package c` for plain C"),
    "run sine.tflite --trace t.json": (ASKED, "--trace needs --profile"),
    # a file that is not there, or is another one
    "compile sin.tflite": (ASKED, "did you mean 'sine.tflite'?"),
    "compile sine.tfl": (ASKED, "did you mean 'sine.tflite'?"),
    "compile sine.tflite --options none.toml": (ASKED, "cannot be read (No such file"),
    "compile sine.tflite --sensor none.toml": (ASKED, "cannot be read (No such file"),
    "compile sine.tflite --operators none": (ASKED, "no such folder, expected one with operators"),
    "compile sine.tflite --out sine.tflite": (ASKED, "cannot be written (File exists)"),
    "targets --targets none": (ASKED, "no such folder, expected one with a folder for each"),
    "run sine.tflite --input none.npy": (ASKED, "cannot be read (No such file"),
    "run sine.tflite --input words.tflite": (ASKED, "not a readable .npy or .npz file"),
    "run sine.tflite --input x3.npy": (ASKED, "has shape [4, 3], expected [1, 1]"),
    "run sine.tflite --input int64.npy": (ASKED, "is int64, expected int8, or float32"),
    "test sine.tflite --vectors x3.npy": (ASKED, "one array, expected a .npz with 'sine/input'"),
    "test sine.tflite --vectors foo.npz": (ASKED, "lacks 'sine/input', 'sine/output'"),
    "accuracy sine.tflite --vectors foo.npz": (ASKED, "lacks 'sine/input', the model's inputs"),
    "measure none.elf --target uno": (ASKED, "cannot be read (No such file"),
    "measure words.tflite --target uno": (ASKED, "cannot be read as an ELF file"),
    "image sine.tflite --target uno --for words.tflite": (ASKED, "has no image of a model"),
    "diff words.tflite words.tflite": (ASKED, "not valid JSON"),
    "replay sine.tflite words.tflite --target uno": (ASKED, "no inference of 'sine' was printed"),
    "quantize sine.tflite --out q.tflite": (FAULT, "hint: compile it as it is"),
    "convert sine.tflite --out q.tflite": (ASKED, "is a .tflite file, expected a model of another"),
    # what the part cannot do
    "compile sine.tflite --max-flash 1": (FAULT, "255 more than --max-flash=1"),
    "tune sine.tflite --target host": (ASKED, "'host' has no counter, expected a target with"),
}
"""What is typed; the status, and what the answer says."""


@pytest.fixture(scope="module")
def files_of_a_newcomer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which all is typed."""
    folder = tmp_path_factory.mktemp("newcomer")
    for name, data in files().items():
        (folder / name).write_bytes(data)
    shutil.copy2(SINE / "sine.tflite", folder)
    (folder / "saved").mkdir()
    shutil.copy(folder / "saved_model.pb", folder / "saved")
    (folder / "saved_model.pb").unlink()
    (folder / "net.zip").write_bytes(archive("net.tflite"))
    np.save(folder / "x3.npy", np.zeros((4, 3), np.int8))
    np.save(folder / "int64.npy", np.zeros((4, 1), np.int64))
    np.savez(folder / "foo.npz", foo=np.zeros(3))
    return folder


@pytest.mark.parametrize("words", MISTAKES)
def test_mistake(
    words: str,
    files_of_a_newcomer: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One error, a few lines, at most one hint, and the folder as it was."""
    monkeypatch.chdir(files_of_a_newcomer)
    before = sorted(files_of_a_newcomer.rglob("*"))
    status, said = MISTAKES[words]
    assert status_of(words) == status
    printed, answer = capsys.readouterr()
    assert printed == ""
    assert said in answer
    assert answer.count("error: ") == 1
    assert answer.count("hint: ") <= 1
    assert answer.count("\n") <= MOST_LINES
    assert sorted(files_of_a_newcomer.rglob("*")) == before


RIGHT = {
    "--target nano": "its atmega328p is compiled for as atmega328",
    "--target pico": "compiled for as rp2040",
    "--target bluepill": "its stm32f103c8 is compiled for as stm32f103",
    "--target stm32f407vg": "compiled for as stm32f405",
    "--target STM32F407VGT6": "compiled for as stm32f405",
    "--ram 10k": "",
    "--ram 1kB": "",
    "": "no --target was given: this is portable C for this computer (host)",
}
"""What was refused once and is right, with what is said of it."""


@pytest.mark.parametrize("words", RIGHT)
def test_right(
    words: str,
    tmp_path: Path,
    files_of_a_newcomer: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is compiled, with a line that says for what, and where the files are."""
    monkeypatch.chdir(files_of_a_newcomer)
    assert main(["compile", "sine.tflite", "--out", str(tmp_path), *words.split()]) == 0
    printed, told = capsys.readouterr()
    assert RIGHT[words] in printed + told
    assert f"written to {tmp_path}: sine.c, sine.h" in printed


def test_array(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A C array is no mistake."""
    file = tmp_path / "model.cc"
    file.write_text(as_array((SINE / "sine.tflite").read_bytes()))
    assert main(["inspect", str(file)]) == 0
    assert capsys.readouterr().err == ""
