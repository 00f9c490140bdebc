"""The options custom_tinyml_* of platformio.ini: what they mean, and what is said of mistakes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.platformio_builds import PlatformIO, make_project
from tests.frontends.stranger import write_main
from tinyml_rules import __version__
from tinyml_rules.errors import UsageError
from tinyml_rules.frontends.platformio.options import (
    OPTIONS,
    Settings,
    read_settings,
)
from tinyml_rules.frontends.scons.settings import MODEL_VARIABLES
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.conv_2d.cases import conv
from tinyml_rules.target.compilers import TARGETS_OF_MCUS
from tinyml_rules.target.target import target_names

WHERE = "platformio.ini [env:uno]"


def settings(platform: str = "atmelavr", mcu: str = "atmega328p", **options: str) -> Settings:
    """Of an environment with these options, their prefix left out."""
    named = {f"custom_tinyml_{name}": text for name, text in options.items()}
    ini = {"platform": platform, "custom_other": "not ours", **named}
    return read_settings(ini, where=WHERE, platform=platform, mcu=mcu)


def test_every_setting_has_an_option() -> None:
    """The options are the construction variables of the SCons tool, and the models."""
    variables = {option.removeprefix("custom_").upper() for option in OPTIONS}
    assert variables == {*MODEL_VARIABLES, "TINYML_MODELS"}


def test_documentation_names_every_option() -> None:
    """Its own in its table, those of a compilation in the table of all, in this order."""
    page = (PROJECT / "docs" / "build_systems" / "platformio.md").read_text(encoding="utf-8")
    options = (PROJECT / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| `(custom_tinyml_\w+)`", page, re.M)
    found += re.findall(r"`(custom_tinyml_\w+)` \|$", options, re.M)
    assert found == list(OPTIONS)


def test_values() -> None:
    """Words, lists, numbers and switches, in the forms that platformio.ini has."""
    found = settings(
        models="nets/a.tflite\nnets/b c.tflite",
        targets="parts, more",
        target="mine",
        ram="1024",
        page="32",
        push_rows="yes",
        checked="False",
        place="\n1=fast\nconv/Relu=slow",
    )
    assert found.models == ("nets/a.tflite", "nets/b c.tflite")
    assert found.variables == {
        "TINYML_TARGETS": ("parts", "more"),
        "TINYML_TARGET": "mine",
        "TINYML_RAM": 1024,
        "TINYML_PAGE": 32,
        "TINYML_PUSH_ROWS": True,
        "TINYML_CHECKED": False,
        "TINYML_PLACE": ("1=fast", "conv/Relu=slow"),
    }


def test_target_of_a_board() -> None:
    """The processor's, where it is one of ours or a part of the table; this computer's for
    `native`."""
    assert set(TARGETS_OF_MCUS.values()) <= set(target_names())
    assert settings(models="a.tflite").variables == {"TINYML_TARGET": "atmega328"}
    of_table = settings("ststm32", "stm32f446ret6", models="a.tflite")
    assert of_table.variables == {"TINYML_TARGET": "stm32f446ret6"}
    native = settings("native", "", models="a.tflite")
    assert native.variables == {"TINYML_TARGET": "host"}
    stated = settings(models="a.tflite", target="atmega2560")
    assert stated.variables == {"TINYML_TARGET": "atmega2560"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, f"{WHERE}: error: no custom_tinyml_models, expected the .tflite files to compile"),
        (
            {"models": "a.tflite", "shedule": "layer"},
            f"{WHERE}: error: unknown option 'custom_tinyml_shedule', expected one of "
            f"{', '.join(OPTIONS)}\n  hint: did you mean 'custom_tinyml_schedule'?",
        ),
        (
            {"models": "a.tflite, b.tflite", "name": "wave"},
            f"{WHERE}: error: custom_tinyml_name has 1 names for 2 models, expected one for each\n"
            "  hint: without it, each is named after its file",
        ),
        (
            {"models": "a/net.tflite, b/net.tflite"},
            f"{WHERE}: error: a/net.tflite and b/net.tflite are both called 'net'\n"
            "  hint: set custom_tinyml_name to one name for each model",
        ),
        (
            {"models": "a.tflite", "ram": "1g"},
            f"{WHERE} custom_tinyml_ram: error: found '1g', expected a number of bytes "
            "(10k is 10,240) or one of fastest, least",
        ),
        (
            {"models": "a.tflite", "checked": "maybe"},
            f"{WHERE} custom_tinyml_checked: error: found 'maybe', expected yes or no",
        ),
        (
            {"models": "a.tflite", "target": ""},
            f"{WHERE} custom_tinyml_target: error: found nothing, expected a word",
        ),
        (
            {"models": "a.tflite", "mcu": "attiny85"},
            f"{WHERE}: error: no target is known for the mcu 'attiny85'\n"
            "  hint: set custom_tinyml_target; `tinyml_rules targets` lists what there is",
        ),
        (
            {"models": "a.tflite", "mcu": ""},
            f"{WHERE}: error: the board has no build.mcu\n"
            "  hint: set custom_tinyml_target; `tinyml_rules targets` lists what there is",
        ),
    ],
)
def test_mistakes(options: dict[str, str], text: str) -> None:
    """Each is told with its place and what was expected."""
    with pytest.raises(UsageError) as caught:
        settings(**options)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"board": "unheard_of"}, "platformio.ini [env:x]: error: no target is known"),
        ({"custom_tinyml_target": "atmega238"}, "hint: did you mean 'atmega328'?"),
        ({"custom_tinyml_tagret": "host"}, "hint: did you mean 'custom_tinyml_target'?"),
        ({"custom_tinyml_schedule": "never"}, "schedule: error: unknown 'never', expected one of"),
        ({"custom_tinyml_models": "nets/sin.tflite"}, "Source `nets/sin.tflite' not found"),
        ({"extra_scripts": "tinyml.py"}, "hint: write `pre:` before the script in extra_scripts"),
    ],
)
def test_build_that_fails(
    options: dict[str, str], text: str, platformio: PlatformIO, tmp_path: Path
) -> None:
    """The text without a traceback, and no firmware."""
    environment = {"platform": "atmelavr", "board": "uno", **options}
    project = make_project(tmp_path / "project", environments={"x": environment})
    done = platformio.run(project, "run")
    assert text in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 1
    assert not list(project.rglob("*.elf"))


def test_model_that_does_not_fit(platformio: PlatformIO, tmp_path: Path) -> None:
    """What would take less is told as platformio.ini takes it."""
    environment = {
        **{"platform": "atmelavr", "board": "uno"},
        "custom_tinyml_models": "nets/tall.tflite",
    }
    project = make_project(tmp_path / "project", environments={"x": environment})
    tall = conv((1, 40, 32, 2), (3, 3), outputs=2, strides=(2, 2))
    (project / "nets" / "tall.tflite").write_bytes(build_model(tall))
    done = platformio.run(project, "run")
    assert done.returncode == 1
    assert "\n    custom_tinyml_push_rows = yes: " in done.stderr


def test_mistake_is_not_in_the_way_of_cleaning(platformio: PlatformIO, tmp_path: Path) -> None:
    """Nothing is judged where everything is removed."""
    project = make_project(tmp_path / "project", environments={"x": {"platform": "native"}})
    platformio.build(project)
    ini = project / "platformio.ini"
    ini.write_text(ini.read_text().replace("custom_tinyml_models", "custom_tinyml_modles"))
    platformio.build(project, "-t", "clean")
    assert not (project / ".pio" / "build" / "x").exists()


def test_options_reach_the_compiler(platformio: PlatformIO, tmp_path: Path) -> None:
    """A target of the project's own, a name, and weights outside flash."""
    part = tmp_path / "project" / "parts" / "mine"
    environment = {
        "platform": "native",
        "custom_tinyml_name": "wave",
        "custom_tinyml_targets": "parts",
        "custom_tinyml_target": "mine",
        "custom_tinyml_weights": "external",
        "custom_tinyml_page": "32",
    }
    project = make_project(tmp_path / "project", environments={"x": environment})
    part.mkdir(parents=True)
    (part / "target.toml").write_text('description = "mine"\nparent = "host"\n')
    write_main(project / "src", "wave")
    with (project / "src" / "main.c").open("a") as main:
        main.write("void tinyml_read(uint32_t start, void *to, uint16_t size) {}\n")
    platformio.build(project)
    folder = project / ".pio" / "build" / "x" / "tinyml"
    report = json.loads((folder / "wave.model.json").read_text())
    assert report["target"] == "mine"
    assert (folder / "wave.weights.bin").is_file()
    assert "#define WAVE_PAGE_BYTES 32" in (folder / "wave.h").read_text()


def test_package_is_missing(platformio: PlatformIO, tmp_path: Path) -> None:
    """The library says what to install, and with which Python."""
    library = tmp_path / "library"
    package = platformio.packages / "tinyml_rules" / "frontends" / "platformio"
    library.mkdir()
    for name in ("library.json", "extra_script.py"):
        (library / name).write_bytes((package / name).read_bytes())
    project = make_project(tmp_path / "project", environments={"x": {"platform": "native"}})
    ini = project / "platformio.ini"
    script = "extra_scripts = pre:tinyml.py"
    ini.write_text(ini.read_text().replace(script, f"lib_deps = symlink://{library}"))
    # the tests' Python finds this project's package in a file of paths, a person's would not
    hide = f"import sys\nsys.path[:] = [each for each in sys.path if each != {str(PROJECT)!r}]\n"
    (tmp_path / "sitecustomize.py").write_text(hide)
    done = replace(platformio, packages=tmp_path).run(project, "run")
    assert "platformio: error: no module 'tinyml_rules' in the Python" in done.stderr
    assert "-m pip install CLONE, the folder of tinyml_rules\n" in done.stderr
    assert done.returncode == 1


def test_library_has_the_package_version() -> None:
    """PlatformIO shows it in a project's list of libraries."""
    manifest = PROJECT / "tinyml_rules" / "frontends" / "platformio" / "library.json"
    assert json.loads(manifest.read_text())["version"] == __version__
