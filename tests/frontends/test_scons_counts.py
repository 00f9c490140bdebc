"""What is built again in somebody else's firmware of several files, counted; and a build killed at
any moment leaves nothing that a later one trusts wrongly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.frontends.builds import build, copy_project, files_under, with_other_weight, work
from tests.frontends.stranger import BARE_MAIN
from tests.support.hand_written import target_or_skip

SCONSTRUCT = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=["tinyml_rules/frontends/scons"],
    TINYML_TARGET="atmega328",
    CCCOMSTR="CC      $TARGET",
    LINKCOMSTR="LINK    $TARGET",
)
env.Program("fw", ["main.c", "one.c", "two.c", "sine.tflite", "other.tflite"])
"""
UP_TO_DATE = "scons: `.' is up to date.\n"


@pytest.fixture
def firmware(tmp_path: Path) -> Path:
    """A program of three files and two models, and a copy of the rules that may be edited."""
    target_or_skip("atmega328")
    folder = copy_project(tmp_path / "firmware", parts=("tinyml_rules", "targets", "models"))
    model = (folder / "models" / "sine" / "sine.tflite").read_bytes()
    (folder / "sine.tflite").write_bytes(model)
    (folder / "other.tflite").write_bytes(with_other_weight(model))
    (folder / "main.c").write_text(BARE_MAIN)
    for name in ("one", "two"):
        (folder / f"{name}.c").write_text(f'#include "other.h"\nint {name}(void) {{ return 1; }}\n')
    (folder / "SConstruct").write_text(SCONSTRUCT)
    return folder


def steps(folder: Path) -> list[str]:
    """What a build did; the next one does nothing."""
    done = work(build(folder))
    assert build(folder) == UP_TO_DATE
    return done


def test_first_build(firmware: Path) -> None:
    """Every model, object and the link, each once."""
    objects = ("main", "one", "two", "sine", "other", "startup", "memory")
    assert steps(firmware) == sorted(
        [
            *(f"CC {name}.o" for name in objects),
            *("TINYML sine.tflite", "TINYML other.tflite", "LINK fw.elf"),
        ]
    )


def test_weight(firmware: Path) -> None:
    """One weight of one model: exactly this model, its object and the link."""
    build(firmware)
    model = firmware / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    assert steps(firmware) == ["CC sine.o", "LINK fw.elf", "TINYML sine.tflite"]


"""The header has not changed, so no file that includes it is compiled."""


def test_template(firmware: Path) -> None:
    """A template of ours: both models are compiled; only what has other C goes on."""
    build(firmware)
    template = firmware / "tinyml_rules" / "ops" / "lookup" / "kernels" / "portable.c.j2"
    template.write_text(template.read_text() + "{# why #}\n")
    assert steps(firmware) == ["TINYML other.tflite", "TINYML sine.tflite"]
    template.write_text(template.read_text() + "/* why */\n")
    both = ["CC other.o", "CC sine.o", "TINYML other.tflite", "TINYML sine.tflite"]
    assert steps(firmware) == both  # a comment: the objects are the same, so nothing is linked


def test_target_file(firmware: Path) -> None:
    """The part's figures: the models are judged anew and the program is linked anew; a target
    that is not built for concerns nobody."""
    build(firmware)
    for target, concerned in (("nrf52840", False), ("atmega328", True)):
        file = firmware / "targets" / target / "target.toml"
        file.write_text(file.read_text() + "# why\n")
        expected = ["LINK fw.elf", "TINYML other.tflite", "TINYML sine.tflite"]
        done = work(build(firmware))
        assert done == (expected if concerned else [])


def test_header(firmware: Path) -> None:
    """Another shape of the interface reaches every file that includes the header."""
    build(firmware)
    text = (firmware / "SConstruct").read_text()
    (firmware / "SConstruct").write_text(
        text.replace(
            'TINYML_TARGET="atmega328"', 'TINYML_TARGET="atmega328", TINYML_ARENA="shared"'
        )
    )
    done = steps(firmware)
    assert [step for step in done if step.startswith("CC ")] == sorted(
        f"CC {name}.o" for name in ("main", "one", "two", "sine", "other")
    )


def test_touched_but_equal(firmware: Path) -> None:
    """Model, template, module and target file with new dates: nothing at all."""
    build(firmware)
    for name in (
        "sine.tflite",
        "tinyml_rules/model_file/reader.py",
        "targets/atmega328/target.toml",
    ):
        os.utime(firmware / name, (2**31, 2**31))
    assert build(firmware) == UP_TO_DATE


def killed_when(folder: Path, steps: int, *, delay_s: float) -> bool:
    """Start a build and kill its whole process group a moment after it has touched a number of its
    outputs; False if it had ended before."""
    before = dates(folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "SCons", "-Q", "-j8"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while process.poll() is None:
        if sum(date != before[name] for name, date in dates(folder).items()) >= steps:
            time.sleep(delay_s)
            break
    is_running = process.poll() is None
    if is_running:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=60)
    return is_running


def dates(folder: Path) -> dict[str, int]:
    """When each file that a changed weight reaches was written; 0 for one that is being made."""
    names = ("sine.c", "other.c", "sine.o", "other.o", "fw.elf")
    made = folder / "build" / "atmega328"
    places = {name: made / name.split(".")[0] if name != "fw.elf" else folder for name in names}
    files = {name: places[name] / name for name in names}
    found = {}
    for name, file in files.items():
        try:
            found[name] = file.stat().st_mtime_ns
        except FileNotFoundError:
            found[name] = 0
    return found


def test_killed_at_any_moment(firmware: Path) -> None:
    """Weights are changed, the build is killed, the weights are changed back: the next build has
    the bytes of the first one, whatever the killed one left."""
    build(firmware)
    whole = outputs(firmware)
    models = {name: (firmware / name).read_bytes() for name in ("sine.tflite", "other.tflite")}
    changed = {name: with_other_weight(data, mask=3) for name, data in models.items()}
    killed = 0
    for touched in range(1, 6):
        delay_s = 0.02 * (touched % 2)
        write(firmware, changed)
        killed += killed_when(firmware, touched, delay_s=delay_s) and outputs(firmware) != whole
        write(firmware, models)
        build(firmware, "-j8")
        assert outputs(firmware) == whole, f"killed after {touched} outputs"
    assert killed >= 3  # or nothing was tried


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write files by their names."""
    for name, data in files.items():
        (folder / name).write_bytes(data)


def outputs(folder: Path) -> dict[str, bytes]:
    """What the build made beside the sources; not what a killed one wrote apart, to move it into
    its place when all of it is there."""
    kinds = (".o", ".elf", ".c", ".h", ".json", ".su")
    files = {path: data for path, data in files_under(folder).items() if path.endswith(kinds)}
    others = ("tinyml_rules", "/.tinyml-")
    return {
        path: data
        for path, data in files.items()
        if not path.startswith(others[0]) and others[1] not in path
    }
