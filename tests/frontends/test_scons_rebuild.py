"""What is built again after which edit, what a cache brings back, and that bytes never differ."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.frontends.builds import (
    SINE,
    build,
    copy_project,
    files_under,
    has_worked,
    run,
    with_other_weight,
    work,
)
from tests.support.hand_written import target_or_skip
from tests.support.once import made_once
from tinyml_rules.system.sources import accuracy_files, compiler_files, quantizer_files

UP_TO_DATE = "scons: `build/host/sine/sine.report.json' is up to date.\n"
TEMPLATE = "tinyml_rules/ops/lookup/kernels/portable.c.j2"


@pytest.fixture(scope="session")
def built_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A copy of the project in which the sine was built for the host."""

    def make(place: Path) -> None:
        folder = copy_project(place / "copy")
        build(folder)
        assert build(folder) == UP_TO_DATE

    return made_once(tmp_path_factory, worker_id, "built project", make) / "copy"


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Path:
    """The same for a test to edit: SCons compares contents, so that it may be elsewhere."""
    return Path(shutil.copytree(built_once, tmp_path / "copy"))


def test_a_moved_build(built: Path) -> None:
    """In another folder nothing is left to do either."""
    assert build(built) == UP_TO_DATE


def append(file: Path, text: str) -> None:
    """Add text to the end of a file."""
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_touch(built: Path) -> None:
    """A newer date alone is no change: of the model, a template, a module."""
    for name in ("models/sine/sine.tflite", TEMPLATE, "tinyml_rules/compiler.py"):
        os.utime(built / name, (2**31, 2**31))
    assert build(built) == UP_TO_DATE


def test_weight(built: Path) -> None:
    """The model's C, its object, the link and the report; the header and main() are the same."""
    model = built / "models" / "sine" / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    assert work(build(built)) == [
        *("CC sine.o", "LINK sine.elf", "MAIN minimal_main.c"),
        *("REPORT sine.report.json", "TINYML sine.tflite"),
    ]
    assert build(built) == UP_TO_DATE


def test_comment_for_people_in_a_template(built: Path) -> None:
    """The model is compiled again; the C is the same, so nothing follows."""
    append(built / TEMPLATE, "{# why #}")
    assert work(build(built)) == ["TINYML sine.tflite"]
    assert build(built) == UP_TO_DATE


def test_comment_in_the_c_of_a_template(built: Path) -> None:
    """The object is made again; it is the same, so nothing follows."""
    append(built / TEMPLATE, "/* why */\n")
    assert work(build(built)) == ["CC sine.o", "TINYML sine.tflite"]
    assert "/* why */" in (built / "build" / "host" / "sine" / "sine.c").read_text()


@pytest.mark.parametrize(
    "module", ["model_file/reader.py", "ops/softmax/op.py", "frontends/scons/model.py"]
)
def test_edit_of_the_compiler(module: str, built: Path) -> None:
    """Every module that a model goes through counts, operators' and front end's too."""
    append(built / "tinyml_rules" / module, "\n# why\n")
    assert work(build(built)) == ["TINYML sine.tflite"]


@pytest.mark.parametrize(
    "module",
    [
        *("cli.py", "../models/zoo.py", "runners/model.py", "runners/outputs.py"),
        *("runners/qemu.py", "runners/qemu_plugin.c"),
    ],
)
def test_edit_beside_the_compiler(module: str, built: Path) -> None:
    """A firmware does not depend on what runs it or shows it."""
    append(built / "tinyml_rules" / module, "\n")
    assert build(built) == UP_TO_DATE


def test_edit_of_a_runner(built: Path) -> None:
    """What was run is run again, and nothing is compiled or linked."""
    build(built, "run", "test")
    append(built / "tinyml_rules" / "runners" / "host.py", "\n# why\n")
    again = work(build(built, "run", "test"))
    assert again == ["RUN sine.run.json", "TEST sine_test.passed"]


def test_edit_of_startup_code(built: Path) -> None:
    """A new object and a new link, with the model's C left alone."""
    target_or_skip("atmega328")
    build(built, "target=atmega328")
    append(built / "targets" / "avr" / "startup.c", "int tinyml_unused;\n")
    done = work(build(built, "target=atmega328"))
    assert "CC startup.o" in done
    assert "LINK sine.elf" in done
    assert not [step for step in done if step.startswith("TINYML")]


def test_edit_of_the_parts_memory(built: Path) -> None:
    """The figures in the report follow."""
    target_or_skip("atmega328")
    build(built, "target=atmega328")
    file = built / "targets" / "atmega328" / "target.toml"
    file.write_text(file.read_text().replace("32_768", "16_384"))
    done = work(build(built, "target=atmega328"))
    assert {"LINK sine.elf", "REPORT sine.report.json"} <= set(done)
    report = built / "build" / "atmega328" / "sine" / "sine.report.json"
    assert '"target_flash_bytes": 16384' in report.read_text()


@pytest.mark.parametrize("target", ["host", "atmega328", "nrf52840"])
def test_two_folders_and_many_jobs(target: str, tmp_path: Path) -> None:
    """Another path and -j8 change no byte of what is built and run.

    Left out are the linker's maps, which name its script by its full path.
    """
    target_or_skip(target)
    contents = []
    for path, jobs in (("here", "-j1"), ("some where else/deeper", "-j8")):
        folder = copy_project(tmp_path / path)
        build(folder, jobs, f"target={target}", "run", "test")
        contents.append(files_under(folder / "build" / target))
    first, second = contents
    assert first.keys() == second.keys()
    differ = [name for name in first if first[name] != second[name]]
    assert [name for name in differ if not name.endswith(".map")] == []
    assert {"sine/sine.elf", "sine/sine.report.json", "sine/sine_test.elf"} <= first.keys()


@pytest.mark.parametrize("target", ["host", "atmega328", "nrf52840"])
def test_cache_for_the_project(target: str, tmp_path: Path) -> None:
    """A clone in another folder takes every file from the cache, and has the same files."""
    target_or_skip(target)
    folders = [copy_project(tmp_path / name) for name in ("first", "second clone")]
    for folder in folders:
        append(folder / "SConstruct", f'CacheDir("{tmp_path}/cache")\n')
    words = (f"target={target}", "test")
    assert has_worked(build(folders[0], *words))
    output = build(folders[1], *words)
    assert not has_worked(output)
    assert work(output) == []
    assert "Retrieved `build/" in output
    where = f"build/{target}/sine"
    assert files_under(folders[1] / where) == files_under(folders[0] / where)


STRANGER = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET=ARGUMENTS["target"],
)
CacheDir("../cache")
env.Program("fw", ["main.c", "sine.tflite"])
env.TinymlFirmware("sine.tflite")
env.TinymlTest("sine_test", "sine.tflite", vectors="vectors.npz")
"""


@pytest.mark.parametrize("target", ["host", "atmega328"])
def test_cache_for_a_stranger(target: str, tmp_path: Path, installed_python: Path) -> None:
    """Program, firmware and test in another clone: all of it is retrieved."""
    target_or_skip(target)
    outputs = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        for file in ("sine.tflite", "vectors.npz"):
            (folder / file).write_bytes((SINE / file).read_bytes())
        (folder / "main.c").write_text('#include "sine.h"\nint main(void) { sine_invoke(); }\n')
        (folder / "SConstruct").write_text(STRANGER)
        outputs.append(build(folder, f"target={target}", python=installed_python))
    assert has_worked(outputs[0])
    assert not has_worked(outputs[1])
    first, second = (files_under(tmp_path / name) for name in ("first", "second"))
    assert {f"build/{target}/sine/sine_test.passed", f"build/{target}/sine/sine.o"} <= second.keys()
    assert all(first[name] == second[name] for name in second)


@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("compiler", compiler_files()),
        ("accuracy.run", accuracy_files()),
        ("quantizer.quantize", quantizer_files()),
    ],
)
def test_everything_that_a_step_loads_counts(module: str, files: tuple[str, ...]) -> None:
    """A module that a step loads, and that nothing made by it depends on, would be missed."""
    script = (
        f"import sys, tinyml_rules.{module}, tinyml_rules.ops as ops; ops.builtin_operators();"
        "print(*(module.__file__ for name, module in sys.modules.items()"
        " if name.startswith('tinyml_rules')), sep='\\n')"
    )
    done = run([sys.executable, "-c", script], PROJECT)
    loaded = {name for name in done.stdout.split() if Path(name).read_text().count("\n") > 1}
    assert len(loaded) > 30
    assert loaded - set(files) == set()
    assert all(Path(file).is_file() for file in files)
