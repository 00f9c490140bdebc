"""What a person is told of a model that does not fit: ways out, with figures that hold."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.slide.networks import spotter
from tests.support.hand_written import target_or_skip
from tinyml_rules.cli import main
from tinyml_rules.compiler import compile_model
from tinyml_rules.errors import DoesNotFitError, Problem, Shortage, UsageError
from tinyml_rules.fitting import ways
from tinyml_rules.ir.interface import ArenaMode
from tinyml_rules.model_file.writer import ModelSpec, OperatorSpec, build_model
from tinyml_rules.ops._shared.cases.case import quantized
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.ops.fully_connected.cases import dense
from tinyml_rules.ops.relu.cases import relu
from tinyml_rules.ops.svdf.cases import svdf
from tinyml_rules.reporting.advice import LARGEST_PROGRAM
from tinyml_rules.request.request import Request
from tinyml_rules.sensor.description import read_description
from tinyml_rules.target.parts import RAM, parts_beside, room_of
from tinyml_rules.target.target import load_target

ROOMY = """\
description = "a part like another one, with any room"
parent = "{parent}"
[memory]
flash = {{ bytes = {flash} }}
ram = {{ bytes = {ram} }}
"""
MEGABYTES = 16 << 20
TOO_LARGE = Problem("fw.elf", "too large", shortage=Shortage(RAM, 2, 1))


def _layers() -> ModelSpec:
    """Two convolutions, of which the first gives much more than either end has."""
    first = conv((1, 40, 32, 2), (3, 3), outputs=6)
    second = conv((1, 40, 32, 6), (3, 3), outputs=2, strides=(2, 2))
    source, *constants = first.tensors
    count = len(first.tensors)
    (head,), (tail,) = first.operators, second.operators
    inputs = (head.outputs[0], *(count + index - 1 for index in tail.inputs[1:]))
    return replace(
        first,
        tensors=(source, *constants, *second.tensors[1:]),
        operators=(head, replace(tail, inputs=inputs, outputs=(count + tail.outputs[0] - 1,))),
        outputs=(count + tail.outputs[0] - 1,),
    )


MODELS = {
    "tall": build_model(conv((1, 40, 32, 2), (3, 3), outputs=2, strides=(2, 2))),
    "layers": build_model(_layers()),
    "close": build_model(conv((1, 28, 32, 2), (3, 3), outputs=2, strides=(2, 2))),
    "heavy": build_model(dense((1, 200), (1, 200))),
    "large": build_model(conv((1, 12, 12, 512), (3, 3), outputs=64, strides=(2, 2))),
    "larger": build_model(dense((1, 640), (1, 420))),
}
MISFITS = {
    "input too large": ("tall", "atmega328", "", ["--push-rows"]),
    "constants too large": ("heavy", "atmega328", "", ["--weights=external"]),
    "constants too large for the family": ("larger", "lm3s6965", "", ["--weights=external"]),
    "layer by layer": (
        *("layers", "atmega328", "--schedule=layer"),
        ["--schedule=auto", "--push-rows"],
    ),
    "both too large": (
        *("large", "lm3s6965", ""),
        ["--push-rows", "--weights=external", "--push-rows --weights=external"],
    ),
    "a limit of the user's": ("tall", "host", "--ram=1000", ["--push-rows"]),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the models."""
    for name, model in MODELS.items():
        (tmp_path / f"{name}.tflite").write_bytes(model)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add_part(folder: Path, parent: str, *, flash: int = MEGABYTES, ram: int = MEGABYTES) -> None:
    """A part `roomy` in the folder `parts`."""
    part = folder / "parts" / "roomy"
    part.mkdir(parents=True)
    (part / "target.toml").write_text(ROOMY.format(parent=parent, flash=flash, ram=ram))


def compiled(
    capsys: pytest.CaptureFixture[str], *words: str, out: str = "out"
) -> tuple[int, Any, str]:
    """Status, the JSON on standard output, and standard error."""
    status = main(["compile", *words, "--json", "--out", out])
    printed = capsys.readouterr()
    return status, json.loads(printed.out), printed.err


@pytest.mark.parametrize("name", MISFITS)
def test_does_not_fit_names_settings_whose_figures_hold(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Compiled with these settings and that RAM for a part with more room, the model fits."""
    model, target, options, expected = MISFITS[name]
    file = f"{model}.tflite"
    status, found, text = compiled(capsys, file, "--target", target, *options.split())
    assert status == 1
    assert found["error"] == text.removesuffix("\n")
    assert text.count("hint:") == 1
    told = [way for way in found["ways"] if way["settings"]]
    assert [" ".join(way["settings"]) for way in told] == expected
    roomy = ["--target", target]
    if target != "host":
        add_part(folder, target)
        roomy = ["--target", "roomy", "--targets", "parts"]
    for way in told:
        # a part with more room takes more of it for speed where it is not limited
        words = (*roomy, *way["settings"], f"--ram={way['needed_bytes']['RAM']}")
        status, report, _ = compiled(capsys, file, *words)
        assert status == 0
        assert way["needed_bytes"]["flash"] == report["constant_bytes"]
        assert report["model_ram_bytes"] <= way["needed_bytes"]["RAM"]
        assert way["external_bytes"] == report["external_bytes"]
        (line,) = re.findall(rf"^    {' '.join(way['settings'])}: (.*)$", text, re.M)
        for memory, needed in way["needed_bytes"].items():
            is_told = f"{needed:,} bytes of {memory}" in line
            assert (
                is_told
                or memory not in {each["memory"] for each in found["shortages"]}
                or (memory in way["lacking"])
            )
            has = way["available_bytes"].get(memory, MEGABYTES)
            assert (memory in way["lacking"]) == (needed > has)


@pytest.mark.parametrize("name", MISFITS)
@pytest.mark.usefixtures("folder")
def test_does_not_fit_names_the_smallest_parts(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those named take the model as it is asked for, and no smaller one does, its family first."""
    model, target, options, _ = MISFITS[name]
    words = (f"{model}.tflite", *options.split())
    _, found, text = compiled(capsys, *words, "--target", target)
    named = [way["target"] for way in found["ways"] if not way["settings"]]
    if target == "host":
        assert named == []
        return
    fitting = [
        part.name
        for part in parts_beside(load_target(target))
        if compiled(capsys, *words, "--target", part.name)[0] == 0
    ]
    assert named == fitting[: ways.MOST_PARTS] != []
    for way in found["ways"]:
        if not way["settings"]:
            has = room_of(load_target(way["target"]))
            line = f"{way['target']}: has {has['flash']:,} bytes of flash and {has['RAM']:,} of RAM"
            assert f"    {line}\n" in text


@pytest.mark.parametrize(
    ("memory", "setting", "content", "key"),
    [
        ("RAM", "--push-rows", "the model", "model_ram_bytes"),
        ("flash", "--weights=external", "constants", "constant_bytes"),
    ],
)
def test_a_linked_firmware_that_does_not_fit_shows_the_way(
    *,
    memory: str,
    setting: str,
    content: str,
    key: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Constants and arena alone have room; with the setting that is named all of it may have."""
    target_or_skip("atmega328")
    _, report, _ = compiled(capsys, "close.tflite", "--target=atmega328")
    room = {"flash": 32_768, "RAM": 2_048, memory: report[key] + 4}
    add_part(folder, "atmega328", flash=room["flash"], ram=room["RAM"])
    np.save("input.npy", np.zeros(report["inputs"][0]["shape"], np.int8))
    words = ["run", "close.tflite", "--target=roomy", "--targets=parts", "--input=input.npy"]
    assert main(words) == 1
    error = capsys.readouterr().err
    assert f"target 'roomy' has {room[memory]:,}; largest: " in error.splitlines()[0]
    way = rf"\n    {setting}: ([\d,]+) bytes of {memory} for {content} instead of ([\d,]*\d)"
    match = re.search(way, error)
    assert match, error
    assert match[2] == f"{report[key]:,}"
    assert re.search(r"\n    atmega\d+p?: has [\d,]+ bytes of flash and [\d,]+ of RAM", error)
    _, with_it, _ = compiled(capsys, "close.tflite", "--target=atmega328", setting)
    assert match[1] == f"{with_it[key]:,}"
    if memory == "RAM":
        assert main([*words, setting]) == 0


@pytest.mark.parametrize(
    ("front_end", "words"),
    {
        "": "--push-rows --weights=external",
        "scons": "TINYML_PUSH_ROWS=True, TINYML_WEIGHTS='external'",
        "scons-arguments": "push_rows=yes weights=external",
        "platformio": "custom_tinyml_push_rows = yes and custom_tinyml_weights = external",
        "cmake": "PUSH_ROWS WEIGHTS external",
        "bazel": "push_rows = True, weights = 'external'",
    }.items(),
)
@pytest.mark.usefixtures("folder")
def test_settings_are_written_as_the_front_end_does(
    front_end: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the error; a report is the same whoever asks for it."""
    given = ("large.tflite", *([f"--spelling={front_end}"] if front_end else []))
    _, _, text = compiled(capsys, *given, "--target=lm3s6965")
    assert f"\n    {words}: " in text
    _, report, _ = compiled(capsys, *given)
    assert any("--push-rows" in each for each in report["advice"])


def test_a_model_that_fits_pays_nothing_and_a_huge_one_little(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No plan is made again for either."""
    count = LARGEST_PROGRAM + 1
    short = relu((1, 3000))
    chain = replace(
        short,
        tensors=tuple(quantized(f"t{index}", (1, 3000)) for index in range(count + 1)),
        operators=tuple(
            OperatorSpec("ADD", (index, index), (index + 1,)) for index in range(count)
        ),
        outputs=(count,),
    )
    (folder / "chain.tflite").write_bytes(build_model(chain))
    planned: list[object] = []
    monkeypatch.setattr(ways, "plan_program", lambda *given: planned.append(given))
    assert main(["compile", "heavy.tflite", "--target=lm3s6965", "--quiet"]) == 0
    assert main(["compile", "chain.tflite", "--target=atmega328"]) == 1
    assert "needs 3,000 bytes of RAM" in capsys.readouterr().err
    assert planned == []


def test_an_arena_that_models_share(tmp_path: Path) -> None:
    """The hint counts no variables, and no model whose arena nothing else may overwrite."""
    target = load_target("host")
    texts = {
        "heard": '[input]\nfeatures = "microfrontend"\nscale = 0.1\n',
        "told": '[output]\nhead = "event"\nlabels = ["a"]\nthreshold = 0.5\n',
    }
    models = {"heard": relu((1, 40)), "told": relu((1, 1))}
    requests = [
        Request(build_model(svdf()), "kept", target),
        Request(build_model(relu((1, 800))), "plain", target),
        Request(spotter(Padding.VALID), "slides", target, push_rows=True, slide=2),
    ]
    for name, model in models.items():
        file = tmp_path / f"{name}.toml"
        file.write_text(texts[name])
        requests.append(Request(build_model(model), name, target, sensor=read_description(file)))
    reports = [compile_model(each).report for each in requests]
    kept, plain = reports[:2]
    assert kept.variable_bytes
    without = kept.arena_bytes - kept.variable_bytes
    assert ways.with_shared_arena(DoesNotFitError([TOO_LARGE]), reports).problems[0].hint == (
        f"--arena=shared: one arena of {plain.arena_bytes:,} bytes for kept and plain, which run "
        f"in turn, instead of {plain.arena_bytes + without:,} bytes"
    )
    for each in requests[2:]:
        with pytest.raises(UsageError):
            compile_model(replace(each, arena=ArenaMode.SHARED))
