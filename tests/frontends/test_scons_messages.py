"""What a build says: a line for each model, why it is built, and for editors how."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.frontends.builds import build, copy_project, run, scons, with_other_weight
from tests.frontends.conftest import Build
from tests.frontends.stranger import BARE_MAIN, write_sconstruct
from tests.support.hand_written import target_or_skip
from tinyml_rules.model_file.writer import build_model
from tinyml_rules.ops.fully_connected.cases import CASES as FULLY_CONNECTED

PROGRAM = 'env.Program("fw", ["main.c", "sine.tflite"])'
LINE = "TINYML  sine.tflite → atmega328: {constants} B constants, {ram} B RAM\n"


@pytest.fixture
def firmware(folder: Path) -> Path:
    """A folder with a program for a part."""
    target_or_skip("atmega328")
    (folder / "main.c").write_text(BARE_MAIN)
    write_sconstruct(folder, PROGRAM, 'env.TinymlFirmware("sine.tflite")')
    return folder


def test_line_of_a_model(firmware: Path, build_: Build) -> None:
    """Its figures are those of its report; a firmware's are of the linked image."""
    printed = build_(firmware, "target=atmega328")
    where = firmware / "build" / "atmega328" / "sine"
    report = json.loads((where / "sine.report.json").read_text())
    line = LINE.format(constants=report["constant_bytes"], ram=report["model_ram_bytes"])
    assert printed.count(line) == 1  # for the program and for the firmware beside it
    flash = f"{report['flash_bytes']} B flash"
    ram = f"{report['ram_bytes']} B RAM, {report['stack_bytes']} B of it stack"
    link = f"LINK    build/atmega328/sine/sine.elf: {flash}, {ram}\n"
    assert printed.count(link) == 1


def test_ascii(firmware: Path, installed_python: Path) -> None:
    """A terminal that has no arrow gets another one."""
    command: list[str | Path] = [installed_python, "-m", "SCons", "-Q", "target=atmega328"]
    done = run(command, firmware, variables={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "TINYML  sine.tflite -> atmega328: " in done.stdout


def test_nothing_is_said(firmware: Path, build_: Build) -> None:
    """-s is silent; an empty message is none; -n tells what would be done, without figures."""
    assert "TINYML  sine.tflite → atmega328\n" in build_(firmware, "target=atmega328", "-n")
    assert build_(firmware, "target=atmega328", "-s") == ""
    build_(firmware, "target=atmega328", "-c")
    write_sconstruct(firmware, PROGRAM, settings='TINYML_COMSTR="", CCCOMSTR="C $TARGET",')
    printed = build_(firmware, "target=atmega328")
    assert "TINYML  " not in printed
    assert "C build/atmega328/sine/sine.o\n" in printed


def test_message_of_ones_own(firmware: Path, build_: Build) -> None:
    write_sconstruct(firmware, PROGRAM, settings='TINYML_COMSTR="$SOURCE${TINYML_FIGURES}.",')
    printed = build_(firmware, "target=atmega328")
    assert re.search(r"^sine\.tflite: \d+ B constants, \d+ B RAM\.$", printed, re.M)


def explained(folder: Path) -> str:
    """What --debug=explain says of the model's C."""
    printed = build(folder, "target=atmega328", "--debug=explain")
    (reason,) = re.findall(r"rebuilding `build/atmega328/sine/sine\.c' because (.*)\n", printed)
    return str(reason)


def test_explain(tmp_path: Path) -> None:
    """What was edited is named: the model, the part, and of the compiler the room."""
    target_or_skip("atmega328")
    project = copy_project(tmp_path / "copy")
    build(project, "target=atmega328")
    model = project / "models" / "sine" / "sine.tflite"
    model.write_bytes(with_other_weight(model.read_bytes()))
    assert explained(project) == "`models/sine/sine.tflite' changed"
    for name, comment, named in (
        ("tinyml_rules/model_file/reader.py", "# why\n", "tinyml_rules/model_file"),
        ("tinyml_rules/ops/lookup/kernels/portable.c.j2", "{# why #}\n", "tinyml_rules/ops"),
        ("tinyml_rules/compiler.py", "# why\n", "tinyml_rules/compiler.py"),
        ("targets/avr/target.toml", "# why\n", "targets/avr/target.toml"),
    ):
        file = project / name
        file.write_text(file.read_text() + comment)
        assert explained(project) == f"`{named}' changed"


def compiled_files(database: Path) -> set[str]:
    """The files of a compilation database, after each was compiled by its own command."""
    entries = json.loads(database.read_text())
    for entry in entries:
        done = run(["sh", "-c", f"{entry['command']} -fsyntax-only"], Path(entry["directory"]))
        assert done.returncode == 0, done.stderr
    return {Path(entry["file"]).name for entry in entries}


def test_compilation_database(firmware: Path, build_: Build) -> None:
    """SCons's own tool knows the generated C and the commands that compile it."""
    tool = 'env.Tool("compilation_db")\nenv.CompilationDatabase()'
    write_sconstruct(firmware, tool, PROGRAM)
    build_(firmware, "target=atmega328")
    expected = {"main.c", "sine.c", "startup.c", "memory.c"}
    assert compiled_files(firmware / "compile_commands.json") == expected


def test_compilation_database_of_the_project(tmp_path: Path) -> None:
    """`scons compile_commands` for what the other words of the command line would build."""
    target_or_skip("atmega328")
    project = copy_project(tmp_path / "copy")
    build(project, "target=atmega328", "build", "compile_commands")
    expected = {"minimal_main.c", "sine.c", "startup.c", "memory.c"}
    assert compiled_files(project / "compile_commands.json") == expected


def test_broken_model(firmware: Path, installed_python: Path) -> None:
    """One line that names it, no line of figures, and nothing half-written."""
    (firmware / "sine.tflite").write_bytes((firmware / "sine.tflite").read_bytes()[:1500])
    done = scons(firmware, "target=atmega328", python=installed_python)
    assert re.match(r"sine: error: .+\nscons: \*\*\* \[.*sine\.c\] Error 1\n$", done.stderr)
    assert "TINYML  " not in done.stdout
    assert not [file.name for file in firmware.rglob("sine.*") if file.suffix != ".tflite"]


def test_warning(firmware: Path, installed_python: Path) -> None:
    """It names model and node on standard error; the build goes on."""
    wrapping = build_model(FULLY_CONNECTED["sums_wrap"].model)
    (firmware / "sine.tflite").write_bytes(wrapping)
    done = scons(firmware, "target=atmega328", python=installed_python)
    assert done.returncode == 0
    line = r"sine: node 0 \(fully_connected\): warning: the sum of output 4 can reach \d+, .+\n"
    assert re.search(rf"^{line}  hint: so it does in TFLM; .+$", done.stderr, re.M)
    report = json.loads(
        (firmware / "build" / "atmega328" / "sine" / "sine.report.json").read_text()
    )
    assert report["warnings"][0] in done.stderr


def test_environments_of_one_target(firmware: Path, installed_python: Path) -> None:
    """What two environments ask for alike is made once, without a word from SCons; a warning of the
    model comes once, although it has further outputs with other settings."""
    (firmware / "sine.tflite").write_bytes(build_model(FULLY_CONNECTED["sums_wrap"].model))
    asked = 'env.TinymlModel("sine.tflite")\nenv.TinymlFirmware("sine.tflite")\n'
    other = 'env.TinymlModel("sine.tflite", folder="small", TINYML_OPTIMIZE="size")\n'
    write_sconstruct(firmware, asked, other)
    text = (firmware / "SConstruct").read_text()
    (firmware / "SConstruct").write_text(text + text)
    done = scons(firmware, "target=atmega328", python=installed_python)
    assert done.returncode == 0
    assert "Two different environments" not in done.stderr
    assert done.stderr.count("warning: ") == 1
    assert done.stdout.count("TINYML  sine.tflite") == 2
    changed = text.replace('"tinyml"],', '"tinyml"], TINYML_OPTIMIZE="speed",')
    (firmware / "SConstruct").write_text(text + changed)
    done = scons(firmware, "target=atmega328", python=installed_python)
    assert "Two environments with different actions" in done.stderr
    assert done.returncode == 2
