"""What a part printed of its inferences, through the reference: equal, another one, a bad log."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.compare.printing import printed
from tests.conftest import ZooModel
from tests.frontends.builds import SINE
from tests.support.hand_written import target_or_skip
from tests.weights.test_called import model as branching
from tinyml_rules.cli import main
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request

MODEL = SINE / "sine.tflite"


def sine(part: str) -> Request:
    return Request(MODEL.read_bytes(), "sine", target_or_skip(part), optimize=Optimize.LAYERS)


def lines_of(request: Request, folder: Path) -> list[bytes]:
    """Without the value that the firmware gives back behind each inference."""
    return printed(request, folder).replace(b"\0", b"").split(b"\n")[:6]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Of two inferences on the host, between other lines and behind times."""
    lines = lines_of(sine("host"), tmp_path / "build")
    assert [line[:8] for line in lines] == 2 * [b"@sine m0", b"@sine i0", b"@sine o0"]
    path = tmp_path / "device.log"
    path.write_bytes(
        b"boot\r\n" + b"".join(b"[00:01] " + line + b"\r\nok @ 3 V\r\n" for line in lines)
    )
    return path


def replayed(log: Path, *more: str, model: Path = MODEL) -> int:
    return main(["replay", str(model), str(log), *more])


@pytest.mark.parametrize(
    ("name", "part", "settings"),
    [
        ("sine", "atmega328", {}),
        ("kws", "nrf52840", {"push_rows": True}),
        ("speech", "esp8266", {"arena": ArenaMode.CALLER}),
        ("kws", "riscv32imc", {}),
    ],
)
def test_what_a_part_prints(  # noqa: PLR0917 - three are pytest's
    zoo_model: ZooModel,
    name: str,
    part: str,
    settings: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Inputs and outputs come back as they were; the outputs are TFLM's for these inputs."""
    path = zoo_model(name)
    request = Request(path.read_bytes(), name, target_or_skip(part), **settings)
    log, saved = tmp_path / "device.log", tmp_path / "inputs.npy"
    log.write_bytes(printed(request, tmp_path / "build"))
    words = ["--push-rows"] * bool(settings.get("push_rows"))
    assert replayed(log, *words, "--save", str(saved), model=path) == 0
    told = capsys.readouterr().out
    assert told.startswith(
        f"{name}: 2 inferences of the device, 2 with outputs\n  all outputs equal"
    )
    assert np.load(saved).shape[0] == 2


def test_several_ports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a model with two inputs, one of them a truth."""
    file = tmp_path / "model.tflite"
    file.write_bytes(build_model(branching()))
    request = Request(file.read_bytes(), "model", target_or_skip("host"))
    log = tmp_path / "device.log"
    log.write_bytes(printed(request, tmp_path / "build", inferences=1))
    assert replayed(log, "--json", "--save", str(tmp_path / "i.npz"), model=file) == 0
    assert json.loads(capsys.readouterr().out)["compared"] == 1


def test_another_output(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A device that computes something else, while the emulator computes what TFLM does."""
    broken = lines_of(sine("host"), tmp_path / "again")
    body = broken[5][: -len("xx 01234567")] + b"7f"
    broken[5] = body + b" %08x" % zlib.crc32(body)
    log.write_bytes(b"\n".join(broken))
    assert replayed(log, "--target", "atmega328", "--optimize", "layers") == 1
    told = capsys.readouterr()
    assert "3 nodes" in told.out and "all equal to TFLM's" in told.out
    assert f"{log}: error: sample 1: output" in told.err and "as TFLM has it" in told.err


def test_ends_of_a_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may begin and end within an inference, and have no outputs."""
    lines = log.read_bytes().split(b"\r\n")
    log.write_bytes(b"\r\n".join([lines[3], *lines, lines[1]]))
    assert replayed(log, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["inferences"], found["left_out"], found["difference"]) == (2, 2, None)
    log.write_bytes(b"\n".join(line for line in lines if b" o00 " not in line))
    assert replayed(log) == 0
    assert capsys.readouterr().out == "sine: 2 inferences of the device, 0 with outputs\n"


def _lost(lines: list[bytes]) -> None:
    del lines[3]


def _damaged(lines: list[bytes]) -> None:
    lines[3] = lines[3].replace(b"i00 0", b"i00 1")


def _cut(lines: list[bytes]) -> None:
    lines[3] = lines[3][:30]


def _twice(lines: list[bytes]) -> None:
    lines.insert(3, lines[3])


def _only_others(lines: list[bytes]) -> None:
    del lines[1:]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_lost, "device.log:2: error: an inference lacks 1 of the 1 bytes of input 0"),
        (_damaged, "device.log:4: error: a line of an inference was damaged"),
        (_cut, "device.log:4: error: a line of an inference was damaged"),
        (_twice, "device.log:5: error: input 0 goes on at byte 0 with 1, expected byte 1 of 1"),
        (_only_others, "device.log: error: no inference of 'sine' was printed as a whole"),
    ],
)
def test_bad_logs(change: Any, text: str, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One error that names the line; nothing is compared."""
    lines = log.read_bytes().split(b"\r\n")
    change(lines)
    log.write_bytes(b"\n".join(lines))
    assert replayed(log) == 2
    told = capsys.readouterr()
    assert text in told.err and told.out == ""


def test_another_model(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its log is told apart by the file's hash."""
    other = tmp_path / "sine.tflite"
    other.write_bytes(MODEL.read_bytes() + bytes(16))
    assert replayed(log, model=other) == 2
    assert "device.log:2: error: the device runs another model" in capsys.readouterr().err


def test_no_port_of_that_number(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that is right by itself, and means nothing."""
    body = b"@sine i07 00000000 00"
    lines = log.read_bytes().split(b"\r\n")
    lines.insert(3, body + b" %08x" % zlib.crc32(body))
    log.write_bytes(b"\n".join(lines))
    assert replayed(log) == 2
    assert "there is no input 7, expected one of 1" in capsys.readouterr().err
