"""What is wrong with features, in themselves or for a model: one line that says what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.emit.compiled import named_model
from tests.sensor.images import identity
from tests.support.dead_channels import convolutions
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import TinymlError
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import read_description
from tinyml_rules.sensor.microfrontend_keys import KEYS
from tinyml_rules.target.target import load_target

MODEL = identity((1, 3, 40), scale=0.1, zero_point=-128)
FIRST = 'features = "microfrontend"\n'

IN_ITSELF = {
    'features = "mfcc"': '\'features\' is "mfcc", expected one of "microfrontend"',
    'features = "microfrontent"': "'features' is \"microfrontent\", expected one of "
    "\"microfrontend\"\n  hint: did you mean 'microfrontend'?",
    f"{FIRST}window = 30": f"unknown key 'window', expected one of {', '.join(KEYS)}\n"
    "  hint: did you mean 'window_step'?",
    f'{FIRST}raw = "int16"': f"unknown key 'raw', expected one of {', '.join(KEYS)}",
    f"{FIRST}window_size = 0.03": "'window_size' is 0.03, expected a whole number from 1 to 1000",
    f"{FIRST}window_size = 16": "a window of 256 samples ('window_size' at 16000 Hz), expected 257 "
    "to 512, for a transform of 512",
    f"{FIRST}window_size = 33": "a window of 528 samples ('window_size' at 16000 Hz), expected 257 "
    "to 512, for a transform of 512",
    f"{FIRST}window_step = 31": "a step of 496 samples, expected 1 to 480, the samples of a window",
    f"{FIRST}sample_rate = 16": "'sample_rate' is 16, expected a whole number from 1000 to 192000",
    f"{FIRST}upper_band_limit = 8001": "'lower_band_limit' is 125 and 'upper_band_limit' 8001, "
    "expected rising numbers from 0 to 8000, half of 'sample_rate'",
    f"{FIRST}upper_band_limit = 100": "'lower_band_limit' is 125 and 'upper_band_limit' 100, "
    "expected rising numbers from 0 to 8000, half of 'sample_rate'",
    f"{FIRST}num_channels = 257": "'num_channels' is 257, expected a whole number from 1 to 256",
    f"{FIRST}even_smoothing = 1.5": "'even_smoothing' is 1.5, expected a number from 0 to 1",
    f"{FIRST}odd_smoothing = -1": "'odd_smoothing' is -1, expected a number from 0 to 1",
    f"{FIRST}min_signal_remaining = 2": "'min_signal_remaining' is 2, expected a number from 0 to "
    "1",
    f"{FIRST}smoothing_bits = 2": "'smoothing_bits' is 2, expected a whole number from 3 to 16",
    f"{FIRST}enable_pcan = 1": "'enable_pcan' is 1, expected true or false",
    f"{FIRST}pcan_strength = 0": "'pcan_strength' is 0, expected a number above 0, at most 2",
    f"{FIRST}pcan_offset = 0": "'pcan_offset' is 0, expected a number above 0",
    f"{FIRST}gain_bits = 14": "'gain_bits' is 14, expected a whole number from 15 to 31",
    f"{FIRST}enable_pcan = false\ngain_bits = 21": "'enable_pcan' is false, and 'gain_bits' is "
    "given, expected one of the two",
    f"{FIRST}enable_log = false\nscale_shift = 6": "'enable_log' is false, and 'scale_shift' is "
    "given, expected one of the two",
    f"{FIRST}scale_shift = 11": "'scale_shift' is 11, expected a whole number from 0 to 10",
    f"{FIRST}scale = [1, 2]": "'scale' is [1, 2], expected one number for all channels",
    f"{FIRST}upper_band_limit = 8000": "the filter bank ends at bin 257 of the spectrum, expected "
    "less than 257\n  hint: take a lower 'upper_band_limit'",
    f"{FIRST}lower_band_limit = 10\nupper_band_limit = 15": "the filter bank has no bin of the "
    "spectrum\n  hint: take an 'upper_band_limit' further up",
    f"{FIRST}pdm_decimation = 48": "'pdm_decimation' is 48, expected one of 32, 64, 128",
    f'{FIRST}pdm_order = "lsb-first"': "'pdm_order' is given, but no 'pdm_decimation' with it",
    f'{FIRST}pdm_decimation = 64\npdm_order = "lsb"': "'pdm_order' is \"lsb\", expected one of "
    '"msb-first", "lsb-first"',
    f"{FIRST}num_channels = 32": "'num_channels' is 32, but input 'input' has 120 values, expected "
    "a multiple",
}


@pytest.mark.parametrize("text", IN_ITSELF)
def test_message(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, one message, and nothing is written."""
    model, file, out = (tmp_path / name for name in ("model.tflite", "sensor.toml", "out"))
    model.write_bytes(MODEL)
    file.write_text(f"[input]\n{text}\n")
    assert main(["compile", str(model), "--sensor", str(file), "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"{file} [input]: error: {IN_ITSELF[text]}\n"
    assert not out.exists()


def message(model: bytes, folder: Path, *, text: str = f"[input]\n{FIRST}", **more: Any) -> str:
    """What a model is refused with, after the name of what is wrong."""
    file = folder / "sensor.toml"
    file.write_text(text)
    with pytest.raises(TinymlError) as caught:
        request = Request(model, "m", load_target("host"), sensor=read_description(file))
        compile_model(Request(**{**vars(request), **more}))
    return str(caught.value).split(": error: ")[1]


def test_models(tmp_path: Path) -> None:
    """Inputs that cannot be made of features."""
    two = build_model(named_model("left", "right"))
    assert message(two, tmp_path).startswith("the model has 2 inputs, expected the name of one")
    assert message(two, tmp_path, text=f"[input.left]\n{FIRST}num_channels = 3").startswith(
        "the model has 2 inputs, expected one, which a microphone fills"
    )
    both = f"[input.left]\n{FIRST}[input.right]\n{FIRST}"
    assert message(two, tmp_path, text=both) == "2 inputs with 'features', expected one microphone"
    wide = identity((1, 40), scale=0.1, zero_point=0, dtype="int16")
    assert message(wide, tmp_path) == (
        "input 'input' is int16, for which there is no usual meaning of a feature, expected "
        "'scale': its real value is feature * scale\n"
        "  hint: scale = 0.0390625 is that of pymicro-features"
    )
    long = identity((1, 65536, 1), scale=0.1, zero_point=0, dtype="int8")
    assert message(long, tmp_path, text=f"[input]\n{FIRST}num_channels = 1") == (
        "input 'input' takes 65,536 rows of features, expected at most 65,535"
    )
    rows = build_model(convolutions(channels=4, dead=0.0, size=4))
    text = f"[input]\n{FIRST}num_channels = 8"
    assert "has 4 values, expected 8, one for each" in message(
        rows, tmp_path, text=text, push_rows=True
    )
    assert message(MODEL, tmp_path, arena=ArenaMode.SHARED).startswith(
        "samples have to stay, but other models overwrite a shared arena"
    )


def test_quantize(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Calibration data are not made features of."""
    model, file = tmp_path / "model.tflite", tmp_path / "sensor.toml"
    model.write_bytes(MODEL)
    file.write_text(f"[input]\n{FIRST}")
    options = ["--sensor", str(file), "--calibration", "none.npz", "--out", str(tmp_path / "q")]
    assert main(["quantize", str(model), *options]) == 2
    assert capsys.readouterr().err == (
        f"{file} [input]: error: 'features' are not made of calibration data, expected what raw "
        "values mean\n  hint: give real features as calibration data, and no --sensor\n"
    )
