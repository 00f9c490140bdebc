"""What is wrong with an [input], in itself or for a model: one line that says what is expected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.emit.compiled import named_model
from tests.sensor.images import identity
from tests.support.tflm import AnyArray
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import UsageError
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, TensorSpec, build_model
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.real_values import real_values
from tinyml_rules.target.target import load_target

MODEL = identity((1, 128, 3), scale=0.05, zero_point=0)
KEYS = (
    "raw, storage, aligned, endianness, levels, layout, channels, stride_bytes, "
    "channel_stride_bytes, offset_bytes, range, scale, offset, mean, std, variance, reference"
)
A_NUMBER = "expected a number, 0 or from 1e-30 to 1e30 in size"
A_RAW = 'expected "int2" to "int32", "uint2" to "uint32", or one of "rgb565", "yuyv", "uyvy"'
RAW = 'raw = "int16"\n'
PIXELS = 'raw = "rgb565"\n'
PACKED = 'raw = "uint12"\nstorage = "packed"\n'

IN_ITSELF = {
    "": "no 'raw', which is required",
    f"{RAW}strides = 4": f"unknown key 'strides', expected one of {KEYS}\n"
    "  hint: did you mean 'stride_bytes'?",
    f"{RAW}stdd = 4": f"unknown key 'stdd', expected one of {KEYS}\n  hint: did you mean 'std'?",
    'raw = "int33"': f"'raw' is \"int33\", {A_RAW}\n  hint: did you mean 'int32'?",
    'raw = "uint33"': f"'raw' is \"uint33\", {A_RAW}\n  hint: did you mean 'uint32'?",
    'raw = "rgb"': f"'raw' is \"rgb\", {A_RAW}\n  hint: did you mean 'rgb565'?",
    'raw = "float32"': f"'raw' is \"float32\", {A_RAW}",
    "raw = 12": "'raw' is 12, expected a word",
    'raw = "int12"\nstorage = "int8"': "'raw' has 12 bits, but 'storage' has room for 8",
    f'{RAW}storage = "int20"': '\'storage\' is "int20", expected one of "int8", "uint8", '
    '"int16", "uint16", "int24", "uint24", "int32", "uint32", "packed", "mipi"\n'
    "  hint: did you mean 'int32'?",
    f'{RAW}aligned = "centre"': '\'aligned\' is "centre", expected one of "right", "left"',
    f'{RAW}endianness = "bg"': '\'endianness\' is "bg", expected one of "little", "big"\n'
    "  hint: did you mean 'big'?",
    f'{RAW}layout = "sample"': '\'layout\' is "sample", expected one of "sample-major", '
    "\"channel-major\"\n  hint: did you mean 'sample-major'?",
    f'{RAW}reference = "double"': '\'reference\' is "double", expected one of "float32", "exact"',
    f"{RAW}channels = 0": "'channels' is 0, expected a whole number from 1 to 16777216",
    f"{RAW}stride_bytes = 1.5": "'stride_bytes' is 1.5, expected a whole number from 1 to 16777216",
    f"{RAW}offset_bytes = -1": "'offset_bytes' is -1, expected a whole number from 0 to 16777216",
    f"{RAW}range = [5, 5]": "'range' is [5, 5], expected two rising numbers within [-32768, "
    "32767], what 'raw' can hold",
    f"{RAW}range = [0, 65535]": "'range' is [0, 65535], expected two rising numbers within "
    "[-32768, 32767], what 'raw' can hold",
    f"{RAW}range = [0]": "'range' is [0], expected the least and the greatest raw value, two whole "
    "numbers",
    f"{RAW}range = [0.5, 7]": "'range' is [0.5, 7], expected the least and the greatest raw value, "
    "two whole numbers",
    f"{RAW}scale = 0": "'scale' is 0, expected numbers other than 0",
    f"{RAW}scale = nan": f"'scale' is NaN, {A_NUMBER}",
    f"{RAW}scale = -inf": f"'scale' is -Infinity, {A_NUMBER}",
    f"{RAW}scale = 1e-999999999": f"'scale' is 1E-999999999, {A_NUMBER}",
    f"{RAW}scale = 1e999999999": f"'scale' is 1E+999999999, {A_NUMBER}",
    f"{RAW}scale = 1e31": f"'scale' is 1E+31, {A_NUMBER}",
    f"{RAW}scale = true": "'scale' is true, expected a number",
    f"{RAW}scale = []": "'scale' is [], expected a number, or a list of one for each channel",
    f'{RAW}mean = [0, "1", 2]\nstd = 1': "'mean' is [0, \"1\", 2], expected a number",
    f"{RAW}offset = {'9' * 400}": f"'offset' is a number of more than 20 digits, {A_NUMBER}",
    f"{RAW}mean = 1": "'mean' is given, but no 'std' or 'variance' with it",
    f"{RAW}std = 1": "'std' is given, but no 'mean' with it",
    f"{RAW}mean = 1\nstd = 1\nvariance = 1": "'std' and 'variance' exclude each other, expected "
    "one of them",
    f"{RAW}mean = 1\nstd = 0": "'std' is 0, expected numbers above 0",
    f"{RAW}mean = 1\nvariance = [1, -2, 1]": "'variance' is [1, -2, 1], expected numbers above 0",
    PIXELS: "no 'channels', which raw = \"rgb565\" needs: 3 for red, green and blue, or 1 for "
    "brightness",
    f"{PIXELS}channels = 2": "'channels' is 2, expected 3 for red, green and blue, or 1 for "
    "brightness",
    f"{PIXELS}channels = 3\nstride_bytes = 2": "'stride_bytes' is given, but means nothing with "
    'raw = "rgb565"',
    f'{PIXELS}levels = "full"': "'levels' is given, but means nothing with raw = \"rgb565\"",
    f'{RAW}levels = "full"': "'levels' is given, but means nothing with raw = \"int16\"",
    'raw = "yuyv"\nendianness = "big"': "'endianness' is given, but means nothing with "
    'raw = "yuyv"',
    'raw = "uyvy"\nstorage = "mipi"': "'storage' is given, but means nothing with raw = \"uyvy\"",
    'raw = "yuyv"\nchannels = 3\nlevels = "video"': "'levels' is \"video\", expected one of "
    '"full", "limited"',
    f'{PACKED}aligned = "left"': "'aligned' is given, but means nothing with storage = \"packed\"",
    'raw = "int12"\nstorage = "mipi"\nendianness = "big"': "'endianness' is given, but "
    'means nothing with storage = "mipi"',
    'raw = "int10"\nstorage = "packed"': "'raw' has 10 bits, but storage = \"packed\" is for "
    "values of 12",
}
FOR_THE_MODEL = {
    f"{RAW}mean = [1, 2]\nstd = 1": "'mean' has 2 numbers, expected 1 or 3, one a channel\n"
    "  hint: write channels = 2 where the last dimension is not the channels",
    f"{RAW}scale = [1, 2, 3, 4, 5]": "'scale' has 5 numbers, expected 1 or 3, one a channel",
    f"{RAW}channels = 7": "'channels' is 7, but input 'input' has 384 values\n"
    "  hint: its last dimension is 3",
    f"{RAW}stride_bytes = 5": "'stride_bytes' is 5, but the values in between take 6 bytes",
    f"{RAW}channel_stride_bytes "
    "= 1": "'channel_stride_bytes' is 1, but the values in between take 2 bytes",
    f'{RAW}layout = "channel-major"\nchannel_stride_bytes = 200': "'channel_stride_bytes' is 200, "
    "but the values in between take 256 bytes",
    f"{PIXELS}channels = 1": "'channels' is 1, but input 'input' has 3 a pixel\n"
    "  hint: channels = 3",
}


def described(text: str, folder: Path, *, model: bytes = MODEL, head: str = "[input]") -> None:
    """Compile a model with such a table."""
    file = folder / "sensor.toml"
    file.write_text(f"{head}\n{text}\n", encoding="utf-8")
    compile_model(Request(model, "m", load_target("host"), sensor=read_description(file)))


@pytest.mark.parametrize("text", [*IN_ITSELF, *FOR_THE_MODEL])
def test_message(text: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        described(text, tmp_path)
    wanted = {**IN_ITSELF, **FOR_THE_MODEL}[text]
    assert str(caught.value) == f"{tmp_path / 'sensor.toml'} [input]: error: {wanted}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "describes nothing, expected [input] or [output]"),
        ("[inputs]", "unknown key 'inputs', expected one of input, output\n"
         "  hint: did you mean 'input'?"),
        ("input = 3", "'input' is 3, expected a table [input]"),
        ("[input", "not valid TOML: Expected ']' at the end of a table declaration"),
        (f"[input]\nscale = {'9' * 5000}", "not valid TOML: a value is too long or too deep"),
        (f"[input]\nscale = {'[' * 5000}", "not valid TOML: a value is too long or too deep"),
        ("gr\xfcn", "not valid TOML: 'utf-8' codec can't decode byte 0xfc"),
    ],
)  # fmt: skip
def test_no_description(text: str, what: str, tmp_path: Path) -> None:
    """What is not TOML, or not of a description."""
    file = tmp_path / "sensor.toml"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError) as caught:
        read_description(file)
    assert str(caught.value).startswith(f"{file}: error: {what}")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_description(tmp_path / "none.toml")


def real(dtype: str = "float32") -> bytes:
    """A model whose input has no scale."""
    tensors = [TensorSpec(name, (1, 3), dtype) for name in ("a", "b")]
    operator = OperatorSpec("RESHAPE", (0,), (1,))
    return build_model(ModelSpec(tuple(tensors), (operator,), (0,), (1,)))


OTHERS = {
    "no input of the name": (
        *(MODEL, "[input.imput]", "no input of the model is called 'imput', expected one of "),
        "'input'\n  hint: did you mean 'input'?",
    ),
    "which of two": (
        *(
            build_model(named_model("left", "right")),
            "[input]",
            "the model has 2 inputs, expected ",
        ),
        "the name of one: 'left', 'right'\n  hint: write [input.NAME]",
    ),
    "two of a name": (
        *(build_model(named_model("a", "a")), "[input.a]", "2 inputs of the model are called 'a'"),
        "",
    ),
    "real numbers": (
        *(real(), "[input]", "input 'a' is float32, not quantized, expected a quantized one of "),
        "int8, uint8 or int16",
    ),
    "other integers": (
        *(real("int32"), "[input]", "input 'a' is int32, not quantized, expected a quantized one "),
        "of int8, uint8 or int16",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_message_for_another_model(name: str, tmp_path: Path) -> None:
    model, head, first, second = OTHERS[name]
    with pytest.raises(UsageError) as caught:
        described(RAW, tmp_path, model=model, head=head)
    assert str(caught.value) == f"{tmp_path / 'sensor.toml'} {head}: error: {first}{second}"


def test_halves_of_units(tmp_path: Path) -> None:
    """Two values that share bytes are both taken, or none."""
    model = identity((1, 5, 1), scale=0.05, zero_point=0)
    tables = {PACKED: "2 values share 3", 'raw = "yuyv"\nchannels = 1': "2 values share 4"}
    for text, what in tables.items():
        with pytest.raises(UsageError, match=f"{what} bytes, but 5 are taken at a time"):
            described(text, tmp_path, model=model)


def test_rows_of_other_channels(tmp_path: Path) -> None:
    """A row that is pushed has all channels of each of its samples."""
    file = tmp_path / "sensor.toml"
    file.write_text(f"[input]\n{RAW}channels = 20\n")
    spec = [TensorSpec(name, (1, 8, 5, 1), scales=(0.1,), zero_points=(0,)) for name in "ab"]
    options = {"Padding": 1, "StrideW": 1, "StrideH": 1, "FilterWidth": 2, "FilterHeight": 2}
    spec[1] = TensorSpec("b", (1, 7, 4, 1), scales=(0.1,), zero_points=(0,))
    pool = OperatorSpec("MAX_POOL_2D", (0,), (1,), options)
    model = build_model(ModelSpec(tuple(spec), (pool,), (0,), (1,)))
    target, sensor = load_target("host"), read_description(file)
    with pytest.raises(UsageError, match="20 channels, but 5 values are taken at a time"):
        compile_model(Request(model, "m", target, push_rows=True, sensor=sensor))


def test_more_than_an_int_counts(tmp_path: Path) -> None:
    """Of 16 bits on AVR."""
    file = tmp_path / "sensor.toml"
    file.write_text(f"[input]\n{RAW}stride_bytes = 300\n")
    sensor = read_description(file)
    with pytest.raises(UsageError) as caught:
        compile_model(Request(MODEL, "m", load_target("atmega328"), sensor=sensor))
    what = "m_put_raw walks over 38106 bytes, expected at most 32767, the most that an `int` of"
    assert str(caught.value) == f"{file} [input]: error: {what} the target holds"


def test_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, one message, and no traceback."""
    model, file, out = (tmp_path / name for name in ("model.tflite", "sensor.toml", "out"))
    model.write_bytes(MODEL)
    file.write_text('[input]\nraw = "int16"\nscale = nan\n')
    assert main(["compile", str(model), "--sensor", str(file), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert error == f"{file} [input]: error: 'scale' is NaN, {A_NUMBER}\n"
    assert not out.exists()


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (np.zeros((2, 3), np.float32), "found float32, expected whole numbers"),
        (np.full((2, 3), 3000), "found 3000 to 3000, expected -2048 to 2047 as "),
        (
            np.zeros((2, 4), np.int16),
            "found 4 values a sample in 4 channels, which are not those of ",
        ),
    ],
)
def test_no_real_values(raw: AnyArray, what: str, tmp_path: Path) -> None:
    """Recordings that are not of the sensor."""
    file = tmp_path / "sensor.toml"
    file.write_text(f"[input]\n{RAW}range = [-2048, 2047]\nmean = [1, 2, 3]\nstd = 1\n")
    described = read_description(file).inputs[""]
    with pytest.raises(UsageError) as caught:
        real_values(described, raw, where="cal.npy")
    assert str(caught.value).startswith(f"cal.npy: error: {what}")


@pytest.mark.parametrize(
    ("text", "frames", "what"),
    [
        ("rgb565", np.zeros((2, 4, 4), np.uint8), "found shape [2, 4, 4], expected bytes of pix"),
        ("rgb565", np.full((2, 4, 2), 256), "found 256 to 256, expected 0 to 255 as "),
        ("rgb565", np.zeros((2, 4, 2)), "found float64, expected whole numbers"),
        ("uyvy", np.zeros((2, 5, 2), int), "found shape [2, 5, 2], expected bytes of pixels, of 2"),
    ],
)  # fmt: skip
def test_no_pixels(text: str, frames: AnyArray, what: str, tmp_path: Path) -> None:
    """Recordings that are not the bytes of a camera."""
    file = tmp_path / "sensor.toml"
    file.write_text(f'[input]\nraw = "{text}"\nchannels = 3\n')
    with pytest.raises(UsageError) as caught:
        real_values(read_description(file).inputs[""], frames, where="cal.npy")
    assert str(caught.value).startswith(f"cal.npy: error: {what}")
