"""The ways in: each writes one project that compiles all samples, and builds it.

A way is a function of a folder that has the models (`write_project`); it returns where the outcome
of each sample is, by its name.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.conftest import PROJECT
from tests.frontends.builds import BUILD_PARTS, Done, copy_project, run, scons
from tests.frontends.rtthread_builds import make_board
from tests.ways_in.samples import (
    SAMPLES,
    TARGET,
    TOGETHER,
    Sample,
    words_of_command_line,
    write_project,
)
from tinyml_rules.cli import main
from tinyml_rules.request.option import Kind
from tinyml_rules.request.options import OPTIONS

Places = dict[str, Path]
"""By the name of a sample, the folder of its files."""
HERE = {"PYTHONPATH": str(PROJECT)}
"""What makes this checkout the installed package."""

_SCONS = """\
env = Environment(
    tools=["default", "tinyml"],
    toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
    TINYML_TARGET={target!r},
)
for model, name, settings in {calls!r}:
    env.TinymlModel(model, "scons/" + name, TINYML_NAME=name, **settings)
"""
_RTTHREAD = """\
from building import *

for model, name, settings in {calls!r}:
    env = Env.Clone(
        tools=["tinyml"],
        toolpath=[PyPackageDir("tinyml_rules.frontends.scons")],
        TINYML_TARGET={target!r},
        TINYML_NAME=name,
        **settings,
    )
    env.TinymlModel(model, name)
Return()
"""
_PLATFORMIO = """\
from tinyml_rules.frontends.platformio.models import _compile
from tinyml_rules.frontends.platformio.options import read_settings

for name, options in {calls!r}:
    project = Environment(PROJECT_DIR=Dir("."), BUILD_DIR=Dir("pio/" + name))
    _compile(project, read_settings(options, where=name, platform="native", mcu=""))
"""
_CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(every_option C)
find_package(TinymlRules REQUIRED NO_CMAKE_FIND_ROOT_PATH)
{calls}
add_custom_target(models DEPENDS {names})
"""
_MAKE = """\
TINYML := {python} -m tinyml_rules
include $(shell $(TINYML) where make)/tinyml.mk
{calls}
all: $(TINYML_SOURCES)
"""
_MESON_TARGET = """\
custom_target('{name}',
  input: '{model}',
  output: [{outputs}],
  depfile: '{name}.d',
  build_by_default: true,
  command: [python, '-m', 'tinyml_rules', 'compile', '@INPUT@', '--target', '{target}',
    '--name', '{name}', '--line', '--out', '@OUTDIR@', '--depfile', '@DEPFILE@', {words}],
)
"""
_COMPILATIONS = re.compile(r"^(?:cd (\S+) && )?.* -m tinyml_rules (compile .*?)(?: && .*)?$", re.M)


def must(done: Done) -> str:
    """Nothing may go wrong; returns what was printed."""
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def start_here(commands: str, folder: Path) -> None:
    """Compilations among the lines of a shell that a build would run, one after another in this
    process: to start Python takes longer than to compile."""
    for place, words in _COMPILATIONS.findall(commands):
        with contextlib.chdir(folder / place):
            assert main(shlex.split(words)) == 0, words


def text_of(value: Any, between: str = "\n") -> str:
    """A value as a settings file or `name=value` has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return between.join(value) if isinstance(value, list) else str(value)


def _variables(options: Mapping[str, Any]) -> dict[str, Any]:
    return {f"TINYML_{name.upper()}": value for name, value in options.items()}


def through_options_file(folder: Path) -> Places:
    """A file of options for each sample, for the command line."""
    for each in SAMPLES:
        lines = [f"{name} = {json.dumps(value)}\n" for name, value in each.options.items()]
        file = folder / f"{each.name}.toml"
        file.write_text("".join(lines), encoding="utf-8")
        words = ["compile", str(folder / each.model), "--target", TARGET]
        words += ["--name", each.name, "--options", str(file), "--quiet"]
        assert main([*words, "--out", str(folder / "out")]) == 0, each
    return {each.name: folder / "out" for each in SAMPLES}


def through_scons(folder: Path) -> Places:
    """Construction variables of one call."""
    calls = [(each.model, each.name, _variables(each.options)) for each in SAMPLES]
    script = folder / "SConstruct"
    script.write_text(_SCONS.format(target=TARGET, calls=calls), encoding="utf-8")
    must(scons(folder, "scons"))
    return {each.name: folder / "scons" / each.name for each in SAMPLES}


def through_rtthread(folder: Path) -> Places:
    """Construction variables of a copy of the environment, in a script of a board's tree."""
    board = make_board(folder / "tree")
    for file in [*folder.glob("*.t*"), folder / "net.cc"]:
        shutil.copy(file, board)
    shutil.copytree(folder / "operators", board / "operators")
    (board / "net").mkdir()
    calls = [(f"#{each.model}", each.name, _variables(each.options)) for each in SAMPLES]
    script = board / "net" / "SConscript"
    script.write_text(_RTTHREAD.format(target=TARGET, calls=calls), encoding="utf-8")
    places = {each.name: board / "build" / "net" / each.name for each in SAMPLES}
    targets = [f"build/net/{name}/{name}.c" for name in places]
    compiler = shutil.which("arm-none-eabi-gcc")
    assert compiler is not None
    variables = {"RTT_EXEC_PATH": str(Path(compiler).parent), **HERE}
    must(run([sys.executable, "-m", "SCons", "-Q", *targets], board, variables=variables))
    return places


def through_platformio(folder: Path) -> Places:
    """Texts of platformio.ini, an environment for each sample.  PlatformIO itself is not there."""
    calls = [(each.name, _ini(each)) for each in SAMPLES]
    script = folder / "SConstruct"
    script.write_text(_PLATFORMIO.format(calls=calls), encoding="utf-8")
    places = {each.name: folder / "pio" / each.name / "tinyml" for each in SAMPLES}
    targets = [str(place / f"{name}.c") for name, place in places.items()]
    must(scons(folder, *targets))
    return places


def _ini(sample: Sample) -> dict[str, str]:
    options = {name: text_of(value) for name, value in sample.options.items()}
    texts = {"models": sample.model, "name": sample.name, "target": TARGET, **options}
    return {f"custom_tinyml_{name}": text for name, text in texts.items()}


def through_this_project(folder: Path) -> Places:
    """`scons name=value` of this repository's SConstruct, a process for each compilation."""
    project = copy_project(folder / "clone", parts=BUILD_PARTS)
    write_project(project)
    places = {}
    for each in TOGETHER:
        file = project / each.model
        model = shutil.copy(file, file.with_stem(each.name))
        words = [f"{name}={text_of(value, ', ')}" for name, value in each.options.items()]
        place = project / "build" / TARGET / "own" / each.name
        words += [f"target={TARGET}", f"model={model}", str(place / f"{each.name}.c")]
        must(scons(project, *words))
        places[each.name] = place
    return places


def through_cmake(folder: Path) -> Places:
    """`tinyml_add_model`, from a checkout."""
    calls = [
        f"tinyml_add_model({each.name} MODEL {each.model} TARGET {TARGET} {_cmake(each)})"
        for each in SAMPLES
    ]
    names = " ".join(f"{each.name}_tinyml" for each in SAMPLES)
    text = _CMAKE.format(calls="\n".join(calls), names=names)
    (folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
    package = f"-DTinymlRules_DIR={PROJECT}/tinyml_rules/frontends/cmake"
    python = f"-DPython3_EXECUTABLE={sys.executable}"
    must(run(["cmake", "-B", "build", "-G", "Ninja", package, python], folder))
    start_here(must(run(["ninja", "-C", "build", "-t", "commands", "models"], folder)), folder)
    return {each.name: folder / "build" / "tinyml" / each.name for each in SAMPLES}


def _cmake(sample: Sample) -> str:
    words = []
    for name, value in sample.options.items():
        texts = value if isinstance(value, list) else [value]
        is_switch = OPTIONS[name].kind is Kind.SWITCH
        words += [name.upper(), *(f'"{text}"' for text in texts if not is_switch)]
    return " ".join(words)


def through_make(folder: Path) -> Places:
    """`tinyml_model`, whose options are words of the command line."""
    calls = [
        f"$(call tinyml_model,{each.name},{each.model},{TARGET},"
        f"{shlex.join(words_of_command_line(each.options))})"
        for each in SAMPLES
    ]
    text = _MAKE.format(python=shlex.quote(sys.executable), calls="\n".join(calls))
    (folder / "Makefile").write_text(text, encoding="utf-8")
    for each in SAMPLES:
        (folder / "tinyml" / each.name).mkdir(parents=True)
    start_here(must(run(["make", "-n", "all"], folder, variables=HERE)), folder)
    return {each.name: folder / "tinyml" / each.name for each in SAMPLES}


def through_meson(folder: Path) -> Places:
    """A custom target for each; what names a path is one of the source folder."""
    targets = [_meson(each, folder) for each in SAMPLES]
    head = f"project('every_option', 'c')\npython = find_program('{sys.executable}')\n"
    (folder / "meson.build").write_text(head + "".join(targets), encoding="utf-8")
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    must(run([*meson, "setup", "made"], folder, variables=HERE))
    start_here(must(run(["ninja", "-C", "made", "-t", "commands"], folder)), folder / "made")
    return {each.name: folder / "made" for each in SAMPLES}


def _meson(sample: Sample, folder: Path) -> str:
    options = {
        name: _absolute(value, folder) if OPTIONS[name].kind.is_path else value
        for name, value in sample.options.items()
    }
    suffixes = [".c", ".h", ".report.json", ".memory.svg"]
    suffixes += [".weights.bin"] if options.get("weights") == "external" else []
    return _MESON_TARGET.format(
        name=sample.name,
        model=sample.model,
        target=TARGET,
        outputs=", ".join(f"'{sample.name}{suffix}'" for suffix in suffixes),
        words=", ".join(f"'{word}'" for word in words_of_command_line(options)),
    )


def _absolute(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [str(folder / each) for each in value]
    return str(folder / value)


WAYS: Mapping[str, Callable[[Path], Places]] = {
    "a file of options": through_options_file,
    "scons": through_scons,
    "rtthread": through_rtthread,
    "platformio": through_platformio,
    "this project": through_this_project,
    "cmake": through_cmake,
    "make": through_make,
    "meson": through_meson,
}
