"""The builders in somebody else's SConstruct: libraries, tables, and the settings of one call."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.frontends.builds import SINE, architecture, has_worked, scons, work
from tests.frontends.conftest import Build
from tests.frontends.stranger import (
    BARE_MAIN,
    answers,
    expected_answers,
    other_model,
    write_main,
    write_sconstruct,
)
from tests.support.available import available_targets
from tests.support.hand_written import target_or_skip
from tinyml_rules.lower.choice import Optimize
from tinyml_rules.request.request import Request
from tinyml_rules.worst_case.inference import worst_case_of

TARGETS = ("atmega328", "nrf52840")


def test_library_of_two(folder: Path, build_: Build) -> None:
    """One library of both models; the program beside it finds the headers and links it."""
    other = other_model(folder, "other.tflite")
    write_main(folder, "sine", "other")
    write_sconstruct(
        folder,
        'models = env.TinymlLibrary("models", ["sine.tflite", "other.tflite"])',
        'env.Program("fw", ["main.c", models])',
    )
    build_(folder)
    assert (folder / "build" / "host" / "libmodels.a").is_file()
    both = answers(folder / "fw")
    assert both[0::2] == expected_answers((folder / "sine.tflite").read_bytes())
    assert both[1::2] == expected_answers(other)
    assert not has_worked(build_(folder))


def test_library_for_a_part(folder: Path, build_: Build) -> None:
    """The stack of functions that come from the library is known, or there would be no bound."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    write_sconstruct(
        folder,
        'env.TinymlLibrary("models", "sine.tflite")',
        'env.Program("fw", ["main.c"], LIBS=["models"], LIBPATH=["build/atmega328"])',
    )
    assert "not checked" not in build_(folder, "target=atmega328")
    (folder / "build" / "atmega328" / "sine" / "sine.su").unlink()
    (folder / "main.c").write_text(BARE_MAIN + "\n")
    assert "not checked" not in build_(folder, "target=atmega328")


def test_settings_of_one_call(folder: Path, build_: Build) -> None:
    """Three firmwares from one environment: two parts, and one with another schedule and name."""
    for target in TARGETS:
        target_or_skip(target)
    write_sconstruct(
        folder,
        'env.TinymlFirmware("sine.tflite", TINYML_TARGET="atmega328")',
        'env.TinymlFirmware("sine.tflite", TINYML_TARGET="nrf52840")',
        'env.TinymlFirmware("sine.tflite", TINYML_TARGET="nrf52840", TINYML_NAME="tone")',
    )
    build_(folder)
    where = folder / "build"
    assert architecture(where / "atmega328" / "sine" / "sine.elf") == "Atmel AVR 8-bit"
    assert architecture(where / "nrf52840" / "sine" / "sine.elf") == "ARM"
    assert "tone_invoke" in (where / "nrf52840" / "tone" / "tone.h").read_text()
    assert not has_worked(build_(folder))


@pytest.mark.parametrize("ending", ["md", "txt", "json"])
def test_report(ending: str, folder: Path, build_: Build) -> None:
    """A table of two models on two parts, with the figures of their own reports."""
    for target in TARGETS:
        target_or_skip(target)
    other_model(folder, "other.tflite")
    write_sconstruct(
        folder,
        'fw = env.TinymlFirmware("sine.tflite", TINYML_TARGET="nrf52840")',
        f'env.TinymlReport("sizes.{ending}", ["other.tflite", fw], TINYML_TARGET="atmega328")',
    )
    build_(folder)
    text = (folder / f"sizes.{ending}").read_text()
    for target, name in (("atmega328", "other"), ("nrf52840", "sine")):
        file = folder / "build" / target / name / f"{name}.report.json"
        report = json.loads(file.read_text())
        keys = ("flash_bytes", "ram_bytes", "stack_bytes", "arena_bytes", "constant_bytes", "macs")
        if ending == "json":
            row = next(each for each in json.loads(text) if each["model"] == name)
            assert row == {"model": name, "target": target, **{key: report[key] for key in keys}}
        else:
            (line,) = [each for each in text.splitlines() if target in each]
            cells = line.replace("|", " ").split()
            assert cells == [name, target, *(f"{report[key]:,}" for key in keys)]


@pytest.mark.parametrize(
    ("builder", "variable", "word"),
    [
        ("firmware", "FLASH", "flash"),
        ("firmware", "RAM", "RAM"),
        ("program", "FLASH", "flash"),
        ("program", "RAM", "RAM"),
        ("program", "STACK", "stack"),
    ],
)
def test_limits(
    builder: str, variable: str, word: str, folder: Path, installed_python: Path
) -> None:
    """A firmware that takes one byte more than it may is not built; with that byte it is."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    line = {
        "firmware": 'env.TinymlFirmware("sine.tflite")',
        "program": 'env.Program("fw", ["main.c", "sine.tflite"])',
    }[builder]
    write_sconstruct(folder, line, settings=f"TINYML_MAX_{variable}=int(ARGUMENTS['most']),")

    def told(most: int) -> str:
        done = scons(folder, "target=atmega328", f"most={most}", python=installed_python)
        assert not list(folder.rglob("*.elf")) or done.returncode == 0
        return done.stderr

    below = 300 if variable == "FLASH" else 1  # of constants it would be told before the link
    needed = int(told(below).split(" bytes of ")[0].split()[-1].replace(",", ""))
    assert (
        f"takes {needed:,} bytes of {word}, 1 more than TINYML_MAX_{variable}={needed - 1}; "
        "largest: "
    ) in told(needed - 1)
    assert told(needed) == ""


@pytest.mark.parametrize(
    ("budget", "values", "what"),
    [
        ("MAX_CYCLES", ("18", "19"), "takes 19 cycles, 1 more than TINYML_MAX_CYCLES=18"),
        (
            *("MAX_ENERGY", ("60 nJ", "0.1 uJ")),
            "takes about 0.0617 microjoules, 0.00175 more than TINYML_MAX_ENERGY=0.06",
        ),
    ],
)
def test_limit_of_a_run(
    budget: str, values: tuple[str, str], what: str, folder: Path, installed_python: Path
) -> None:
    """A test whose slowest inference takes more than it may does not pass, though every byte is
    right; another budget is judged anew, and no firmware is made for it."""
    target_or_skip("atmega328")
    too_little, enough = values
    line = 'env.TinymlTest("right", "sine.tflite", "vectors.npz")'
    shutil.copy2(SINE / "vectors.npz", folder)
    write_sconstruct(folder, line, settings=f"TINYML_{budget}=ARGUMENTS['most'],")
    done = scons(folder, "target=atmega328", f"most={too_little}", python=installed_python)
    assert done.returncode == 2
    assert f"sine: error: {what}; largest: node 2 (LOOKUP) with " in done.stderr
    assert not list(folder.rglob("*.passed"))
    done = scons(folder, "target=atmega328", f"most={enough}", python=installed_python)
    assert (done.returncode, done.stderr) == (0, "")
    assert not re.search(r"-gcc .* -c ", done.stdout)
    assert list(folder.rglob("*.passed"))


def test_limit_for_all_inputs(folder: Path, installed_python: Path) -> None:
    """The inputs of a test take less than a budget that a slower one would break: the bound judges
    it, and the build says so; without a bound, it says that too."""
    target = target_or_skip("atmega328")
    model = (folder / "sine.tflite").read_bytes()
    most = worst_case_of(Request(model, "sine", target, optimize=Optimize.LAYERS)).cycles
    shutil.copy2(SINE / "vectors.npz", folder)
    settings = "TINYML_OPTIMIZE='layers', TINYML_MAX_CYCLES=ARGUMENTS['most'],"
    write_sconstruct(
        folder, 'env.TinymlTest("right", "sine.tflite", "vectors.npz")', settings=settings
    )
    done = scons(folder, "target=atmega328", f"most={most - 1}", python=installed_python)
    assert done.returncode == 2
    told = f"takes {most:,} cycles at most, a bound, 1 more than TINYML_MAX_CYCLES={most - 1}"
    assert told in done.stderr
    assert not list(folder.rglob("*.passed"))
    done = scons(folder, "target=atmega328", f"most={most}", python=installed_python)
    judged = f"budget of cycles: judged for all inputs, {most:,} cycles at most"
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(rf"^TEST .*: {judged}$", done.stdout, re.M)
    (passed,) = folder.rglob("*.passed")
    assert judged in passed.read_text()


def test_unknown_setting(folder: Path, installed_python: Path) -> None:
    """In the environment, in env.Tool and in a call: one line that suggests the right one."""
    hint = "unknown construction variable 'TINYML_SHEDULE'\n  hint: did you mean 'TINYML_SCHEDULE'?"
    write_sconstruct(folder, settings='TINYML_SHEDULE="auto",')
    tool = 'toolpath=[PyPackageDir("tinyml_rules.frontends.scons")], TINYML_SHEDULE="auto"'
    texts = [(folder / "SConstruct").read_text(), f'Environment().Tool("tinyml", {tool})\n']
    write_sconstruct(folder, 'env.TinymlModel("sine.tflite", TINYML_SHEDULE="auto")')
    texts.append((folder / "SConstruct").read_text())
    for text in texts:
        (folder / "SConstruct").write_text(text)
        done = scons(folder, python=installed_python)
        assert hint in done.stderr, text
        assert "Traceback" not in done.stderr
        assert done.returncode == 2


def test_all_targets_in_one_build(folder: Path, build_: Build) -> None:
    """Every part whose tools are here, from one SConstruct and with many jobs."""
    write_sconstruct(
        folder,
        "for part in ARGUMENTS['parts'].split(','):",
        '    env.TinymlTest("passed", "sine.tflite", "vectors.npz", TINYML_TARGET=part)',
    )
    (folder / "vectors.npz").write_bytes((SINE / "vectors.npz").read_bytes())
    parts = available_targets()
    build_(folder, f"parts={','.join(parts)}", "-j8")
    for part in parts:
        stamp = folder / "build" / part / "sine" / "passed.passed"
        assert stamp.read_text().startswith(f"sine on {part}: 256 samples equal")


def test_one_object_of_startup_code(folder: Path, build_: Build) -> None:
    """Programs beside each other share it; the build says once that it is made."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    programs = [f'env.Program("{name}", ["main.c", "sine.tflite"])' for name in ("one", "two")]
    write_sconstruct(folder, *programs, settings='CCCOMSTR="CC  $TARGET",')
    done = work(build_(folder, "target=atmega328"))
    assert done.count("CC startup.o") == 1
