"""`convert` with stand-ins for the packages of other frameworks, which are too large for a suite:
what is called, what is printed, and what is left in the folder.

The real ones were run by hand: TensorFlow 2.21.0 with Keras 3.15.1 on a .keras and a .h5 file and
on a SavedModel, onnx2tf 1.28.8 on an ONNX file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.regression.file_of_another_format.make import archive, message
from tests.ways_in.samples import as_array
from tinyml_rules.cli import main
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import CASES
from tinyml_rules.request.wording import command

REAL = build_model(CASES["real"].model)
INT8 = build_model(CASES["sums_wrap"].model)
ONNX = message((1, 9), (2, b"pytorch"), (7, b"\x12\x04main"), (8, b"\x10\x11"))
ONNX2TF = """\
import pathlib, sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
model, folder = pathlib.Path(words["-i"]), pathlib.Path(words["-o"])
assert words.keys() == {{"-i", "-o", "-b"}} and words["-b"] == "1" and model.is_file()
print("\\033[32mthe graph\\033[0m")
pathlib.Path("left.json").write_text("{{}}")
{does}
(folder / f"{{model.stem}}_float16.tflite").write_bytes(b"no")
(folder / f"{{model.stem}}_float32.tflite").write_bytes(pathlib.Path({made!r}).read_bytes())
"""
TENSORFLOW = """\
import pathlib
from types import SimpleNamespace as Names

def converter(kind):
    def made(loaded):
        print(kind, loaded)
        return Names(convert=lambda: pathlib.Path({made!r}).read_bytes())
    return made

keras = Names(models=Names(load_model=lambda model, compile: model))
of = {{f"from_{{kind}}": converter(kind) for kind in ("keras_model", "saved_model")}}
lite = Names(TFLiteConverter=Names(**of))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: models of other frameworks, and a .tflite file out of the way."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "net.onnx").write_bytes(ONNX)
    (work / "net.keras").write_bytes(archive("metadata.json", "config.json", "model.weights.h5"))
    (work / "saved model").mkdir()
    (work / "saved model" / "saved_model.pb").write_bytes(message((1, 1), (2, b"\x0a\x05serve")))
    (tmp_path / "made.tflite").write_bytes(REAL)
    (tmp_path / "packages" / "onnx2tf").mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    use(tmp_path)
    return work


def use(place: Path, does: str = "", made: str = "made.tflite") -> None:
    """Write the stand-ins; `does` is what the converter does before it writes."""
    text = ONNX2TF.format(does=does, made=str(place / made))
    (place / "packages" / "onnx2tf" / "__main__.py").write_text(text)
    text = TENSORFLOW.format(made=str(place / made))
    (place / "packages" / "tensorflow.py").write_text(text)


def refused(words: str, status: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What an error says; nothing new is in the current folder."""
    before = sorted(Path().iterdir())
    assert main(["convert", *words.split()]) == status
    assert sorted(Path().iterdir()) == before
    printed, told = capsys.readouterr()
    assert printed == ""
    return told


@pytest.mark.parametrize(
    ("model", "converter"),
    [
        ("net.onnx", "onnx2tf"),
        ("net.keras", "TensorFlow"),
        ("saved model", "TensorFlow"),
        ("saved model/saved_model.pb", "TensorFlow"),
    ],
)
def test_converted(
    model: str, converter: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file of the converter is in place, and nothing else of it."""
    before = {*folder.iterdir()}
    assert main(["convert", model, "--out", "a b.tflite", "--log", "log.txt"]) == 0
    assert {*folder.iterdir()} - before == {folder / "a b.tflite", folder / "log.txt"}
    assert Path("a b.tflite").read_bytes() == REAL
    assert capsys.readouterr() == (
        f"a b.tflite: {len(REAL):,} B, 1 nodes, converted by {converter}\n"
        f"  its weights are float32: `{command()} quantize 'a b.tflite' --calibration FILE --out "
        "'a b_int8.tflite'` makes it int8\n",
        "",
    )
    kinds = {"net.onnx": "the graph\n", "net.keras": f"keras_model {folder / 'net.keras'}\n"}
    assert Path("log.txt").read_text() == kinds.get(
        model, f"saved_model {folder / 'saved model'}\n"
    )


def test_integer_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One without weights of float32 has no hint; an older file is replaced where that is asked."""
    (folder.parent / "int8.tflite").write_bytes(INT8)
    use(folder.parent, made="int8.tflite")
    (folder / "q.tflite").write_bytes(REAL)
    told = refused("net.onnx --out q.tflite", 2, capsys)
    assert told == (
        "q.tflite: error: exists, expected the name of a new file\n  hint: --replace replaces it\n"
    )
    assert main(["convert", "net.onnx", "--out", "q.tflite", "--replace"]) == 0
    assert (folder / "q.tflite").read_bytes() == INT8
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.usefixtures("folder")
def test_array(capsys: pytest.CaptureFixture[str]) -> None:
    """A C array becomes the file that it was made of, without a converter."""
    Path("net.cc").write_text(as_array(INT8))
    assert main(["convert", "net.cc", "--out", "net.tflite", "--python", "none"]) == 0
    assert Path("net.tflite").read_bytes() == INT8
    assert "converted from a C array" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("does", "status", "error"),
    [
        (
            "raise ValueError('x' * 500)",
            3,
            f"net.onnx: error: onnx2tf failed: ValueError: {'x' * 188}…\n"
            "  hint: --log FILE keeps all that it prints\n",
        ),
        (
            "print('\\033[31mERROR: \\033[0mop X is not supported'); sys.exit(1)",
            3,
            "net.onnx: error: onnx2tf failed: ERROR: op X is not supported\n"
            "  hint: --log FILE keeps all that it prints\n",
        ),
        (
            "sys.exit(0)",
            3,
            "net.onnx: error: onnx2tf failed: it wrote no .tflite file\n"
            "  hint: --log FILE keeps all that it prints\n",
        ),
        ("import time; time.sleep(60)", 3, "net.onnx: error: did not finish within 0.5 s\n"),
        (
            "import nothing_of_this_name",
            3,
            "net.onnx: error: onnx2tf needs the package 'nothing_of_this_name', which "
            f"'{sys.executable}' does not have\n  hint: `{sys.executable} -m pip install onnx2tf "
            "tensorflow tf_keras onnx onnxruntime onnx-graphsurgeon sng4onnx sne4onnx psutil "
            "ai-edge-litert`, or name another with --python PYTHON\n",
        ),
    ],
)
def test_failure(
    does: str, status: int, error: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The converter's own last words, in one line."""
    use(folder.parent, does)
    limit = " --timeout 0.5" if "sleep" in does else ""
    assert refused(f"net.onnx --out net.tflite{limit}", status, capsys) == error


def test_no_package(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the converter, nor the Python."""
    (folder.parent / "packages" / "tensorflow.py").unlink()
    assert refused("net.keras --out net.tflite", 3, capsys) == (
        "net.keras: error: TensorFlow needs the package 'tensorflow', which "
        f"'{sys.executable}' does not have\n  hint: `{sys.executable} -m pip install tensorflow`, "
        "or name another with --python PYTHON\n"
    )
    told = refused("net.keras --out net.tflite --python ./none", 3, capsys)
    assert told == "net.keras: error: './none' is not installed\n"


def test_broken_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the converter made is read before it is put in place."""
    (folder.parent / "broken.tflite").write_bytes(REAL[: len(REAL) // 2])
    use(folder.parent, made="broken.tflite")
    told = refused("net.onnx --out net.tflite", 1, capsys)
    assert told.startswith("net: error: broken model file: ")


@pytest.mark.parametrize(
    ("data", "status", "error"),
    [
        (REAL, 2, "is a .tflite file, expected a model of another framework or a C array"),
        (b"words", 2, "is of no format that is known, expected a model of another framework or a"),
        (b"GGUF", 1, "is a GGUF file, the weights of a language model, expected a .tflite file"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_nothing_to_convert(
    data: bytes, status: int, error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("file").write_bytes(data)
    assert refused("file --out net.tflite", status, capsys).startswith(f"file: error: {error}")
