"""A wake word with a microphone in front of it and an event over time, as packages: what examples
print is what TensorFlow's front end, TFLM and ESPHome's decider give for the same samples."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.decide.known_events import MicroWakeWord
from tests.package.package_builds import make_package, printed_by
from tests.package.test_package_esp_idf import registered
from tests.package.test_package_zephyr import build_sample
from tests.slide.networks import spotter
from tests.support.hand_written import target_or_skip
from tests.support.microfrontend import reference_features
from tests.support.tflm import AnyArray, tflm_outputs
from tests.support.wake_word import FEATURES, ROWS, SMALL, wake_word
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops._shared.spatial import Padding
from tinyml_rules.system.process import run_tool

NAME = "wake"
BLOCK, ANSWERS, STEP = 160, 32, 8
"""Samples at a time; results of an example, whose values are so far apart."""
_LINE = re.compile(r"^(-?\d+): (\d+); event (-?\d+)$", re.M)


def heard() -> npt.NDArray[np.int16]:
    """What the example plays: the first result takes five blocks, each other one three."""
    up = (np.arange(BLOCK) & 8).astype(bool)
    blocks = []
    for value in range(-128, 128, STEP):
        block = np.where(up, 128 * value, -128 * value)
        blocks += [block] * (5 if value == -128 else ROWS)
    return np.concatenate(blocks).astype(np.int16)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file, next to wake.toml; its decider's threshold is one that some results reach."""
    file = tmp_path_factory.mktemp("model") / f"{NAME}.tflite"
    file.write_bytes(build_model(wake_word(SMALL)))
    scores = scores_of(file)
    table = decider(scores).table
    lines = ['[input]\nfeatures = "microfrontend"\n[output]\nhead = "event"\nlabels = ["word"]']
    lines += [f"{key} = {str(value).lower()}" for key, value in table.items()]
    file.with_name("microphone.toml").write_text("\n".join(lines) + "\n")
    return file


def scores_of(model: Path) -> AnyArray:
    """The outputs of TFLM for the features of the library."""
    features = reference_features(heard()).astype(int)
    values = np.clip((features * 256 + 333) // 666 - 128, -128, 127).astype(np.int8)
    inputs = values.reshape(ANSWERS, 1, ROWS, FEATURES)
    (outputs,) = tflm_outputs(model.read_bytes(), [inputs], is_sequence=True)
    return outputs.reshape(ANSWERS).astype(int)


def decider(scores: AnyArray) -> MicroWakeWord:
    """ESPHome's."""
    return MicroWakeWord(cutoff=int(np.median(scores)), window=2, ignored=9)


def expected(model: Path) -> list[tuple[int, int, int]]:
    """(loudness, score, event) of each line."""
    scores = scores_of(model)
    decide = decider(scores)
    events = [decide.process(int(score) - 128) for score in scores]
    assert {*events} == {-1, 0}
    values = range(-128, 128, STEP)
    return [(v, int(s), e) for v, s, e in zip(values, scores, events, strict=True)]


def answers(printed: str) -> list[tuple[int, int, int]]:
    """The lines of an example."""
    return [(int(v), int(s), int(e)) for v, s, e in _LINE.findall(printed)]


def package(kind: str, model: Path, folder: Path, target: str = "") -> Path:
    """With the microphone and the event."""
    sensor = str(model.with_name("microphone.toml"))
    return make_package(kind, folder, "--sensor", sensor, model=model, name=NAME, target=target)


def compiles(sources: Sequence[Path], include: Path, target: str, folder: Path) -> None:
    """By the target's own compiler, without a warning."""
    toolchain = target_or_skip(target).toolchain
    for source in sources:
        output = folder / f"{source.stem}.o"
        run_tool(toolchain.compile_command(source, output, include=[include]), where=source.name)


def test_esp_idf(model: Path, tmp_path: Path) -> None:
    """The component's sources by the compiler of an ESP32-class core, which has no C library; the
    example's app_main() on this computer."""
    folder = package("esp-idf", model, tmp_path / NAME)
    listed = [folder / source for source in registered(folder / "CMakeLists.txt")["SRCS"]]
    main = folder / "examples" / NAME / "main" / "main.c"
    compiles(listed, folder / "include", "xtensa_lx6", tmp_path)
    host = package("c", model, tmp_path / "host", "host")
    (tmp_path / "start.c").write_text("void app_main(void);\nint main(void) { app_main(); }\n")
    words = ["-Wall", "-Wextra", "-Werror", f"-I{folder / 'include'}", "-o", "example"]
    printed_by(["gcc", *words, main, host / "src" / f"{NAME}.c", tmp_path / "start.c"], tmp_path)
    assert answers(printed_by([tmp_path / "example"], tmp_path)) == expected(model)


def test_zephyr(model: Path, tmp_path: Path) -> None:
    """The sample through module.yml and prj.conf, and the sources by a Cortex-M's compiler."""
    sample = build_sample(package("zephyr", model, tmp_path / NAME, "host"), tmp_path)
    assert answers(printed_by([sample], tmp_path)) == expected(model)
    folder = package("zephyr", model, tmp_path / "part")
    compiles(sorted((folder / "src").glob("*.c")), folder / "include", "stm32f405", tmp_path)


def test_keywords(model: Path, tmp_path: Path) -> None:
    """An editor knows the words of a stream."""
    text = (package("arduino", model, tmp_path / NAME, "atmega2560") / "keywords.txt").read_text()
    words = dict(line.split("\t") for line in text.splitlines())
    functions = ("wake_put_samples", "wake_reset", "wake_event", "wake_invoke", "wake_output")
    assert {words[name] for name in functions} == {"KEYWORD2"}
    assert {words[name] for name in ("WAKE_SAMPLES", "WAKE_CLASS_WORD")} == {"LITERAL1"}


@pytest.mark.parametrize(
    ("options", "functions"),
    [
        ((), "input reset invoke output"),
        (("--slices", "--arena=caller"), "input reset invoke invoke_slice output"),
        (("--sensor",), "reset put_samples output event"),
        (("--sensor", "--arena=caller"), "reset put_samples output event"),
        (("--push-rows", "--slide=2"), "reset push_row output"),
    ],
    ids=str,
)
def test_readme(options: tuple[str, ...], functions: str, model: Path, tmp_path: Path) -> None:
    """It has the functions that a user calls, in their order, each as the header declares it."""
    words = [option for option in options if option != "--sensor"]
    words += ["--sensor", str(model.with_name("microphone.toml"))] * ("--sensor" in options)
    if "--push-rows" in options:
        model = tmp_path / "spotter.tflite"
        model.write_bytes(spotter(Padding.VALID))
    folder = make_package("c", tmp_path / NAME, *words, model=model, name=NAME, target="host")
    header = (folder / "include" / f"{NAME}.h").read_text(encoding="utf-8").splitlines()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```c\n(.*?)^```$", readme, re.M | re.S)
    lines = [line.partition(" /*")[0] for line in block.splitlines()]
    assert re.findall(rf"\b{NAME}_(\w+)\(", block) == functions.split()
    assert {*lines} <= {*header}
