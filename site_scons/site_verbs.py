"""The verbs of this project's SConstruct: build (default), run, test, tune, size and flash.

Everything general is in the tool; here is what concerns this repository's models and folders.
`site_shown` has what they print, `site_tune` what one of them does, `site_matrix` and `site_bench`
those that are about all models and targets.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from SCons.Script import COMMAND_LINE_TARGETS, Exit, GetLaunchDir, GetOption
from site_shown import SHOW_PAGE, SHOW_RUN, SHOW_SIZE, SHOW_TEST, SPELLING
from site_tune import TUNE
from site_web import check_web, web_page

from models.zoo import Manifest, load_manifest, model_names, obtain, own_manifest
from tinyml_rules.errors import TinymlError, UsageError, did_you_mean
from tinyml_rules.firmware.board import (
    flash_command,
    program_suffix,
    require_program,
    require_programmer,
)
from tinyml_rules.frontends.scons.action import PackageAction
from tinyml_rules.frontends.scons.firmware import profile_samples, run_samples
from tinyml_rules.frontends.scons.settings import variable_of
from tinyml_rules.request.model_path import SUFFIXES, existing_model
from tinyml_rules.request.options import OPTIONS as COMPILATION
from tinyml_rules.request.wording import worded
from tinyml_rules.runners.profile import check_counts
from tinyml_rules.system.sources import files_below
from tinyml_rules.target.equipment import RUNNER_COUNTS
from tinyml_rules.target.missing import require_tools
from tinyml_rules.target.target import load_target, target_names

ROOT = Path(__file__).resolve().parent.parent
MODELS = ROOT / "models"
DOWNLOADS = ROOT / "build" / "models"
VERBS = {
    "run": "run it on the target's emulator, and show sizes, speed and a few results",
    "test": "compare it with the recorded results of TFLM, byte for byte",
    "tune": "measure the kernels of each layer, and keep the fastest beside the model",
    "matrix": "build and test every model on every target, and show the table",
    "bench": "the same and the benchmark set, compared with the last release and TFLM",
    "report": "write what it takes, and why, as one page of HTML",
    "size": "show flash, RAM and stack, and what takes most of it",
    "web": "a page in which the firmware runs: an emulator, inputs, outputs, cycles",
    "flash": "write the firmware to a board; with -n only show the command",
    "compile_commands": "write compile_commands.json for editors",
}
OPTIONS = {
    "target": "the target, part or board to build for (default: host)",
    "model": "the model to build, or the path of any .tflite file (default: sine)",
    "models": "a folder that has the models' files, instead of downloading them",
    **{name: option.meaning() for name, option in COMPILATION.items()},
    "profile": "for run: yes shows the cycles or instructions of each node",
    "port": "for flash: the port of the board, such as /dev/ttyACM0",
}
MATRIX_OPTIONS = {
    "target": "the targets, separated by commas (default: all)",
    "model": "the models, separated by commas (default: all)",
    "models": OPTIONS["models"],
    "docs": "yes: write models/results.json, and what README.md and docs/ show of it",
}
BENCH_OPTIONS = {
    "target": MATRIX_OPTIONS["target"],
    "model": "the models, separated by commas, `layers` for the benchmark set (default: all)",
    "models": OPTIONS["models"],
    "docs": "yes: write what `matrix docs=yes` does and benchmarks/layers.json",
    "record": "yes: write benchmarks/release.json, which later figures are set beside",
}


def settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    """Construction variables from the command line; ends with an error for what is not known."""
    chosen: dict[str, Any] = or_exit(lambda: _settings(arguments, show_help))
    return chosen


def _settings(arguments: dict[str, str], show_help: Callable[..., None]) -> dict[str, Any]:
    check_words(arguments, tuple(OPTIONS))
    show_help(help_text())
    target = load_target(arguments.get("target", "host"))
    manifest = _manifest(arguments.get("model", "sine"))
    if not (GetOption("clean") or GetOption("help")):
        is_run = bool({"run", "report", "test", "tune"}.intersection(COMMAND_LINE_TARGETS))
        require_tools(target, for_runs=is_run)
    mirror = arguments.get("models")
    is_profiled = is_yes(arguments, "profile")
    if "tune" in COMMAND_LINE_TARGETS:
        check_counts(target)
    if "web" in COMMAND_LINE_TARGETS and not GetOption("clean"):
        check_web(target)
    if is_profiled and "run" not in COMMAND_LINE_TARGETS:
        raise UsageError.at("scons", "'profile' is yes, expected the verb 'run' with it")
    if is_profiled:
        check_counts(target)
    is_reported = "report" in COMMAND_LINE_TARGETS
    return {
        "PROFILE": is_profiled or (is_reported and bool(RUNNER_COUNTS[target.runner.kind])),
        "TINYML_TARGET": target.name,
        **{variable_of(name): _chosen(arguments, name) for name in COMPILATION},
        "TINYML_SPELLING": SPELLING,
        "MANIFEST": manifest,
        "MIRROR": Path(mirror).resolve() if mirror else None,
        "PORT": arguments.get("port", ""),
        "CCCOMSTR": "CC      $TARGET",
        # SCons keeps a path of its own; `require_tools` found the compilers on the user's
        "ENV": {"PATH": os.environ["PATH"]},
    }


def _manifest(word: str) -> Manifest:
    """That of a model of this repository, or of the file at a path from where scons was started.

    Raises UsageError for one that is not there, and where recorded results would be needed.
    """
    path = Path(GetLaunchDir(), word)
    if not (word.endswith(SUFFIXES) or (path.suffix and path.is_file())):
        return load_manifest(MODELS, word)
    path = existing_model(path)
    if "test" in COMMAND_LINE_TARGETS:
        what = "has no recorded results, expected a model of this repository to test"
        command = f"`tinyml_rules test {shlex.quote(word)} --vectors FILE.npz`"
        hint = f"{command} compares with results of your own"
        raise UsageError.at(word, what, hint=hint)
    return own_manifest(path)


def _chosen(arguments: dict[str, str], name: str) -> Any:
    """What an option of a compilation is set to; None where it is not.  A path begins where scons
    was started, as that of a model does.  Raises UsageError."""
    if name not in arguments:
        return None
    option = COMPILATION[name]
    found = option.read(arguments[name])
    if not option.kind.is_path:
        return found
    named = found if option.kind.is_list else [found]
    return [Path(GetLaunchDir(), each) for each in named]


def is_yes(arguments: dict[str, str], name: str) -> bool:
    """Whether a variable is `yes`; UsageError for another word than that or `no`."""
    word = arguments.get(name, "no")
    if word not in ("yes", "no"):
        raise UsageError.at("scons", f"'{name}' is '{word}', expected yes or no")
    return word == "yes"


def check_words(arguments: dict[str, str], known: tuple[str, ...]) -> None:
    """Raise UsageError for an unknown variable or verb; what may be a file is left for SCons."""
    for unknown in (name for name in arguments if name not in known):
        what = f"unknown variable '{unknown}', expected one of {', '.join(known)}"
        raise UsageError.at("scons", what, hint=did_you_mean(unknown, known))
    for word in COMMAND_LINE_TARGETS:
        is_path = word == "build" or Path(GetLaunchDir(), word).exists()
        if word not in VERBS and word.isidentifier() and not is_path:
            what = f"unknown verb '{word}', expected one of {', '.join(VERBS)}"
            raise UsageError.at("scons", what, hint=did_you_mean(word, VERBS))


_NEXT_LINE = "\n" + " " * 19


def help_text() -> str:
    """What `scons -h` shows."""
    models = {name: load_manifest(MODELS, name).description for name in model_names(MODELS)}
    targets = {name: load_target(name).description for name in target_names()}
    parts = (
        ("variables", OPTIONS),
        ("verbs", VERBS),
        ("variables of matrix", MATRIX_OPTIONS),
        ("variables of bench", BENCH_OPTIONS),
        ("targets", targets),
        ("models", models),
    )
    lines = ["scons [VARIABLE=VALUE ...] [VERB ...]"]
    for title, entries in parts:
        lines += ["", f"{title}:"]
        lines += [f"  {name:14} {text}".replace("\n", _NEXT_LINE) for name, text in entries.items()]
    return "\n".join(lines) + "\n"


def or_exit(function: Callable[[], Any]) -> Any:
    """The function's result; a TinymlError ends the whole command with its text and status."""
    try:
        return function()
    except TinymlError as error:
        print(worded(str(error), SPELLING), file=sys.stderr)
        return Exit(error.exit_status)


def add_verbs(env: Any) -> None:
    """Everything that can be asked for on the command line."""
    if GetOption("help"):
        return
    (ROOT / "build").mkdir(exist_ok=True)
    env.SConsignFile("build/.sconsign")
    manifest: Manifest = env["MANIFEST"]
    model = env.fs.File(str(or_exit(lambda: obtain_for(env, manifest.model))))
    own = "" if manifest.description else "own/"  # beside a model of the same name from here
    folder = f"build/{env['TINYML_TARGET']}/{own}{manifest.name}"
    if "compile_commands" in COMMAND_LINE_TARGETS:
        env.Tool("compilation_db")
        env.Alias("compile_commands", env.CompilationDatabase())
    env["TINYML_NAME"] = manifest.name
    run = None
    if {"run", "report"}.intersection(COMMAND_LINE_TARGETS):
        run = _run(env, manifest, model, folder)
    firmware = env.TinymlFirmware(model, folder, run=run)
    env.Default(firmware)
    env.Alias("size", env.Command("size.shown", firmware[0], SHOW_SIZE))
    page = env.TinymlReport(f"{folder}/{manifest.name}.html", firmware)
    env.Alias("report", [*page, *env.Command("report.shown", page, SHOW_PAGE)])
    if run:
        env.Alias("run", env.Command("run.shown", [firmware[0], run[1]], SHOW_RUN))
    if "test" in COMMAND_LINE_TARGETS:
        vectors = env.fs.File(str(MODELS / manifest.name / "vectors.npz"))
        passed = env.TinymlTest(f"{manifest.name}_test", model, vectors, folder)
        env.Alias("test", [*passed, *env.Command("test.shown", passed, SHOW_TEST)])
    if "tune" in COMMAND_LINE_TARGETS:
        env.Alias("tune", env.Command("tune.shown", model, TUNE))
    if "web" in COMMAND_LINE_TARGETS:
        live = f"{folder}/{manifest.name}.live.html"
        env.Alias("web", web_page(env, model, firmware, live))
    if "flash" in COMMAND_LINE_TARGETS:
        is_clean = GetOption("clean")
        env.Alias("flash", firmware if is_clean else or_exit(lambda: _flash(env, firmware)))
    env.AlwaysBuild([env.Alias(verb) for verb in VERBS])


def obtain_for(env: Any, file: Any) -> Path:
    """Where a file of a model lies, downloaded if need be."""
    return obtain(file, mirror=env["MIRROR"], cache=DOWNLOADS)


def _flash(env: Any, firmware: list[Any]) -> Any:
    """The programmer's command on the file of its format."""
    target = load_target(env["TINYML_TARGET"])
    programmer = require_programmer(target, port=env["PORT"])
    if not GetOption("no_exec"):
        require_program(target, programmer)
    file = next(node for node in firmware if node.name.endswith(f".{program_suffix(target)}"))
    port = env["PORT"].replace("$", "$$")  # as SCons reads the words of a command
    return env.Command("flash.shown", file, [flash_command(programmer, file="$SOURCE", port=port)])


def _run(env: Any, manifest: Manifest, model: Any, folder: str) -> Any:
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
    from tinyml_rules.report.read import read_report  # noqa: PLC0415
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

__all__ = ["add_verbs", "settings"]
