"""`scons target=T model=M [VERB]` in a copy of this project: what it writes and what it says."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from models.zoo import load_manifest, model_names
from tests.conftest import MODELS_FOLDER, PROJECT, ZooModel
from tests.frontends.builds import (
    architecture,
    build,
    copy_project,
    files_under,
    scons,
    symbols,
)
from tests.support.hand_written import target_or_skip
from tinyml_rules.target.target import load_target, target_names

RESULTS = {
    "host": {"sine.c", "sine.h", "sine.elf", "sine.map", "sine.report.json"},
    "atmega328": {"sine.c", "sine.h", "sine.elf", "sine.hex", "sine.map", "sine.report.json"},
    "nrf52840": {"sine.c", "sine.h", "sine.elf", "sine.hex", "sine.map", "sine.report.json"},
}
INTERMEDIATES = {
    *("sine.memory.svg", "sine.model.json"),
    *("minimal_main.c", "minimal.size.json"),
}
ARCHITECTURES = {"host": "x64", "atmega328": "Atmel AVR 8-bit", "nrf52840": "ARM"}

REPORT_KEYS = {
    *("model", "model_sha256", "target", "inputs", "outputs", "nodes", "largest"),
    *("arena_bytes", "arena_lower_bound_bytes", "constant_bytes", "macs"),
    *("flash_bytes", "ram_bytes", "static_ram_bytes", "stack_bytes", "invoke_stack_bytes"),
    *("target_flash_bytes", "target_ram_bytes"),
}
RUN_KEYS: dict[str, set[str]] = {
    "host": set(),
    "atmega328": {"cycles", "milliseconds", "invoke_stack_measured_bytes"},
    "nrf52840": {"instructions", "invoke_stack_measured_bytes"},
}

Built = Callable[[str], tuple[Path, str]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A function from a target to a copy of the project in which its sine was built and run, and
    what that printed.  The folder's name has a blank, as folders have."""
    folder = copy_project(tmp_path_factory.mktemp("project") / "my copy")

    @cache
    def build_for(target: str) -> tuple[Path, str]:
        target_or_skip(target)
        build(folder, f"target={target}", "model=sine")
        files = files_under(folder / "build" / target / "sine")
        found = {name for name in files if not name.startswith(("objects/", "support/"))}
        assert found == RESULTS[target] | INTERMEDIATES
        return folder, build(folder, f"target={target}", "model=sine", "run")

    return build_for


def report_of(folder: Path, target: str) -> dict[str, Any]:
    """The report of the sine."""
    path = folder / "build" / target / "sine" / "sine.report.json"
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report


@pytest.mark.parametrize("target", RESULTS)
def test_firmware(target: str, built: Built) -> None:
    """The ELF is for the part; the file for the programmer is whole."""
    folder, _ = built(target)
    where = folder / "build" / target / "sine"
    assert architecture(where / "sine.elf") == ARCHITECTURES[target]
    assert {"sine_invoke", "sine_arena", "main"} <= symbols(where / "sine.elf")
    assert "sine_invoke" in (where / "sine.map").read_text()
    if target != "host":
        lines = (where / "sine.hex").read_text().splitlines()
        assert lines[-1] == ":00000001FF"
        data = [line[9:-2] for line in lines if line[7:9] == "00"]
        assert len("".join(data)) // 2 == report_of(folder, target)["flash_bytes"]


@pytest.mark.parametrize("target", RESULTS)
def test_report(target: str, built: Built) -> None:
    """All figures, of the build and of the run, are in one file."""
    folder, _ = built(target)
    report = report_of(folder, target)
    assert set(report) >= REPORT_KEYS
    assert set(report) & set().union(*RUN_KEYS.values()) == RUN_KEYS[target]
    assert (report["model"], report["target"], report["macs"]) == ("sine", target, 0)
    assert [each["macs"] for each in report["tabulated"]] == [16 + 256 + 16]


@pytest.mark.parametrize("target", RESULTS)
def test_run_shows_figures_and_sines(target: str, built: Built) -> None:
    """Flash and RAM of the part, what an inference took, and nine sines near the real ones."""
    folder, output = built(target)
    report = report_of(folder, target)
    assert f"sine on {target}\n" in output
    for word, key in (("flash", "flash_bytes"), ("RAM", "ram_bytes")):
        assert re.search(rf"^  {word} +{report[key]:,} B", output, re.M)
    for unit in ("cycles", "instructions"):
        assert (unit in report) == bool(re.search(rf" [\d,]+ {unit}", output))
        assert unit not in report or f"  inference  {report[unit]:,} {unit}" in output
    if "milliseconds" in report:
        assert f" cycles, {report['milliseconds']:g} ms, ~" in output
    rows = re.findall(r"^ +(\d\.\d{3}) +(-?\d\.\d{4}) +(-?\d\.\d{4}) +(-?\d\.\d{4})$", output, re.M)
    assert len(rows) == 9
    assert all(abs(float(error)) < 0.05 for *_, error in rows)
    assert [row[2] for row in rows[1:3]] == ["0.7068", "1.0000"]


def test_second_run_is_not_run_again(built: Built) -> None:
    """With nothing changed it shows the same, from files."""
    folder, _ = built("host")
    first, second = (build(folder, "run") for _ in range(2))
    assert first == second
    assert "RUN  " not in second
    assert "sine on host" in second


@pytest.mark.parametrize(
    ("target", "model", "samples"),
    [("host", "speech", 6), ("atmega328", "sine", 256), ("nrf52840", "kws", 6)],
)
def test_test(target: str, model: str, samples: int, built: Built, zoo_model: ZooModel) -> None:
    """`test` says what was compared; all of it equal."""
    target_or_skip(target)
    folder, _ = built("host")
    words = [f"target={target}", f"model={model}", f"models={zoo_model(model).parent}", "test"]
    output = build(folder, *words)
    assert re.search(rf"^{model} on {target}: {samples} samples equal", output, re.M)


def test_model_of_ones_own(built: Built, tmp_path: Path) -> None:
    """The path of any .tflite file: built, sized and run like the others, on a told input."""
    folder, _ = built("host")
    own = tmp_path / "some folder" / "my model.tflite"
    own.parent.mkdir()
    own.write_bytes((folder / "models" / "sine" / "sine.tflite").read_bytes())
    printed = build(folder, f"model={own}", "run", "size")
    assert "my_model on host\n" in printed
    assert "  input      4 pseudo-random int8 values (fixed seed)" in printed
    assert "    integers -" in printed
    assert "my_model_invoke" in printed
    assert (folder / "build" / "host" / "own" / "my_model" / "my_model.report.json").is_file()


def test_mistakes_with_a_model_of_ones_own(built: Built, tmp_path: Path) -> None:
    """A file that is not there, with the one that is; and `test`, which needs recorded results."""
    folder, _ = built("host")
    own = tmp_path / "mine.tflite"
    own.write_bytes((folder / "models" / "sine" / "sine.tflite").read_bytes())
    missing = tmp_path / "mime.tflite"
    done = scons(folder, f"model={missing}")
    assert (done.returncode, done.stderr) == (
        2,
        f"{missing}: error: cannot be read (No such file or directory)\n"
        f"  hint: did you mean '{own}'?\n",
    )
    done = scons(folder, f"model={own}", "test")
    assert done.returncode == 2
    assert done.stderr.startswith(f"{own}: error: has no recorded results, expected a model of")
    assert f"tinyml_rules test {own} --vectors FILE.npz` compares" in done.stderr


def test_path_from_where_the_wrapper_is_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`../clone/tinyml model=mine.tflite` means the file here; a name stays one."""
    from_here = runpy.run_path(str(PROJECT / "tinyml"))["from_here"]
    monkeypatch.chdir(tmp_path)
    assert from_here("model=parts/mine.tflite") == f"model={tmp_path / 'parts' / 'mine.tflite'}"
    for word in ("model=sine", "target=host", "run"):
        assert from_here(word) == word


def test_weights_outside_flash(built: Built, zoo_model: ZooModel) -> None:
    """A model larger than the part's flash, on the emulated memory beside it."""
    target_or_skip("atmega328")
    folder, _ = built("host")
    words = ["target=atmega328", "model=ad", f"models={zoo_model('ad').parent}", "weights=external"]
    output = build(folder, *words, "test")
    assert re.search(r"^ad on atmega328: 6 samples equal", output, re.M)


def test_size(built: Built) -> None:
    """`size` shows the memory used and the largest symbols, with the sizes of the report."""
    folder, _ = built("host")
    output = build(folder, "size")
    largest = report_of(folder, "host")["largest"]
    assert len(largest) > 3
    for each in largest:
        line = rf"^ +{each['bytes']:,} B {each['region']} +{each['symbol']}$"
        assert re.search(line, output, re.M)


def test_help(built: Built) -> None:
    """`-h` names every target and model with its description, the variables and the verbs, which
    come first; then an example and where the pages are."""
    folder, _ = built("host")
    output = build(folder, "-h")
    headings = re.findall(r"^(\w[^:\n]*)(?:: .*)?:$", output, re.M)
    assert headings[0] == "verbs (without one"
    assert headings[1] == "variables"
    assert "\n  scons target=uno model=sine run\n" in output
    words = {line.split()[0]: line for line in output.splitlines() if line.startswith("  ")}
    for name in target_names():
        assert load_target(name).description in words[name]
    for name in model_names(MODELS_FOLDER):
        assert load_manifest(MODELS_FOLDER, name).description in words[name]
    assert {"target", "model", "models", "run", "test", "size", "matrix", "docs"} <= set(words)


def test_clean(tmp_path: Path) -> None:
    """`-c` leaves no file of the build."""
    folder = copy_project(tmp_path / "copy")

    def sources() -> set[str]:
        return {name for name in files_under(folder) if "__pycache__" not in name}

    before = sources()
    build(folder, "run", "test")
    assert len(files_under(folder / "build" / "host")) > 10
    build(folder, "-c", "run", "test")
    assert sources() == before
