"""The pages of the report's keys and of the C interface, beside real reports and headers: nothing
is missing there, and nothing is there that is not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from generate.c_interface import SECTIONS as NAMES
from generate.report_keys import SECTIONS as KEYS
from tests.arena.test_early_ends import MODELS as ENDING
from tests.conftest import PROJECT, ZooModel
from tests.decide.models import described, requantizing
from tests.fitting.test_ways import MODELS
from tests.frontends.builds import SINE
from tests.support.dead_channels import convolutions
from tests.support.hand_written import target_or_skip
from tests.weights.test_called import model as branching
from tinyml_rules.cli import main
from tinyml_rules.compiler import Compiled, compile_model
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.ir.signing import Signing
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.request.request import Request, Weights

SENSOR = """
[input]
raw = "uint8"
range = [0, 16]
"""
DECISIONS = """
[output]
head = ["event", "argmax", "top-k", "threshold", "fixed-point"]
k = 2
labels = ["cat", "dog", "owl"]
threshold = 0.5
"""
ELSEWHERE = "Of builds that compare with expected outputs"
"""Keys that tests of those builds read."""
SELDOM = {"missing", "profile.trace_left_out"}
"""Keys of reports that lack a tool, and of runs with a longer trace than a file holds."""


def paths(value: Any, before: str = "") -> Iterator[str]:
    """Of every value that is no object: its keys from the outermost on."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from paths(inner, f"{before}.{key}" if before else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            yield from paths(inner, f"{before}[]")
    else:
        yield before


def test_report_keys(
    zoo_model: ZooModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports of runs with a profile, of rows and of windows that slide, of a trimmed and of a
    packed model, of a sensor."""
    for part in ("nrf52840", "atmega328"):
        target_or_skip(part)
    (tmp_path / "dead.tflite").write_bytes(build_model(convolutions(channels=8, dead=0.5)))
    (tmp_path / "sensor.toml").write_text(SENSOR)
    sine, kws = str(SINE / "sine.tflite"), str(zoo_model("kws"))
    runs = [
        [sine, "--target=atmega328", "--profile"],
        [str(zoo_model("speech")), "--target=nrf52840", "--profile"],
        [kws, "--target=nrf52840", "--push-rows", "--weights=packed"],
        [str(zoo_model("speech")), "--target=atmega328", "--push-rows", "--weights=external"],
        [str(zoo_model("speech")), "--target=host", "--push-rows", "--slide=2"],
        [str(tmp_path / "dead.tflite"), "--target=host", f"--sensor={tmp_path / 'sensor.toml'}"],
    ]
    found: set[str] = set()
    for words in runs:
        assert main(["run", *words, "--json"]) == 0
        found |= set(paths(json.loads(capsys.readouterr().out)))
    told = {key for name, keys in KEYS.items() if name != ELSEWHERE for key in keys} - SELDOM
    assert [key for key in sorted(found) if not any(is_told(key, each) for each in told)] == []
    unused = [each for each in told if not any(is_told(key, each) for key in found)]
    assert unused == []


def is_told(key: str, pattern: str) -> bool:
    """A list without elements, and an object without keys, may have those of its elements."""
    escaped = pattern.replace("[]", "[[][]]")
    begins = pattern.startswith((f"{key}[]", f"{key}."))
    return begins or fnmatchcase(key, escaped)


def compiled(tmp_path: Path, zoo_model: ZooModel) -> Iterator[Compiled]:
    """Models whose headers have all names between them."""
    host = target_or_skip("host")
    sine = Request((SINE / "sine.tflite").read_bytes(), "my", host, optimize=Optimize.LAYERS)
    yield compile_model(sine)
    tall = MODELS["tall"]
    more: dict[str, Any] = {"selftest": True, "dump": True, "hooks": True}
    yield compile_model(Request(sine.model, "my", host, partition=True, **more))
    yield compile_model(
        Request(tall, "my", host, push_rows=True, arena=ArenaMode.CALLER, dump=True)
    )
    speech = zoo_model("speech").read_bytes()
    yield compile_model(Request(speech, "my", host, push_rows=True, slide=2))
    yield compile_model(Request(tall, "my", host, weights=Weights.EXTERNAL))
    yield compile_model(Request(build_model(next(iter(ENDING.values()))), "my", host, slices=True))
    for signing in Signing:
        yield compile_model(
            Request(sine.model, "my", host, weights=Weights.PARTITION, signature=signing)
        )
    yield compile_model(Request(build_model(branching()), "my", host))
    sensor = described(SENSOR, tmp_path)
    yield compile_model(Request(tall, "my", host, sensor=sensor))
    yield compile_model(Request(tall, "my", host, sensor=sensor, push_rows=True))
    decisions = described(DECISIONS, tmp_path)
    three = requantizing(3, (0.5, 3), (1 / 256, -128))
    yield compile_model(Request(three, "my", host, sensor=decisions))
    ad = described('[output]\nhead = "mean-squared-difference"\n', tmp_path)
    yield compile_model(Request(zoo_model("ad").read_bytes(), "my", host, sensor=ad))


def names_of(each: Compiled) -> Iterator[str]:
    """What the header declares, ports by their role."""
    text = re.sub(r"/\*.*?\*/", "", each.files["my.h"], flags=re.S)
    roles: dict[str, str] = {}
    for role, ports in (("input", each.interface.inputs), ("output", each.interface.outputs)):
        roles |= {port.accessor.removeprefix("my_"): role for port in ports}
    for name in set(re.findall(r"\b(?:my|MY|tinyml)_\w+", text)) - {"MY_H", "MY_CAST"}:
        yield of_any_model(name, roles)


def of_any_model(name: str, roles: dict[str, str]) -> str:
    """Without the names of tensors and of classes."""
    for port in sorted(roles, key=len, reverse=True):
        pattern = rf"(?<=_){port}(?=_|$)|(?<=_){port.upper()}(?=_|$)"
        if re.search(pattern, name):
            role = roles[port]
            return re.sub(pattern, role.upper() if name.isupper() else role, name)
    return re.sub(r"^MY_CLASS_\w+$", "MY_CLASS_…", re.sub(r"^my_is_\w+$", "my_is_…", name))


def test_c_interface(zoo_model: ZooModel, tmp_path: Path) -> None:
    """Names, by the identifiers in headers of models with all options between them."""
    found = {name for each in compiled(tmp_path, zoo_model) for name in names_of(each)}
    told = {name for names in NAMES.values() for name in names}
    assert sorted(found - told) == []
    assert sorted(told - found) == []


def test_index() -> None:
    """Both pages are linked from the index."""
    index = (PROJECT / "docs" / "README.md").read_text(encoding="utf-8")
    assert "reference/report.md" in index and "reference/c_interface.md" in index
