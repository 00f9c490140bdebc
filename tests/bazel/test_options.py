"""The attributes of the rules: each does what the command line's option does."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.bazel.builds import BUILD_OPTIONS, Bazel
from tests.conftest import MODELS_FOLDER, PROJECT
from tests.frontends.builds import SINE, run, with_other_weight
from tests.frontends.stranger import write_main
from tests.frontends.test_manifest_in_builds import snippet
from tinyml_rules.cli import main

Package = Callable[[str, str], Path]

MODEL = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model")
tinyml_model(
    name = "all_options",
    src = "speech.tflite",
    arena = "caller",
    checked = True,
    page = 16,
    place = {"add_1": "fast"},
    prefix = "tone",
    push_rows = True,
    ram = 3000,
    schedule = "stream",
    target = "stm32f405",
    weights = "external",
)
"""
SAME_OPTIONS = (
    *("--arena=caller", "--checked", "--page=16", "--place=add_1=fast", "--name=tone"),
    *("--push-rows", "--ram=3000", "--schedule=stream", "--target=stm32f405"),
    *("--spelling=bazel", "--weights=external"),
)
BESIDE = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model")
tinyml_model(name = "plain", src = "nets/sine.tflite")
tinyml_model(name = "stated", src = "nets/sine.tflite", arena = "shared", weights = "external")
"""
OPERATORS = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model")
tinyml_model(name = "knob", src = "knob.tflite", operators = glob(["operators/**"]))
"""
SENSOR = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model")
tinyml_model(name = "sine", src = "sine.tflite", sensor = "volts.toml")
"""
TEST = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model", "tinyml_test")
tinyml_model(name = "model", src = "{model}.tflite", target = "{target}", {settings})
tinyml_test(name = "model_test", size = "small", model = ":model", vectors = "vectors.npz")
"""
TEST_SETTINGS = {
    "atmega328": "push_rows = True, max_cycles = 4000000, loop_limits = True",
    "lm3s6965": 'weights = "external"',
    "host": "",
}
JUDGED = r"\nbudget of cycles: judged for all inputs, [\d,]+ cycles at most\n"
OWN_TARGET = """
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_model", "tinyml_toolchain")
constraint_value(name = "mine_part", constraint_setting = "@tinyml_rules//targets:part")
platform(name = "board", constraint_values = [":mine_part"])
tinyml_toolchain(
    name = "mine_compiler",
    target = "mine",
    target_files = ["mine/target.toml", "@tinyml_rules//targets:files"],
)
toolchain(
    name = "mine_toolchain",
    target_compatible_with = [":mine_part"],
    toolchain = ":mine_compiler",
    toolchain_type = "@tinyml_rules//tinyml_rules:toolchain_type",
)
tinyml_model(name = "sine", src = "sine.tflite")
"""
TWO_MODELS = """
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_library")
tinyml_library(name = "sine", src = "sine.tflite", copts = ["-O3", "-Werror"])
tinyml_library(name = "the-other", src = "other.tflite")
cc_test(name = "two_test", size = "small", srcs = ["main.c"], deps = [":sine", ":the-other"])
"""
FIRMWARE = """
load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@tinyml_rules//tinyml_rules:defs.bzl", "tinyml_library")
tinyml_library(name = "sine", src = "sine.tflite")
cc_binary(name = "firmware", srcs = ["main.c"], deps = [":sine"])
"""
TWO_MAIN = """
#include "the_other.h"
#include "two/sine.h"

int main(void)
{
    *sine_input() = 100;
    *the_other_input() = 100;
    sine_invoke();
    the_other_invoke();
    return *sine_output() == *the_other_output();
}
"""


@pytest.fixture
def package(workspace: Path) -> Package:
    """A function that makes a package of the workspace, with a BUILD file and the sine model."""

    def make(name: str, build: str) -> Path:
        folder = workspace / name
        folder.mkdir()
        (folder / "BUILD.bazel").write_text(build)
        for file in ("sine.tflite", "vectors.npz"):
            shutil.copy2(SINE / file, folder)
        return folder

    return make


def test_all_options(
    bazel: Bazel, workspace: Path, package: Package, zoo_model: Callable[[str], Path]
) -> None:
    """Every file is what the command line makes of the same options."""
    folder = package("options", MODEL)
    model = shutil.copy2(zoo_model("speech"), folder / "speech.tflite")
    bazel.build(workspace, "//options:all_options")
    command = [sys.executable, "-m", "tinyml_rules", "compile", model, *SAME_OPTIONS]
    assert run([*command, f"--out={folder / 'out'}"], PROJECT).returncode == 0
    expected = sorted((folder / "out").iterdir())
    assert len(expected) == 5
    for file in expected:
        assert (workspace / "bazel-bin" / "options" / file.name).read_bytes() == file.read_bytes()


def test_options_file(bazel: Bazel, workspace: Path, package: Package) -> None:
    """The one beside the model is found when it appears, and an attribute counts more than it."""
    folder = package("beside", BESIDE)
    (folder / "nets").mkdir()
    (folder / "sine.tflite").rename(folder / "nets" / "sine.tflite")
    made = workspace / "bazel-bin" / "beside"
    bazel.build(workspace, "//beside:plain")
    assert json.loads((made / "plain.report.json").read_text())["arena"] == "static"
    file = folder / "nets" / "sine.tinyml.toml"
    file.write_text('arena = "caller"\npage = 16\nweights = "external"\n')
    bazel.build(workspace, "//beside:stated")
    assert json.loads((made / "stated.report.json").read_text())["arena"] == "shared"
    assert "#define STATED_PAGE_BYTES 16\n" in (made / "stated.h").read_text()
    assert (made / "stated.weights.bin").is_file()
    done = bazel.run(workspace, "build", *BUILD_OPTIONS, "//beside:plain")
    assert done.returncode == 1
    assert 'weights = "external" makes NAME.weights.bin, which the build file does' in done.stderr
    assert "\n  hint: write weights = 'external' there as well\n" in done.stderr


@pytest.mark.parametrize("target", TEST_SETTINGS)
def test_test(
    target: str, bazel: Bazel, package: Package, zoo_model: Callable[[str], Path]
) -> None:
    """A model of 19 kB with pushed rows and a budget, with weights in a file, and on this
    computer."""
    build = TEST.format(model="speech", target=target, settings=TEST_SETTINGS[target])
    folder = package(f"test_{target}", build)
    workspace = folder.parent
    shutil.copy2(zoo_model("speech"), folder / "speech.tflite")
    shutil.copy2(MODELS_FOLDER / "speech" / "vectors.npz", folder)
    bazel.build(workspace, f"//{folder.name}:model_test", command="test")
    log = workspace / "bazel-testlogs" / folder.name / "model_test" / "test.log"
    text = log.read_text()
    assert f"model on {target}: 6 samples equal" in text
    assert bool(re.search(JUDGED, text)) == ("max_cycles" in TEST_SETTINGS[target])


def test_test_that_fails(bazel: Bazel, workspace: Path, package: Package) -> None:
    """One wrong value of 256: it is named."""
    folder = package("fails", TEST.format(model="sine", target="host", settings=""))
    with np.load(SINE / "vectors.npz") as file:
        wrong = dict(file)
    wrong["sine/output"][7] += 1
    np.savez(folder / "vectors.npz", **wrong)
    done = bazel.run(
        workspace, "test", *BUILD_OPTIONS, "--test_output=errors", "//fails:model_test"
    )
    assert done.returncode == 3
    value = int(wrong["sine/output"][7].item())
    where = "model on host: error: sample 7: output 'sine/output'[0, 0]"
    assert f"{where} is {value - 1}, expected {value}\n" in done.stdout


def test_unknown_target(bazel: Bazel, workspace: Path, package: Package) -> None:
    """The words of the command line."""
    package("unknown", TEST.format(model="sine", target="atmega238", settings=""))
    done = bazel.run(workspace, "build", *BUILD_OPTIONS, "//unknown:model")
    assert done.returncode == 1
    assert "\natmega238: error: unknown target 'atmega238', expected one of " in done.stderr
    assert "\n  hint: did you mean 'atmega328'?\n" in done.stderr


def test_platform_without_target(bazel: Bazel, workspace: Path, package: Package) -> None:
    """Nothing is guessed: a microcontroller that names no part is not taken for this computer."""
    bare = 'platform(name = "bare", constraint_values = ["@platforms//os:none"])\n'
    package("bare", bare + TEST.format(model="sine", target="", settings=""))
    done = bazel.run(workspace, "build", *BUILD_OPTIONS, "--platforms=//bare", "//bare:model")
    assert done.returncode == 1
    assert "no matching toolchains found for types @tinyml_rules//tinyml_rules:t" in done.stderr


def test_part_of_ones_own(bazel: Bazel, workspace: Path, package: Package) -> None:
    """A target.toml, a constraint and a toolchain; the family comes from the rules."""
    folder = package("own", OWN_TARGET)
    (folder / "mine").mkdir()
    (folder / "mine" / "target.toml").write_text('description = "mine"\nparent = "atmega328"\n')
    bazel.build(
        workspace,
        *("--platforms=//own:board", "--extra_toolchains=//own:mine_toolchain", "//own:sine"),
    )
    assert "by tinyml_rules for mine." in (workspace / "bazel-bin/own/sine.c").read_text()


def test_two_models(bazel: Bazel, workspace: Path, package: Package) -> None:
    """In one program, beside each other; a header is found with its package's path too."""
    folder = package("two", TWO_MODELS)
    (folder / "main.c").write_text(TWO_MAIN)
    model = (folder / "sine.tflite").read_bytes()
    (folder / "other.tflite").write_bytes(with_other_weight(model))
    bazel.build(workspace, "//two:two_test", command="test")


def test_python_without_packages(bazel: Bazel, workspace: Path, tmp_path: Path) -> None:
    """The error names what is missing, and how to get it."""
    bare = tmp_path / "bare"
    assert run([sys.executable, "-m", "venv", "--without-pip", bare], tmp_path).returncode == 0
    python = bare / "bin" / "python"
    option = f"--repo_env=TINYML_PYTHON={python}"
    done = bazel.run(workspace, "build", *BUILD_OPTIONS, option, "//:sine")
    assert done.returncode == 1
    assert f"{python}: error: this Python has no module 'flatbuffers'\n" in done.stderr
    assert (
        "  hint: pip install flatbuffers jinja2 markupsafe numpy pyelftools tflite" in done.stderr
    )


def test_operators_of_a_users_own(bazel: Bazel, workspace: Path, package: Package) -> None:
    """The files of their folders are inputs: the kernel is in the C, and an edit of it counts."""
    folder = package("knob", OPERATORS)
    example = PROJECT / "examples" / "custom_operator"
    shutil.copy2(example / "knob.tflite", folder)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(example / "operators", folder / "operators", ignore=ignore)
    bazel.build(workspace, "//knob:knob")
    made = workspace / "bazel-bin" / "knob" / "knob.c"
    assert "DEADBAND: values near zero" in made.read_text()
    template = folder / "operators" / "deadband" / "kernels" / "portable.c.j2"
    template.write_text(template.read_text().replace("DEADBAND:", "Deadband:"))
    bazel.build(workspace, "//knob:knob")
    assert "Deadband: values near zero" in made.read_text()


def test_sensor(bazel: Bazel, workspace: Path, package: Package) -> None:
    """The description is an input; an edit of it counts."""
    folder = package("volts", SENSOR)
    shutil.copy2(SINE / "sine.tflite", folder)
    description = '[input]\nraw = "uint8"\nscale = {}\n'
    (folder / "volts.toml").write_text(description.format(0.01))
    bazel.build(workspace, "//volts:sine")
    made = workspace / "bazel-bin" / "volts" / "sine.c"
    before = made.read_text()
    assert "sine_put_raw" in before
    (folder / "volts.toml").write_text(description.format(0.02))
    bazel.build(workspace, "//volts:sine")
    assert made.read_text() != before


def test_manifest(bazel: Bazel, workspace: Path, package: Package) -> None:
    """The rule that its page shows: the model, all that was made of it, and a program."""
    folder = package("built", FIRMWARE + snippet("starlark"))
    write_main(folder, "sine")
    bazel.build(workspace, "//built:manifest")
    manifest = workspace / "bazel-bin" / folder.name / "firmware.manifest.json"
    found = json.loads(manifest.read_text("utf-8"))
    assert [each["name"] for each in found["models"]] == ["sine"]
    assert "cc1" in found["compiler"]["sha256"]
    assert {"firmware", "sine.c", "sine.report.json"} <= set(found["files"])
    assert main(["manifest", "--verify", str(manifest)]) == 0
