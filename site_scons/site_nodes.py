"""What each verb that is about one model makes: a table, and the nodes.

The command line of the package has commands of the same names; here SCons makes again only what
has changed, and models of this repository bring inputs and results of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from SCons.Script import GetOption
from site_misra import SHOW_MISRA
from site_project import MODELS, ROOT, obtain_for, or_exit
from site_shown import SHOW_PAGE, SHOW_RUN, SHOW_SIZE, SHOW_TEST
from site_tune import TUNE
from site_wcet import WCET
from site_web import check_web, web_page

from models.zoo import Manifest
from tinyml_rules.firmware.board import (
    flash_command,
    program_suffix,
    require_program,
    require_programmer,
)
from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.frontends.scons.firmware import profile_samples, run_samples
from tinyml_rules.system.sources import files_below
from tinyml_rules.target.missing import check_counts
from tinyml_rules.target.target import Target, load_target
from tinyml_rules.worst_case.targets import check_bounded


@dataclass(frozen=True)
class Build:
    """The nodes of a model's firmware: its file, what is linked, and what a run gave, if any."""

    env: Any
    model: Any
    folder: str
    firmware: list[Any]
    page: list[Any]
    run: list[Any] | None

    @property
    def name(self) -> str:
        """The model's."""
        return str(self.env["MANIFEST"].name)


@dataclass(frozen=True)
class Verb:
    """A word of the command line: its line of the help, what the target has to have for it, and
    its nodes; without them it is about all models or none."""

    meaning: str
    nodes: Callable[[Build], Any] | None = None
    is_run: bool = False
    check: Callable[[Target], None] | None = None


def _shown_run(build: Build) -> Any:
    assert build.run
    return build.env.Command("run.shown", [build.firmware[0], build.run[1]], SHOW_RUN)


def _tested(build: Build) -> Any:
    vectors = build.env.fs.File(str(MODELS / build.name / "vectors.npz"))
    passed = build.env.TinymlTest(f"{build.name}_test", build.model, vectors, build.folder)
    return [*passed, *build.env.Command("test.shown", passed, SHOW_TEST)]


def _tuned(build: Build) -> Any:
    return build.env.Command("tune.shown", build.model, TUNE)


def _worst_case(build: Build) -> Any:
    return build.env.Command("wcet.shown", build.model, WCET)


def _report(build: Build) -> Any:
    return [*build.page, *build.env.Command("report.shown", build.page, SHOW_PAGE)]


def _size(build: Build) -> Any:
    return build.env.Command("size.shown", build.firmware[0], SHOW_SIZE)


def _misra(build: Build) -> Any:
    source = build.env.TinymlModel(build.model, build.folder)[0]
    return build.env.Command("misra.shown", source, SHOW_MISRA)


def _web(build: Build) -> Any:
    live = f"{build.folder}/{build.name}.live.html"
    return web_page(build.env, build.model, build.firmware, live)


def _flashed(build: Build) -> Any:
    is_clean = GetOption("clean")
    return build.firmware if is_clean else or_exit(lambda: _flash(build.env, build.firmware))


def _commands(build: Build) -> Any:
    return build.env.CompilationDatabase()


VERBS = {
    "run": Verb(
        "run it on the target's emulator, and show sizes, speed and a few results",
        _shown_run,
        is_run=True,
    ),
    "test": Verb(
        "compare it with the recorded results of TFLM, byte for byte", _tested, is_run=True
    ),
    "tune": Verb(
        "measure the kernels of each layer, and keep the fastest beside the model",
        _tuned,
        is_run=True,
        check=check_counts,
    ),
    "wcet": Verb(
        "show what an inference takes at most for all inputs",
        _worst_case,
        is_run=True,
        check=check_bounded,
    ),
    "matrix": Verb("build and test every model on every target, and show the table"),
    "bench": Verb("the same and the benchmark set, compared with the last release and TFLM"),
    "paper": Verb("show the MicroFlow paper's tables and the figures of the same models here"),
    "report": Verb("write what it takes, and why, as one page of HTML", _report, is_run=True),
    "size": Verb("show flash, RAM and stack, and what takes most of it", _size),
    "misra": Verb("count what its C departs from in MISRA C:2012, and why", _misra),
    "web": Verb(
        "a page in which the firmware runs: an emulator, inputs, outputs, cycles",
        _web,
        check=check_web,
    ),
    "flash": Verb("write the firmware to a board; with -n only show the command", _flashed),
    "compile_commands": Verb("write compile_commands.json for editors", _commands),
}


def _flash(env: Any, firmware: list[Any]) -> Any:
    """The programmer's command on the file of its format."""
    target = load_target(env["TINYML_TARGET"])
    programmer = require_programmer(target, port=env["PORT"])
    if not GetOption("no_exec"):
        require_program(target, programmer)
    file = next(node for node in firmware if node.name.endswith(f".{program_suffix(target)}"))
    port = env["PORT"].replace("$", "$$")  # as SCons reads the words of a command
    return env.Command("flash.shown", file, [flash_command(programmer, file="$SOURCE", port=port)])


def run_nodes(env: Any, manifest: Manifest, model: Any, folder: str) -> list[Any]:
    """A run on the inputs that model.toml names."""
    files = [sample.file for sample in manifest.demo.samples]
    samples = or_exit(lambda: [obtain_for(env, file) for file in files])
    inputs = WRITE_INPUTS.command(
        env,
        f"{folder}/{manifest.name}.demo.npz",
        [env.TinymlModel(model, folder)[2], *(env.fs.File(str(sample)) for sample in samples)],
    )
    described = MODELS / manifest.name / "model.toml"
    env.Depends(inputs, env.fs.File(str(described)) if described.is_file() else [])
    run = run_samples(env, model, inputs[0], folder)
    return [*run, *(profile_samples(env, model, inputs[0], run) if env["PROFILE"] else [])]


def write_inputs(target: list[Any], source: list[Any], env: Any) -> None:
    """model.json and sample files -> the inputs of a run."""
    from models.demo import demo_inputs  # noqa: PLC0415
    from tinyml_rules.reporting.read import read_report  # noqa: PLC0415
    from tinyml_rules.runners.arrays import write_arrays  # noqa: PLC0415 - only when there is work

    interface = read_report(Path(source[0].abspath)).interface
    files = [Path(node.abspath) for node in source[1:]]
    write_arrays(Path(target[0].abspath), demo_inputs(env["MANIFEST"].demo, files, interface))


WRITE_INPUTS = PackageAction(
    write_inputs,
    "INPUTS  $TARGET",
    variables=(),
    files=lambda: files_below(ROOT, "models/demo.py", "models/samples.py"),
)
