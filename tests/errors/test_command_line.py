"""Every mistake on the command line: exit status, exact text, nothing written."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.errors.models import MODELS
from tinyml_rules.cli import main
from tinyml_rules.request.wording import command
from tinyml_rules.target.target import target_names

FLOAT_HINT = (
    f"\n  hint: quantize the model: `{command()} quantize MODEL --calibration FILE`; "
    "docs/how-to/int8_models.md shows how"
)
LIST_HINT = f"\n  hint: `{command()} ops` lists those that can be compiled"
FIRST_MODELS = sorted(f"{name}.tflite" for name in MODELS)[:5]
BAD_NAME = "not a name for C symbols, expected a letter, then letters, digits and underscores"
AVR_MEGA = "atmega2560: has 262,144 bytes of flash and 8,192 of RAM"
AVR_1284 = "atmega1284p: has 131,072 bytes of flash and 16,384 of RAM"
STM32L0 = "stm32l053: has 65,536 bytes of flash and 8,192 of RAM"


@dataclass(frozen=True)
class Mistake:
    """A command, and what it has to answer on standard error, without the last line break."""

    command: str
    status: int
    error: str


MISTAKES = {
    "float model": Mistake(
        "compile real.tflite",
        1,
        "real: node 1 (logical_not): error: input tensor #2 'dense/relu' is float32, expected "
        "bool\n"
        "real: node 1 (logical_not): error: output tensor #3 'y' is float32, expected bool"
        f"{FLOAT_HINT}",
    ),
    "several unsupported operators": Mistake(
        "compile unsupported.tflite",
        1,
        "unsupported: error: missing operators: RFFT2D (node 0), custom 'Mine' (node 2), "
        f"WHERE (node 3){LIST_HINT}",
    ),
    "another kind of file": Mistake(
        "compile garbage.tflite",
        1,
        "garbage: error: broken model file: file identifier b' is ', expected b'TFL3'",
    ),
    "empty file": Mistake(
        "compile empty.tflite",
        1,
        "empty.tflite: error: is an empty file, expected a .tflite file\n"
        "  hint: copy or download it again",
    ),
    "broken file to inspect": Mistake(
        "inspect garbage.tflite",
        1,
        "garbage: error: broken model file: file identifier b' is ', expected b'TFL3'",
    ),
    "too little RAM": Mistake(
        "compile wide.tflite --target atmega328",
        1,
        "wide: error: needs 3,000 bytes of RAM for the model alone, "
        "target 'atmega328' has 2,048; largest: tensor #0 'input' with 3,000 bytes\n"
        "  hint: parts with room (code and stack not counted):\n"
        f"    {AVR_MEGA}\n    {AVR_1284}\n    {STM32L0}",
    ),
    "too little flash": Mistake(
        "compile heavy.tflite --target atmega328",
        1,
        "heavy: error: needs 40,800 bytes of flash for constants alone, "
        "target 'atmega328' has 32,768; largest: node 0 (fully_connected) with 40,800 bytes\n"
        "  hint: what takes less, and parts with room (code and stack not counted):\n"
        "    --weights=external: 0 bytes of flash, 40,800 in a weights file, 476 bytes of RAM\n"
        "    int4 weights in node 0, if quantize makes them of the float model (--flash): about "
        "20,000 bytes less\n"
        f"    {AVR_MEGA}\n    {AVR_1284}\n    {STM32L0}",
    ),
    "too little of both": Mistake(
        "compile wide_and_heavy.tflite --target atmega328",
        1,
        "wide_and_heavy: error: needs 37,440 bytes of flash for constants alone, "
        "target 'atmega328' has 32,768; largest: node 0 (conv_2d) with 37,440 bytes\n"
        "wide_and_heavy: error: needs 28,160 bytes of RAM for the model alone, "
        "target 'atmega328' has 2,048; largest: tensor #0 'input' with 25,600 bytes\n"
        "  hint: what takes less, and parts with room (code and stack not counted):\n"
        "    --weights=external: 0 bytes of flash, 37,440 in a weights file, 28,236 bytes of RAM; "
        "still too much RAM\n"
        "    gd32vf103: has 131,072 bytes of flash and 32,768 of RAM\n"
        "    samd21: has 262,144 bytes of flash and 32,768 of RAM\n"
        "    stm32g071: has 131,072 bytes of flash and 36,864 of RAM",
    ),
    "unknown target": Mistake(
        "compile sound.tflite --target hots",
        2,
        f"hots: error: unknown target 'hots', expected one of {', '.join(target_names())}\n"
        "  hint: did you mean 'host'?",
    ),
    "family of targets": Mistake(
        "compile sound.tflite --target avr",
        2,
        "avr: error: this is a family of targets\n  "
        "hint: choose a member: atmega1284p, atmega168, atmega2560, atmega328, atmega32u4",
    ),
    "no such file": Mistake(
        "compile missing.tflite",
        2,
        "missing.tflite: error: cannot be read (No such file or directory)",
    ),
    "file with another name": Mistake(
        "compile saund.tflite",
        2,
        "saund.tflite: error: cannot be read (No such file or directory)\n"
        "  hint: did you mean 'sound.tflite'?",
    ),
    "folder for a file": Mistake(
        "compile .",
        2,
        ".: error: is a folder, expected a .tflite file\n"
        f"  hint: name one of the files in it: {', '.join(FIRST_MODELS)}",
    ),
    "name that starts with a digit": Mistake(
        "compile sound.tflite --name 1st", 2, f"'1st': error: {BAD_NAME}"
    ),
    "name with a blank": Mistake(
        "compile sound.tflite --name=my-model", 2, f"'my-model': error: {BAD_NAME}"
    ),
    "keyword for a name": Mistake(
        "compile sound.tflite --name int", 2, "'int': error: a keyword of C, expected another name"
    ),
    "long name": Mistake(
        f"compile sound.tflite --name {'x' * 64}",
        2,
        f"'{'x' * 64}': error: has 64 characters, expected at most 63",
    ),
    "file for the output folder": Mistake(
        "compile sound.tflite --out garbage.tflite",
        2,
        "garbage.tflite: error: cannot be written (File exists)",
    ),
    "input of another type": Mistake(
        "run sound.tflite --input int64.npy",
        2,
        "int64.npy: error: input 'input' is int64, expected int8, or float32 to be quantized",
    ),
    "input that is not a number": Mistake(
        "run sound.tflite --input nan.npy",
        2,
        "nan.npy: error: input 'input' has values that are not a number",
    ),
    "input of another shape": Mistake(
        "run sound.tflite --input long.npy",
        2,
        "long.npy: error: input 'input' has shape [1, 5], "
        "expected [1, 4] or that with a leading axis of samples",
    ),
    "no samples": Mistake(
        "run sound.tflite --input no_samples.npy", 2, "no_samples.npy: error: no samples"
    ),
    "input that is no array": Mistake(
        "run sound.tflite --input nothing.npy",
        2,
        "nothing.npy: error: not a readable .npy or .npz file (No data left in file)",
    ),
    "input of Python objects": Mistake(
        "run sound.tflite --input objects.npy",
        2,
        "objects.npy: error: Python objects, expected arrays of numbers: reading objects would "
        "run what the file says, so none is",
    ),
    "no input file": Mistake(
        "run sound.tflite --input missing.npy",
        2,
        "missing.npy: error: cannot be read (No such file or directory)",
    ),
    "one array for two inputs": Mistake(
        "run two_inputs.tflite --input sound.npy",
        2,
        "sound.npy: error: one array, expected a .npz with 'first', 'second'",
    ),
    "input without a key": Mistake(
        "run two_inputs.tflite --input first.npz", 2, "first.npz: error: lacks 'second'"
    ),
    "inputs of different lengths": Mistake(
        "run two_inputs.tflite --input uneven.npz",
        2,
        "uneven.npz: error: inputs with different numbers of samples: [2, 3]",
    ),
    "one file for two outputs": Mistake(
        "run two_outputs.tflite --input sound.npy --output x.npy",
        2,
        "x.npy: error: 2 outputs, expected a name ending in .npz",
    ),
    "missing compiler": Mistake(
        "run sound.tflite --input sound.npy --targets more --target nowhere",
        3,
        "nowhere: error: missing tools: nowhere-gcc (package gcc-nowhere)\n"
        "  hint: run: sudo apt-get install --yes gcc-nowhere",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Status and text; nothing on standard output; no file more or less, nor changed."""
    mistake = MISTAKES[name]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    status = main(mistake.command.split())
    printed = capsys.readouterr()
    assert (printed.err, printed.out) == (f"{mistake.error}\n", "")
    assert status == mistake.status
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    built = {path for path in after if "build" in path.parts}  # the cache of runners
    assert {path: data for path, data in after.items() if path not in built} == before


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("run sound.tflite --input zip.npz", "zip.npz"),
        ("run sound.tflite --input sound.npy --output zip.npz/out.npy", "zip.npz"),
        ("run sound.tflite --input sound.npy --build-dir sound.npy", "sound.npy"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_files_that_cannot_be_used(
    command: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message that names the file, or what should be a folder."""
    assert main(command.split()) == 2
    assert capsys.readouterr().err.startswith(f"{named}: error: ")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("compile sound.tflite --out done", 0),
        ("compile garbage.tflite", 1),
        ("compile missing.tflite", 2),
        ("run sound.tflite --input sound.npy --targets more --target nowhere", 3),
    ],
)
def test_process(words: str, status: int, folder: Path) -> None:
    """The process ends with the same status, and never with a traceback."""
    script = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); from tinyml_rules.cli import entry"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; entry()", *words.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert (done.stderr == "") == (status == 0)
    assert len(list(folder.glob("done/*"))) == (4 if status == 0 else 0)


def test_files_are_replaced_whole(folder: Path) -> None:
    """A second compilation that fails leaves the files of the first, and nothing beside them."""
    assert main(["compile", "sound.tflite", "--out", "out", "--name", "same"]) == 0
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir()}
    assert set(before) == {"same.c", "same.h", "same.memory.svg", "same.report.json"}
    assert main(["compile", "garbage.tflite", "--out", "out", "--name", "same"]) == 1
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir()} == before
