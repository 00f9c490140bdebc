"""The wheel holds everything, and the command line works from it in a folder without the source."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.conftest import PROJECT
from tests.frontends.builds import SINE, run
from tinyml_rules import __version__
from tinyml_rules.compiler import compile_model
from tinyml_rules.ops import builtin_operators
from tinyml_rules.request.request import Request
from tinyml_rules.target.target import load_target, target_names


def source_files(folder: Path) -> set[str]:
    """Every file under a folder of the project, as paths from the project's root."""
    return {
        path.relative_to(PROJECT).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def cases_of_tests() -> set[str]:
    """The operators' cases, which only this repository's tests use."""
    ops = PROJECT / "tinyml_rules" / "ops"
    found = {file.relative_to(PROJECT).as_posix() for file in ops.glob("*/*cases.py")}
    return found | source_files(ops / "_shared" / "cases")


def test_contents(wheel: Path) -> None:
    """Every file of the package and every target: templates, kernels, C of firmware and runners;
    nothing that only serves this repository."""
    with zipfile.ZipFile(wheel) as archive:
        contents = set(archive.namelist())
    cases = cases_of_tests()
    assert len(cases) > len(builtin_operators().in_files)
    pages = {name for name in source_files(PROJECT / "tinyml_rules") if name.endswith("README.md")}
    assert "tinyml_rules/plan/README.md" in pages
    package = source_files(PROJECT / "tinyml_rules") - cases - pages
    targets = {f"tinyml_rules/{name}" for name in source_files(PROJECT / "targets")}
    shared = {name for name in contents if ".data/data/share/" in name}
    folders = ("frontends/cmake/*.cmake", "commands/completions/*")
    assert len(shared) == sum(len([*(PROJECT / "tinyml_rules").glob(each)]) for each in folders)
    notes = {name for name in contents if ".dist-info/" in name}
    assert package | targets == contents - notes - shared
    for pattern in (
        *("ops/conv_2d/kernels/portable.c.j2", "emit/templates/model.c.j2", "firmware/port.h"),
        *("emit/runtime/requantize.c.j2", "runners/simavr_runner.c", "runners/qemu_plugin.c"),
        *("cores/dsp/pieces/dot_product.c.j2", "cores/avr/pieces/requantize.j2"),
        *("frontends/scons/tinyml.py", "targets/avr/link.ld", "targets/cortex_m/startup.c"),
    ):
        assert f"tinyml_rules/{pattern}" in contents


def test_version(wheel: Path, installed_python: Path, tmp_path: Path) -> None:
    """One version, in the file's name and in what the installed script says."""
    assert wheel.name == f"tinyml_rules-{__version__}-py3-none-any.whl"
    done = run([installed_python.with_name("tinyml_rules"), "--version"], tmp_path)
    assert done.stdout == f"{__version__}\n"


def test_compile(installed_python: Path, tmp_path: Path) -> None:
    """The same C as from the checkout, and exactly three files."""
    words = ["--target", "atmega328", "--name", "wave", "--out", "out", "--json"]
    model_file = SINE / "sine.tflite"
    done = run(
        [installed_python, "-m", "tinyml_rules", "compile", str(model_file), *words], tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
    expected = compile_model(
        Request(model_file.read_bytes(), "wave", load_target("atmega328"))
    ).outputs
    written = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert written == expected
    assert json.loads(done.stdout) == json.loads(written["wave.report.json"])


def test_ops_and_targets(installed_python: Path, tmp_path: Path) -> None:
    """Folders are found where they were installed."""
    names = {}
    for table in ("ops", "targets"):
        done = run([installed_python, "-m", "tinyml_rules", table, "--json"], tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        key = {"ops": "operator", "targets": "target"}[table]
        names[table] = [row[key] for row in json.loads(done.stdout)]
    assert names["ops"] == [op.title for op in builtin_operators().in_files]
    assert names["targets"] == list(target_names())


def test_programs_of_a_target_can_be_run(installed_python: Path, tmp_path: Path) -> None:
    """The compiler that a target brings along is still a program once it was installed."""
    program = "load_target('xtensa_lx6').toolchain.program('gcc')"
    script = f"from tinyml_rules.target.target import load_target; print({program})"
    compiler = Path(run([installed_python, "-c", script], tmp_path).stdout.strip())
    assert installed_python.parents[1] in compiler.parents
    programs = sorted(compiler.parent.iterdir())
    assert len(programs) == 5
    assert all(each.stat().st_mode & 0o100 for each in programs)


def test_nothing_of_the_checkout_is_used(installed_python: Path, tmp_path: Path) -> None:
    """What these tests run is the installed package."""
    script = "import tinyml_rules; print(tinyml_rules.__file__)"
    done = run([installed_python, "-c", script], tmp_path)
    assert re.search(r"/site-packages/tinyml_rules/__init__\.py$", done.stdout.strip())
    assert f"{PROJECT}/" not in done.stdout  # with its slash, or a short path is found by chance


def test_types_of_a_user(installed_python: Path, tmp_path: Path) -> None:
    """mypy knows the functions, their options and their results from the installed package."""
    (tmp_path / "good.py").write_text(
        "import tinyml_rules as tr\n"
        "def arena(model: bytes) -> int:\n"
        "    made = tr.compile(model, 'atmega328', optimize='size', kernel={3: 'conv_2d'})\n"
        "    found: tr.RunResult = tr.run(made, [[1.0]], profile=True)\n"
        "    return made.report.arena_bytes + (found.cycles or 0) + len(made.layers[0].kernel)\n"
    )
    (tmp_path / "wrong.py").write_text(
        "import tinyml_rules as tr\n"
        "tr.compile('a.tflite', optimize='smal')\n"
        "tr.compile('a.tflite', optimise='size')\n"
        "tr.fit(3)\n"
        "tr.compiel('a.tflite')\n"
    )
    words = ["mypy", "--strict", "--python-executable", str(installed_python)]
    command = [sys.executable, "-m", *words, "good.py", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    wrong = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line.partition(": ")[0] for line in wrong] == [f"wrong.py:{n}" for n in (2, 3, 4, 5)]
