"""weights=partition: another model's image is used, byte for byte as TFLM has that model, and what
is no image for this firmware changes nothing."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ZooModel
from tests.decide.models import described
from tests.exchange.exchanging import (
    DAMAGED,
    DONE,
    KEEP,
    NO_IMAGE,
    OTHER_LAYOUT,
    answers,
    exchangeable,
    expected,
    other_weights,
)
from tests.frontends.builds import SINE
from tests.support.combined import SANITIZED, target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.emit.image import CRC_AT
from tinyml_rules.errors import UnsupportedError, UsageError
from tinyml_rules.ir.signing import Signing
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.request.request import Request

SINE_MODEL = (SINE / "sine.tflite").read_bytes()


def inputs_of(model: bytes, count: int) -> list[bytes]:
    interface = exchangeable(Request(model, "my", target_or_skip("host"))).interface
    size = interface.inputs[0].size_bytes
    generator = np.random.default_rng(9)
    return [generator.integers(-128, 128, size).astype(np.int8).tobytes() for _ in range(count)]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("sine", SANITIZED),
        ("sine", "atmega328"),
        ("sine", "nrf51"),
        ("speech", "nrf52840"),
        ("speech", "atmega1284p"),
        ("kws", SANITIZED),
        ("kws", "mps3_an547"),
        ("kws", "riscv32imc"),
        ("speech", "esp8266"),
        ("sine", "xtensa_lx6"),
    ],
)
def test_from_one_to_the_other_and_back(
    name: str, part: str, zoo_model: ZooModel, tmp_path: Path
) -> None:
    """The model that was compiled, its successor, the same again, and the way back."""
    first = zoo_model(name).read_bytes()
    second = other_weights(first, seed=4)
    target = target_or_skip(part)
    request = Request(first, "my", target, model_version=1)
    images = [exchangeable(request).image]
    images.append(exchangeable(Request(second, "my", target, model_version=2)).image)
    assert images[0][8:24] == images[1][8:24], "the layout is that of the graph"
    values = inputs_of(first, 5)
    found = answers(
        request, images, list(zip([KEEP, 2, KEEP, 1, KEEP], values, strict=True)), tmp_path
    )
    of_first, of_second = expected(first, values), expected(second, values)
    assert of_first != of_second
    wanted = [of_first[0], of_second[1], of_second[2], of_first[3], of_first[4]]
    assert found == [(DONE, each) for each in wanted]


def with_crc(image: bytes) -> bytes:
    crc = zlib.crc32(image[:CRC_AT] + image[CRC_AT + 4 :])
    return image[:CRC_AT] + crc.to_bytes(4, "little") + image[CRC_AT + 4 :]


@pytest.mark.parametrize("part", [SANITIZED, "atmega328", "nrf52840"])
def test_nothing_else_is_used(part: str, tmp_path: Path) -> None:
    """A broken image, one of another layout, of another format, an erased place: what was in use
    goes on, and nothing beyond the image is read."""
    target = target_or_skip(part)
    request = Request(SINE_MODEL, "my", target)
    image = exchangeable(request).image
    generator = np.random.default_rng(5)
    broken = []
    for place in [*generator.integers(64, len(image), 12), CRC_AT, 24, 40]:
        changed = bytearray(image)
        changed[place] ^= 1 << int(generator.integers(8))
        broken.append(bytes(changed))
    sizes = with_crc(image[:44] + (len(image) + 4096).to_bytes(4, "little") + image[48:])
    other = with_crc(image[:8] + bytes(16) + image[24:])
    later = image[:4] + b"\x02" + image[5:]
    cases = [(each, DAMAGED) for each in broken]
    cases += [(sizes, OTHER_LAYOUT), (other, OTHER_LAYOUT)]
    cases += [(later, NO_IMAGE), (b"\xff" * 64, NO_IMAGE), (bytes(64), NO_IMAGE)]
    values = inputs_of(SINE_MODEL, len(cases))
    asked = list(zip(range(1, len(cases) + 1), values, strict=True))
    found = answers(request, [each for each, _ in cases], asked, tmp_path)
    outputs = expected(SINE_MODEL, values)
    assert found == [(code, each) for (_, code), each in zip(cases, outputs, strict=True)]


def test_report(zoo_model: ZooModel, capsys: pytest.CaptureFixture[str]) -> None:
    """What lies in the image is no code, and the parts add up to the flash."""
    target_or_skip("nrf52840")
    words = ["--target=nrf52840", "--weights=partition", "--json"]
    assert main(["run", str(zoo_model("kws")), *words]) == 0
    report = json.loads(capsys.readouterr().out)
    flash, constants = report["flash"], report["constant_bytes"]
    assert constants <= flash["weights_bytes"] <= constants + 1000
    assert sum(node["weights_bytes"] for node in flash["nodes"]) == flash["weights_bytes"]
    parts = [value for name, value in flash.items() if name.endswith("_bytes")]
    assert sum(parts) == report["flash_bytes"] and flash["code_bytes"] < 10_000


def test_layout_is_that_of_the_code(zoo_model: ZooModel) -> None:
    """Another name, target, option or graph is another layout; another version is not."""
    host = target_or_skip("host")
    model = zoo_model("speech").read_bytes()
    plain = exchangeable(Request(model, "my", host)).image[8:24]
    again = exchangeable(Request(other_weights(model, 7), "my", host, model_version=9)).image
    assert again[8:24] == plain and int.from_bytes(again[40:44], "little") == 9
    others = [
        Request(model, "my", target_or_skip("nrf52840")),
        Request(model, "my", host, optimize=Optimize.SIZE),
        Request(zoo_model("kws").read_bytes(), "my", host),
    ]
    assert len({plain, *(exchangeable(each).image[8:24] for each in others)}) == 4


def test_refused(tmp_path: Path) -> None:
    """What is made for the values of one model."""
    request = Request(SINE_MODEL, "my", target_or_skip("host"))
    decided = described('[output]\nhead = ["fixed-point"]\n', tmp_path)
    for other in (replace(request, selftest=True), replace(request, sensor=decided)):
        with pytest.raises(UsageError, match="which another model may take the place of"):
            exchangeable(other)


def test_too_large_for_an_int() -> None:
    """An AVR does not count its bytes."""
    part = target_or_skip("atmega2560")
    image = exchangeable(Request(build_model(dense((1, 160), (1, 190))), "my", part)).image
    assert 30_000 < len(image) < 32_768
    with pytest.raises(UnsupportedError, match=r"the image of the weights has 3\d,\d{3} bytes"):
        exchangeable(Request(build_model(dense((1, 160), (1, 202))), "my", part))


def test_a_signature_without_an_image() -> None:
    """A signature of nothing is refused."""
    request = Request(SINE_MODEL, "my", target_or_skip("host"), signature=Signing.HMAC)
    with pytest.raises(UsageError, match="without an image, expected weights=partition"):
        compile_model(request)
