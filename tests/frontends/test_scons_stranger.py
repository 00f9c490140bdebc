"""Somebody else's SConstruct, with the package installed by pip: `.tflite` is a source suffix."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.builds import SINE, architecture, files_under, has_worked, scons, symbols
from tests.frontends.conftest import Build
from tests.frontends.stranger import (
    BARE_MAIN,
    answers,
    expected_answers,
    other_model,
    write_main,
    write_sconstruct,
)
from tests.support.hand_written import target_or_skip
from tests.support.record_vectors import vectors


def test_program_for_the_host(folder: Path, build_: Build) -> None:
    """Built by the environment's own compiler; its answers are TFLM's."""
    write_main(folder, "sine")
    write_sconstruct(folder, 'env.Program("fw", ["main.c", "sine.tflite"])')
    build_(folder)
    assert answers(folder / "fw") == expected_answers((folder / "sine.tflite").read_bytes())
    assert not has_worked(build_(folder))


def test_program_for_a_part(folder: Path, build_: Build) -> None:
    """The same two sources make a firmware with startup code of the part."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    write_sconstruct(folder, 'env.Program("fw", ["main.c", "sine.tflite"])')
    build_(folder, "target=atmega328")
    assert architecture(folder / "fw.elf") == "Atmel AVR 8-bit"
    assert {"sine_invoke", "sine_arena", "main", "tinyml_reset"} <= symbols(folder / "fw.elf")


def test_settings_of_one_program(folder: Path, build_: Build) -> None:
    """Two programs beside each other, each with settings that the environment does not have."""
    target_or_skip("atmega328")
    for name in ("one", "two"):
        (folder / f"{name}.c").write_text(BARE_MAIN + f"\n#ifndef {name.upper()}\n#error\n#endif\n")
    programs = [
        f'env.Program("{name}", ["{name}.c", sine], CPPDEFINES=["{name.upper()}"])'
        for name in ("one", "two")
    ]
    write_sconstruct(folder, 'sine = env.Object("sine.tflite")', *programs)
    build_(folder, "target=atmega328")
    assert all("sine_invoke" in symbols(folder / f"{name}.elf") for name in ("one", "two"))


def test_library(folder: Path, build_: Build) -> None:
    """A model alone makes a library, which another program links."""
    write_main(folder, "sine")
    library = 'env.StaticLibrary("models", ["sine.tflite"])'
    program = 'env.Program("fw", ["main.c"], LIBS=["models"], LIBPATH=["."])'
    write_sconstruct(folder, library, program)
    build_(folder)
    assert answers(folder / "fw") == expected_answers((folder / "sine.tflite").read_bytes())


def test_two_models_in_one_program(folder: Path, build_: Build) -> None:
    """No symbol of one is in the way of the other."""
    other = other_model(folder, "other.tflite")
    write_main(folder, "sine", "other")
    write_sconstruct(folder, 'env.Program("fw", ["main.c", "sine.tflite", "other.tflite"])')
    build_(folder)
    both = answers(folder / "fw")
    assert both[0::2] == expected_answers((folder / "sine.tflite").read_bytes())
    assert both[1::2] == expected_answers(other)
    assert both[0::2] != both[1::2]


def test_name(folder: Path, build_: Build) -> None:
    """TINYML_NAME is the header's name and every symbol's prefix."""
    write_main(folder, "tone")
    program = 'env.Program("fw", ["main.c", "sine.tflite"])'
    write_sconstruct(folder, program, settings='TINYML_NAME="tone",')
    build_(folder)
    assert answers(folder / "fw") == expected_answers((folder / "sine.tflite").read_bytes())
    assert not any(name.startswith("sine") for name in symbols(folder / "fw"))


def test_model_in_another_folder(folder: Path, build_: Build) -> None:
    """A dash becomes an underscore; the header is found where it is made."""
    (folder / "nets").mkdir()
    (folder / "sine.tflite").rename(folder / "nets" / "my-sine.tflite")
    write_main(folder, "my_sine")
    write_sconstruct(folder, 'env.Program("fw", ["main.c", "nets/my-sine.tflite"])')
    build_(folder)
    model = (folder / "nets" / "my-sine.tflite").read_bytes()
    assert answers(folder / "fw") == expected_answers(model)


@pytest.mark.parametrize("duplicate", [0, 1])
def test_variant_folder(duplicate: int, folder: Path, build_: Build) -> None:
    """Nothing is written beside the sources."""
    source = folder / "src"
    source.mkdir()
    (folder / "sine.tflite").rename(source / "sine.tflite")
    write_main(source, "sine")
    (source / "SConscript").write_text(
        'Import("env")\nenv.Program("fw", ["main.c", "sine.tflite"])\n'
    )
    place = f'variant_dir="out", duplicate={duplicate}'
    write_sconstruct(folder, f'SConscript("src/SConscript", {place}, exports="env")')
    before = files_under(source)
    build_(folder)
    assert files_under(source) == before
    assert answers(folder / "out" / "fw") == expected_answers(before["sine.tflite"])


@pytest.mark.parametrize("target", ["host", "atmega328", "lm3s6965"])
def test_tests(target: str, folder: Path, build_: Build) -> None:
    """Of two models: each runs on the part's runner, leaves a stamp, and does not run again."""
    target_or_skip(target)
    shutil.copy2(SINE / "vectors.npz", folder)
    other = other_model(folder, "other.tflite")
    np.savez(folder / "other.npz", **vectors(other, "other"))  # type: ignore[arg-type]
    write_sconstruct(
        folder,
        'env.TinymlTest("sine_test", "sine.tflite", vectors="vectors.npz")',
        'env.TinymlTest("other_test", "other.tflite", vectors="other.npz")',
    )
    build_(folder, f"target={target}")
    for name in ("sine", "other"):
        stamp = folder / "build" / target / name / f"{name}_test.passed"
        assert stamp.read_text().startswith(f"{name} on {target}: 256 samples equal")
    assert not has_worked(build_(folder, f"target={target}"))


def test_test_that_fails(folder: Path, installed_python: Path) -> None:
    """One wrong value: it is named, scons fails, and there is no stamp."""
    with np.load(SINE / "vectors.npz") as file:
        wrong = dict(file)
    wrong["sine/output"][7] += 1
    np.savez(folder / "vectors.npz", **wrong)
    write_sconstruct(folder, 'env.TinymlTest("sine_test", "sine.tflite", vectors="vectors.npz")')
    done = scons(folder, python=installed_python)
    value = int(wrong["sine/output"][7].item())
    assert done.stderr == (
        f"sine on host: error: sample 7: output 'sine/output'[0, 0] is {value - 1}, "
        f"expected {value}\n"
        "scons: *** [build/host/sine/sine_test.passed] Error 1\n"
    )
    assert done.returncode == 2
    assert not (folder / "build" / "host" / "sine" / "sine_test.passed").exists()


def test_unknown_target(folder: Path, installed_python: Path) -> None:
    """The same words as from the command line, and no traceback."""
    write_sconstruct(folder, 'env.Program("fw", ["main.c", "sine.tflite"])')
    done = scons(folder, "target=atmega238", python=installed_python)
    assert done.stderr.startswith(
        "\nscons: *** atmega238: error: unknown target 'atmega238', expected"
    )
    assert "  hint: did you mean 'atmega328'?\n" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2


def test_part_of_ones_own(folder: Path, build_: Build, installed_python: Path) -> None:
    """Found through TINYML_TARGETS; a change of its memory links again, and may no longer fit."""
    target_or_skip("atmega328")
    part = folder / "parts" / "mine"
    part.mkdir(parents=True)
    text = 'description = "mine"\nparent = "atmega328"\n[memory]\nflash = {{ bytes = {} }}\n'
    (part / "target.toml").write_text(text.format(16_384))
    (folder / "main.c").write_text(BARE_MAIN)
    program = 'env.Program("fw", ["main.c", "sine.tflite"])'
    write_sconstruct(folder, program, settings='TINYML_TARGETS=["parts"],')
    build_(folder, "target=mine")
    assert not has_worked(build_(folder, "target=mine"))
    (part / "target.toml").write_text(text.format(300))
    done = scons(folder, "target=mine", python=installed_python)
    assert "region `flash'" in done.stderr
    assert done.returncode == 2
    assert not (folder / "fw.elf").exists()
